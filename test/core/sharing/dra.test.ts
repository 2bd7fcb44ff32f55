import t from 'tap'
import { dra } from '../../../src/core/sharing/dra.ts'
import type { ShareContext } from '../../../src/core/sharing/method.ts'
import { aClaimTemplate, aDeviceView, h100Parts, someClasses } from '../../build/devices.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

const small = 'nvidia.com/mig-1g.10gb'
const only1g = h100Parts.slice(0, 1)

/** How each share may be asked for, and how often there is one. */
function waysOn(...args: Parameters<typeof aDeviceView>) {
  return dra
    .offers(aDeviceView(...args))
    .map(({ resource, deviceClass, count }) => [resource, deviceClass, count])
}

t.test('[SHA41] offers what a driver publishes, by the name of a class and by claim', async (t) => {
  const common = {
    method: 'dra',
    share: 'mig-1g.10gb',
    profile: '1g.10gb',
    usableMiB: 9984,
    computeRatio: 16 / 132,
    computeBasis: 'sm-label',
    count: 7,
    replicas: 1,
    separation: 'hardware',
    requires: {}
  }
  t.strictSame(dra.offers(aDeviceView({ parts: only1g })), [
    { ...common, resource: small },
    { ...common, resource: 'rightslice-1g-10gb', deviceClass: 'mig-1g-10gb' }
  ])
})

t.test('[SHA41] a profile that no class is for is offered by claim alone', async (t) => {
  t.strictSame(waysOn({ gpus: 2 }), [
    [small, undefined, 14],
    ['rightslice-1g-10gb', 'mig-1g-10gb', 14],
    ['rightslice-2g-20gb', 'mig.nvidia.com', 6],
    ['rightslice-3g-40gb', 'mig.nvidia.com', 4]
  ])
})

t.test('[SHA44] where a device plugin hands out GPUs too, nothing is offered', async (t) => {
  for (const name of ['nvidia.com/gpu', 'nvidia.com/gpu.shared', small])
    t.strictSame(waysOn({}, { allocatable: { [name]: '1' } }), [], name)
  t.equal(waysOn({}, { allocatable: { 'nvidia.com/gpu': '0', 'rdma/hca': '4' } }).length, 4)
})

t.test('[SHA44] a name that the kubelet still lists is not asked for', async (t) => {
  t.strictSame(waysOn({ parts: only1g }, { allocatable: { [small]: '0' } }), [
    ['rightslice-1g-10gb', 'mig-1g-10gb', 7]
  ])
})

t.test('[SHA41] a node without devices, or without classes, offers nothing', async (t) => {
  t.strictSame(waysOn({ parts: [], whole: false }), [])
  t.strictSame(waysOn({}, { classes: [] }), [])
  t.strictSame(waysOn({}, { classes: [someClasses.gpu] }), [])
})

t.test(
  '[SHA41] what a device does not say is looked up by its product, else by that of the node',
  async (t) => {
    const device = { capacity: {} }
    const untold = only1g.map((part) => ({ ...part, memoryMiB: 1 }))
    const [known] = dra.offers(aDeviceView({ parts: untold, device }))
    t.match(known, { usableMiB: 9984, computeBasis: 'sm-catalog' })
    const label = { labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' } }
    const nameless = {
      device: { attributes: { type: { string: 'mig' }, profile: { string: '1g.10gb' } }, capacity: {} }
    }
    t.match(dra.offers(aDeviceView({ parts: untold, ...nameless }, label))[0], { usableMiB: 9984 })
    t.match(dra.offers(aDeviceView({ parts: only1g, productName: 'NVIDIA Unheard', device }))[0], {
      usableMiB: undefined,
      computeRatio: 1 / 7,
      computeBasis: 'slices'
    })
  }
)

const context = (change: Partial<ShareContext['namespace']> = {}): ShareContext => ({
  policy: anEffectivePolicy({ mode: 'Approve' }),
  namespace: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' }, ...change }
})
const [byName, , byClaim] = dra.offers(aDeviceView())
if (byName === undefined || byClaim === undefined) throw new Error('a node with devices offers nothing')

t.test('[SHA46] a claim is refused where the namespace has no template for it', async (t) => {
  const right = aClaimTemplate()
  const refused = [
    undefined,
    [],
    [aClaimTemplate({ asks: { profile: '3g.40gb', deviceClass: 'mig.nvidia.com' } })],
    [aClaimTemplate({ asks: { profile: '2g.20gb', deviceClass: 'other' } })],
    [{ ...right, asks: undefined }],
    [{ ...right, retired: true }],
    [{ ...right, labelled: false }]
  ]
  for (const claimTemplates of refused) {
    t.strictSame(dra.refusal(byClaim, context(claimTemplates === undefined ? {} : { claimTemplates })), {
      reason: 'ClaimTemplateMissing',
      sentence:
        'namespace team-a has no ResourceClaimTemplate rightslice-2g-20gb of ours for class mig.nvidia.com'
    })
  }
  t.equal(dra.refusal(byClaim, context({ claimTemplates: [right] })), undefined)
  t.equal(dra.refusal(byName, context()), undefined, 'a name needs none')
})

t.test('[SHA46] where nothing is changed, no template is needed to say what would be', async (t) => {
  const told = { 'rightslice.dev/rightsize': 'warn' }
  t.equal(dra.refusal(byClaim, context({ labels: told })), undefined)
  const proposing = { ...context(), policy: anEffectivePolicy({ mode: 'Propose' }) }
  t.equal(dra.refusal(byClaim, proposing), undefined)
})

t.test('[SHA10] profiles that the policy does not list are refused', async (t) => {
  const policy = anEffectivePolicy({ mig: { allowedProfiles: ['2g.20gb'] } })
  t.match(dra.refusal(byName, { ...context(), policy }), { reason: 'ProfileNotAllowed' })
})

t.test('[SHA41] asks for one by name, or for a claim from the template', async (t) => {
  const wanted = { neededMiB: 1, neededCompute: undefined }
  t.strictSame(dra.ask(byName, wanted), { resources: { [small]: 1 } })
  t.strictSame(dra.ask(byClaim, wanted), { resources: {}, claimTemplate: 'rightslice-2g-20gb' })
})

t.test('[SHA42] shares of one card are given together only where they fit there together', async (t) => {
  const node = aDeviceView()
  const of = (...profiles: readonly string[]) =>
    dra.holds?.(
      node,
      profiles.map((profile) => ({ resource: '', profile }))
    )
  t.equal(of('3g.40gb', '2g.20gb', '2g.20gb'), true)
  t.equal(of('3g.40gb', '3g.40gb', '1g.10gb'), false)
  t.equal(of('7g.80gb'), false)
  t.equal(dra.holds?.(aDeviceView({ parts: [], whole: false }), []), false)
})

t.test('keeps memory, compute and faults apart, and touches claims besides', async (t) => {
  t.equal(dra.name, 'dra')
  t.match(dra.isolates('hardware'), 'hardware')
  t.match(dra.needs, 'ResourceSlices')
  t.equal(dra.schedulerName, undefined)
  t.ok(
    dra.ownPaths.every((path) =>
      /^\/spec\/(resourceClaims$|(containers|initContainers)\/\*\/resources\/)/.test(path)
    )
  )
})
