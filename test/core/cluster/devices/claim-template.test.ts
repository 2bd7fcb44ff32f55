import t from 'tap'
import {
  claimTemplateSpec,
  readClaimTemplate,
  templateName
} from '../../../../src/core/cluster/devices/claim-template.ts'
import { selectorOf } from '../../../../src/core/cluster/devices/selector.ts'
import { gpuModels } from '../../../../src/core/gpu/catalog.ts'
import { fieldAt, type JsonRecord, listOf } from '../../../../src/core/json.ts'

const asks = { profile: '1g.10gb+me', deviceClass: 'mig.nvidia.com' }

function aTemplate(change: { spec?: JsonRecord; label?: string; name?: string } = {}): JsonRecord {
  return {
    metadata: {
      namespace: 'team-a',
      name: change.name ?? 'rightslice-1g-10gb-me',
      labels: { 'rightslice.dev/slice': change.label ?? 'mig-1g.10gb.me' },
      managedFields: [{ manager: 'rightslice-controller' }, {}]
    },
    spec: change.spec ?? claimTemplateSpec(asks)
  }
}

t.test('[SHA46] names of templates say the profile, and are all different', async (t) => {
  t.equal(templateName('1g.10gb+me'), 'rightslice-1g-10gb-me')
  t.equal(templateName('1g.24gb-me'), 'rightslice-1g-24gb-no-me')
  const profiles = [...new Set(gpuModels.flatMap((model) => model.profiles.map(({ name }) => name)))]
  t.equal(new Set(profiles.map(templateName)).size, profiles.length)
  for (const profile of profiles) t.match(templateName(profile), /^rightslice-[a-z0-9-]{1,50}$/)
})

t.test('[SHA46] reads back what we would write, in whatever order', async (t) => {
  const want = {
    namespace: 'team-a',
    name: 'rightslice-1g-10gb-me',
    asks,
    labelled: true,
    retired: false,
    managers: ['rightslice-controller']
  }
  t.strictSame(readClaimTemplate(aTemplate()), want)
  const turned = JSON.parse(JSON.stringify(claimTemplateSpec(asks)), (_, value) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value ?? {}).toReversed())
      : value
  )
  t.strictSame(readClaimTemplate(aTemplate({ spec: turned })), want)
  t.match(readClaimTemplate(aTemplate({ label: 'retired' })), { asks, retired: true })
})

t.test('[SHA46] a template that says anything else is not believed', async (t) => {
  const [request] = listOf(fieldAt(claimTemplateSpec(asks), 'spec', 'devices'), 'requests')
  const exactly = Object(fieldAt(request, 'exactly'))
  const withRequest = (changed: object, more: object = {}): JsonRecord => ({
    spec: { devices: { requests: [{ name: 'gpu', exactly: { ...exactly, ...changed } }], ...more } }
  })
  const others: readonly JsonRecord[] = [
    withRequest({ count: 2 }),
    withRequest({ adminAccess: true }),
    withRequest({ tolerations: [{ operator: 'Exists' }] }),
    withRequest({ selectors: [] }),
    withRequest({ selectors: [{ cel: { expression: `true || device.x.profile == '1g.10gb+me'` } }] }),
    withRequest({}, { config: [{}] }),
    withRequest({}, { constraints: [{}] }),
    claimTemplateSpec({ ...asks, profile: '2g.20gb' }),
    { spec: null }
  ]
  for (const spec of others)
    t.equal(readClaimTemplate(aTemplate({ spec }))?.asks, undefined, JSON.stringify(spec))
})

t.test('[SHA46] an object without our label, a name or a namespace is none of ours', async (t) => {
  for (const raw of [
    null,
    7,
    {},
    { metadata: { namespace: 'a', name: 'b' } },
    { metadata: { name: 'rightslice-x' } },
    { ...aTemplate(), metadata: {} }
  ])
    t.equal(readClaimTemplate(raw), undefined)
})

t.test('[SHA46] the request takes devices of the profile, and fails on none', async (t) => {
  const expression = fieldAt(
    listOf(
      fieldAt(listOf(fieldAt(claimTemplateSpec(asks), 'spec', 'devices'), 'requests')[0], 'exactly'),
      'selectors'
    )[0],
    'cel',
    'expression'
  )
  const take = selectorOf([String(expression)])
  const device = (driver: string, attributes: Record<string, string>) =>
    take({ driver, attributes: { [driver]: attributes }, capacity: {}, state: 'usable' })

  t.equal(device('gpu.nvidia.com', { profile: '1g.10gb+me' }), 'yes')
  t.equal(device('gpu.nvidia.com', { profile: '1g.10gb' }), 'no')
  t.equal(device('gpu.nvidia.com', {}), 'no')
  t.equal(device('net.example', { profile: '1g.10gb+me' }), 'no')
})

t.test('[SHA46] one that only has a name as ours have is known, and not found by its label', async (t) => {
  const raw = {
    metadata: { namespace: 'team-a', name: 'rightslice-1g-10gb-me' },
    spec: claimTemplateSpec(asks)
  }
  t.match(readClaimTemplate(raw), { labelled: false, asks, managers: [] })
})
