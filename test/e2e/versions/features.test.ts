import t from 'tap'
import { fieldAt, listOf, stringOf } from '../../../src/core/json.ts'
import { bodyOf } from '../../bed/api-client.ts'
import { bedTest } from '../../bed/bed-test.ts'
import { FEATURES, whyWithout } from '../../bed/features.ts'
import { bedVersion } from '../../bed/kubernetes-version.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'

/*
 * What the supported releases of Kubernetes differ in, and what tests that need it may rely on. The table of features says what is skipped;
 * here it is held to what the API server itself says.
 */

const DEVICES = '/apis/resource.k8s.io/v1'
const DRIVER = 'gpu.nvidia.com'
const NODE = 'dra'

interface Device {
  readonly name: string
  readonly profile: string
  /** Memory slices of the card that it takes, where the card counts them. */
  readonly takes?: number
}

async function create(bed: Bed, path: string, object: object): Promise<void> {
  bodyOf(await bed.request('POST', path, object), `create at ${path}`)
}

/** Announces devices of the node, as a DRA driver does; with `counts`, all are cut from one card with so many memory slices. */
async function announce(bed: Bed, pool: string, devices: readonly Device[], counts?: number): Promise<void> {
  const slices = [
    { devices: devices.map(toDevice) },
    ...(counts === undefined ? [] : [{ sharedCounters: [{ name: 'card', counters: memory(counts) }] }])
  ]
  const shared = { name: pool, generation: 1, resourceSliceCount: slices.length }
  for (const [index, slice] of slices.entries())
    await create(bed, `${DEVICES}/resourceslices`, {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: `${pool}-${index}` },
      spec: { driver: DRIVER, nodeName: NODE, pool: shared, ...slice }
    })
}

function toDevice({ name, profile, takes }: Device): object {
  const consumes = [{ counterSet: 'card', counters: memory(takes ?? 0) }]
  return {
    name,
    attributes: { profile: { string: profile } },
    ...(takes !== undefined && { consumesCounters: consumes })
  }
}

function memory(slices: number): object {
  return { memory: { value: String(slices) } }
}

function deviceClass(name: string, profile: string, spec = {}): object {
  const expression = `device.driver == '${DRIVER}' && device.attributes['${DRIVER}'].profile == '${profile}'`
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: { selectors: [{ cel: { expression } }], ...spec }
  }
}

function pod(name: string, spec: object, resources: object): object {
  const containers = [{ name: 'main', image: 'bed/none', resources }]
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, containers } }
}

/** A pod that names a claim of one device of a class, and the claim. */
async function createClaiming(bed: Bed, name: string, deviceClassName: string): Promise<void> {
  const requests = [{ name: 'share', exactly: { deviceClassName } }]
  await create(bed, `${DEVICES}/namespaces/ml/resourceclaims`, {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name },
    spec: { devices: { requests } }
  })
  const claims = [{ name: 'share', resourceClaimName: name }]
  await create(
    bed,
    '/api/v1/namespaces/ml/pods',
    pod(name, { resourceClaims: claims }, { claims: [{ name: 'share' }] })
  )
}

/** Waits until the scheduler has said where the pod goes, or that it goes nowhere. */
async function placed(bed: Bed, name: string): Promise<{ where: string; pod: unknown }> {
  return until(`a word of the scheduler on ${name}`, async () => {
    const seen = bodyOf(await bed.request('GET', `/api/v1/namespaces/ml/pods/${name}`), `get pod ${name}`)
    const node = stringOf(fieldAt(seen, 'spec'), 'nodeName')
    if (node !== undefined) return { where: node, pod: seen }
    const isRefused = listOf(fieldAt(seen, 'status'), 'conditions').some(
      (condition) => stringOf(condition, 'reason') === 'Unschedulable'
    )
    return isRefused && { where: 'nowhere', pod: seen }
  })
}

/** Waits until the pod has the node; the scheduler may hear of it before it hears of the devices, and say nowhere at first. */
async function onNode(bed: Bed, name: string): Promise<unknown> {
  return until(`${name} is on ${NODE}`, async () => {
    const { where, pod: seen } = await placed(bed, name)
    return where === NODE && seen
  })
}

await bedTest(
  t,
  'parts of Kubernetes that differ between the supported releases',
  async (t, { bed, simulator }) => {
    await t.test('the bed is of the release that is asked for', async (t) => {
      const { version, isNamed } = bedVersion()
      const told = stringOf((await bed.request('GET', '/version')).body, 'gitVersion')

      t.match(told, isNamed ? new RegExp(`^v${version}\\.\\d+$`) : /^v1\.\d+\./)
    })

    await t.test('the API server has on what the table says is on, and nothing else of it', async (t) => {
      const { body } = await bed.request('GET', '/metrics')
      const on = [
        ...String(body).matchAll(/^kubernetes_feature_enabled\{name="(\w+)",stage="\w*"\} 1$/gm)
      ].map(([, name]) => name)
      const names = Object.keys(FEATURES) as (keyof typeof FEATURES)[]

      t.ok(on.includes('DynamicResourceAllocation'), 'claims are in every supported release')
      for (const name of names) t.equal(on.includes(name), whyWithout(name) === undefined, name)
    })

    await createNamespace(bed, 'ml')
    await simulator.addNode({ name: NODE, product: 'H100-80', layout: { kind: 'whole', gpus: 1 } })

    await t.test('a claim of a device is given it, and a second one waits', async (t) => {
      await announce(bed, 'plain', [{ name: 'slice-0', profile: '2g.20gb' }])
      await create(bed, `${DEVICES}/deviceclasses`, deviceClass('plain', '2g.20gb'))
      await createClaiming(bed, 'first', 'plain')
      await onNode(bed, 'first')

      await createClaiming(bed, 'second', 'plain')

      t.match(await placed(bed, 'second'), { where: 'nowhere' })
    })

    await t.test(
      'a pod that asks for a MIG resource is served by a device of DRA',
      { skip: whyWithout('DRAExtendedResource') ?? false },
      async (t) => {
        const resource = 'nvidia.com/mig-1g.10gb'
        await announce(bed, 'served', [{ name: 'slice-0', profile: '1g.10gb' }])
        await create(
          bed,
          `${DEVICES}/deviceclasses`,
          deviceClass('served', '1g.10gb', { extendedResourceName: resource })
        )

        await create(bed, '/api/v1/namespaces/ml/pods', pod('served', {}, { limits: { [resource]: '1' } }))

        const seen = await onNode(bed, 'served')
        t.match(fieldAt(seen, 'status', 'extendedResourceClaimStatus'), { resourceClaimName: String })
      }
    )

    await t.test(
      'devices cut from one card are not given beyond what it has',
      { skip: whyWithout('DRAPartitionableDevices') ?? false },
      async (t) => {
        const devices = [
          { name: 'small', profile: '3g.40gb', takes: 4 },
          { name: 'large', profile: '7g.80gb', takes: 8 }
        ]
        await announce(bed, 'cut', devices, 8)
        await create(bed, `${DEVICES}/deviceclasses`, deviceClass('small', '3g.40gb'))
        await create(bed, `${DEVICES}/deviceclasses`, deviceClass('large', '7g.80gb'))
        await createClaiming(bed, 'small', 'small')
        await onNode(bed, 'small')

        await createClaiming(bed, 'large', 'large')

        t.match(await placed(bed, 'large'), { where: 'nowhere' })
        bodyOf(await bed.request('DELETE', '/api/v1/namespaces/ml/pods/small'), 'delete pod small')
        await onNode(bed, 'large')
      }
    )
  }
)
