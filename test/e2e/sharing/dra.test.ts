import t, { type Test } from 'tap'
import {
  fieldAt,
  fieldOf,
  isRecord,
  type JsonRecord,
  listOf,
  stringMapOf,
  stringOf
} from '../../../src/core/json.ts'
import { bodyOf } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { aDeviceClass, someClasses, someSlices } from '../../build/devices.ts'
import { policy, workload } from '../objects.ts'
import { create, startController, startProduct, untilBound, untilHeard, writeHistory } from '../product.ts'

const NAMESPACE = 'team-a'
const TEMPLATES = '/apis/resource.k8s.io/v1/namespaces/team-a/resourceclaimtemplates'
const enforce = { 'rightslice.dev/rightsize': 'enforce' }

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<void> {
  await simulator.addNode({ name: 'plugin', product: 'H100-80', layout: { kind: 'whole', gpus: 8 } })
  await simulator.addNode({ name: 'driver', product: 'H100-80', layout: { kind: 'whole', gpus: 0 } })
  for (const slice of someSlices({ node: 'driver', gpus: 2 })) await post(bed, 'resourceslices', slice)
  for (const own of Object.values(someClasses)) await post(bed, 'deviceclasses', aDeviceClass(own))
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  const controller = await startController(bed, { RIGHTSLICE_USAGE_SOURCE: 'scrape' })
  t.teardown(() => controller.stop('SIGKILL'))
  await createNamespace(bed, NAMESPACE, { labels: enforce })
  await createNamespace(bed, 'team-told', { labels: { 'rightslice.dev/rightsize': 'warn' } })
  await create(bed, policy('dc1', { methods: ['dra'], mig: { headroom: '20%' } }))
}

async function post(bed: Bed, plural: string, object: JsonRecord): Promise<void> {
  bodyOf(await bed.request('POST', `/apis/resource.k8s.io/v1/${plural}`, object), `create one of ${plural}`)
}

/** Devices that the claims of a pod were given. */
async function devicesOf(bed: Bed, pod: JsonRecord): Promise<readonly string[]> {
  const answer = await bed.request('GET', `/apis/resource.k8s.io/v1/namespaces/${NAMESPACE}/resourceclaims`)
  const uid = stringOf(fieldOf(pod, 'metadata'), 'uid')
  return listOf(answer.body, 'items')
    .filter((claim) =>
      listOf(fieldOf(claim, 'metadata'), 'ownerReferences').some((own) => fieldOf(own, 'uid') === uid)
    )
    .flatMap((claim) => listOf(fieldAt(claim, 'status', 'allocation', 'devices'), 'results'))
    .flatMap((result) => stringOf(result, 'device') ?? [])
}

function mainOf(pod: JsonRecord): JsonRecord {
  const [main] = listOf(fieldOf(pod, 'spec'), 'containers')
  return isRecord(main) ? main : {}
}

function decisionOf(pod: JsonRecord): string | undefined {
  return stringMapOf(fieldOf(pod, 'metadata'), 'annotations')['rightslice.dev/decision']
}

async function templates(bed: Bed, path = TEMPLATES): Promise<readonly string[]> {
  const answer = await bed.request('GET', path)
  return listOf(answer.body, 'items').flatMap((item) => stringOf(fieldOf(item, 'metadata'), 'name') ?? [])
}

async function dra(t: Test, on: OnBed): Promise<void> {
  const { bed } = on
  await prepare(t, on)

  await t.test('the controller keeps a template for each profile, where pods are changed', async (t) => {
    await until('there are templates', async () => (await templates(bed)).length === 3, 30_000)
    t.strictSame([...(await templates(bed))].sort(), [
      'rightslice-1g-10gb',
      'rightslice-2g-20gb',
      'rightslice-3g-40gb'
    ])
    t.strictSame(await templates(bed, TEMPLATES.replace('team-a', 'team-told')), [])
  })

  const peaks = { named: '5000Mi', claimed: '15000Mi', large: '30000Mi', probe: '1000Mi' }
  for (const [name, peakMemory] of Object.entries(peaks))
    await writeHistory(bed, { namespace: NAMESPACE, kind: 'Deployment', name, peakMemory })
  await writeHistory(bed, { namespace: NAMESPACE, kind: 'Pod', name: 'probe', peakMemory: '15000Mi' })
  const probe = { metadata: { name: 'probe' }, ...podOf('probe') }
  await untilHeard(bed, { namespace: NAMESPACE, reason: 'FitsMigProfile', pod: probe })

  await t.test(
    'a Deployment is given the name that a class serves, and the scheduler a device for it',
    async (t) => {
      await create(bed, workload('Deployment', 'named'), NAMESPACE)

      const pod = await untilBound(bed, NAMESPACE, 'named')

      t.equal(decisionOf(pod), 'FitsMigProfile')
      const asked = { 'nvidia.com/mig-1g.10gb': '1' }
      t.strictSame(fieldOf(mainOf(pod), 'resources'), { limits: asked, requests: asked })
      t.equal(fieldAt(pod, 'spec', 'nodeName'), 'driver')
      const devices = await until('its claim', async () => {
        const found = await devicesOf(bed, pod)
        return found.length > 0 ? found : undefined
      })
      t.equal(devices.length, 1)
      t.match(devices[0], /^gpu-[01]-mig-1g-10gb-/)
    }
  )

  for (const [name, profile] of [
    ['claimed', '2g-20gb'],
    ['large', '3g-40gb']
  ] as const) {
    await t.test(
      `a Deployment is given a claim for ${profile}, and is bound with such a device`,
      async (t) => {
        await create(bed, workload('Deployment', name), NAMESPACE)

        const pod = await untilBound(bed, NAMESPACE, name)

        t.equal(decisionOf(pod), 'FitsMigProfile')
        t.strictSame(fieldAt(pod, 'spec', 'resourceClaims'), [
          { name: 'main', resourceClaimTemplateName: `rightslice-${profile}` }
        ])
        t.strictSame(fieldOf(mainOf(pod), 'resources'), { claims: [{ name: 'main' }] })
        t.equal(fieldAt(pod, 'spec', 'nodeName'), 'driver')
        const devices = await devicesOf(bed, pod)
        t.equal(devices.length, 1)
        t.match(devices[0], new RegExp(`^gpu-[01]-mig-${profile}-`))
      }
    )
  }

  await t.test('a template that is not wanted any more is given to nobody', async (t) => {
    const label = 'rightslice.dev/slice'
    bodyOf(
      await bed.request(
        'PATCH',
        '/apis/rightslice.dev/v1alpha1/gpupolicies/dc1',
        { spec: { methods: ['mig-mixed'] } },
        'application/merge-patch+json'
      ),
      'allow no dra'
    )
    const path = `${TEMPLATES}/rightslice-2g-20gb`
    await until('it is retired', async () => {
      const answer = await bed.request('GET', path)
      return stringMapOf(fieldOf(answer.body, 'metadata'), 'labels')[label] === 'retired'
    })
    t.equal((await bed.request('GET', path)).status, 200, 'and stays for pods that have it')
  })
}

function podOf(name: string): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      containers: [
        { name: 'main', image: 'registry.example/app:1', resources: { limits: { 'nvidia.com/gpu': 1 } } }
      ]
    }
  }
}

await bedTest(t, 'shares of drivers, by name and by claim, are bound by the real scheduler', dra)
