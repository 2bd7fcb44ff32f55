import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { mps } from '../../../src/core/sharing/mps.ts'
import { viewOf } from '../../build/input.ts'
import { aHamiNode, aMigNode, aNode, anMpsNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

const strategy = 'nvidia.com/gpu.sharing-strategy'

function offersOf(node: JsonRecord): ReturnType<typeof mps.offers> {
  return mps.offers(viewOf(node))
}

t.test(
  '[SHA31] offers renamed replicas by their name, with what server and driver leave of the memory',
  async (t) => {
    t.strictSame(offersOf(anMpsNode({ gpus: 2, replicas: 4, memoryMiB: 23_034 })), [
      {
        method: 'mps',
        resource: 'nvidia.com/gpu.shared',
        share: 'shared',
        profile: undefined,
        usableMiB: 5275,
        computeRatio: 0.25,
        computeBasis: 'replicas',
        count: 8,
        replicas: 4,
        separation: 'memory-limit',
        requires: {}
      }
    ])
  }
)

t.test('[SHA31] offers replicas that keep the name by the choice of the node', async (t) => {
  const [offer, ...others] = offersOf(anMpsNode({ renamed: false, replicas: 2, memoryMiB: 81_559 }))

  t.strictSame(others, [])
  t.match(offer, {
    resource: 'nvidia.com/gpu',
    share: 'shared',
    usableMiB: 39_814,
    computeRatio: 0.5,
    count: 4,
    replicas: 2,
    requires: { [strategy]: 'mps' }
  })
})

const slice = 'nvidia.com/mig-1g.10gb'
const none: readonly { name: string; node: JsonRecord }[] = [
  { name: 'nothing', node: aNode() },
  { name: 'whole GPUs', node: aWholeNode() },
  { name: 'slices', node: aMigNode() },
  { name: 'time-sliced replicas', node: aSharedNode() },
  { name: 'time-sliced replicas of the same name', node: aSharedNode({ renamed: false }) },
  { name: 'GPUs of HAMi', node: aHamiNode() },
  { name: 'one replica', node: anMpsNode({ replicas: 1 }) },
  { name: 'replicas that are no number', node: anMpsNode({ labels: { 'nvidia.com/gpu.replicas': 'x' } }) },
  {
    name: 'replicas of which none is left',
    node: anMpsNode({ allocatable: { 'nvidia.com/gpu.shared': '0' } })
  },
  {
    name: 'more than the devices and replicas of the labels give',
    node: anMpsNode({ gpus: 2, replicas: 4, allocatable: { 'nvidia.com/gpu.shared': '9' } })
  },
  {
    name: 'a layout that is not settled',
    node: anMpsNode({ labels: { 'nvidia.com/mig.config.state': 'pending' } })
  },
  { name: 'an invalid layout', node: anMpsNode({ product: 'NVIDIA-A100-SXM4-80GB-MIG-INVALID' }) },
  { name: 'devices that are slices', node: anMpsNode({ product: 'NVIDIA-H100-80GB-HBM3-MIG-1g.20gb' }) },
  { name: 'the single strategy', node: anMpsNode({ labels: { 'nvidia.com/mig.strategy': 'single' } }) },
  { name: 'GPUs that cannot do it', node: anMpsNode({ labels: { 'nvidia.com/mps.capable': 'false' } }) },
  {
    name: 'replicas of a profile',
    node: aMigNode({
      labels: { [`${slice}.replicas`]: '2', [`${slice}.sharing-strategy`]: 'mps' },
      allocatable: { [`${slice}.shared`]: '14' }
    })
  },
  {
    name: "MPS of Google's plugin",
    node: anMpsNode({ renamed: false, labels: { 'cloud.google.com/gke-gpu-sharing-strategy': 'mps' } })
  }
]
for (const { name, node } of none) {
  t.test(`[SHA31] offers nothing: ${name}`, async (t) => {
    t.strictSame(offersOf(node), [])
  })
}

t.test('[SHA31] offers replicas of the whole GPUs of a node that has slices too', async (t) => {
  const node = anMpsNode({
    gpus: 4,
    labels: { 'nvidia.com/mig.strategy': 'mixed', 'nvidia.com/mig-1g.10gb.count': '7' },
    allocatable: { 'nvidia.com/gpu.shared': '12', 'nvidia.com/mig-1g.10gb': '7' }
  })

  t.match(offersOf(node), [{ resource: 'nvidia.com/gpu.shared', count: 12 }])
})

t.test(
  '[SHA31] memory is unknown where the label tells none, or less than server and driver take',
  async (t) => {
    for (const memory of ['0', '', 'x', '1931', '1000']) {
      const [offer] = offersOf(anMpsNode({ labels: { 'nvidia.com/gpu.memory': memory } }))

      t.ok(offer)
      t.equal(offer?.usableMiB, undefined)
    }
  }
)

t.test('limits memory and keeps faults together, and changes nothing besides', async (t) => {
  t.equal(mps.name, 'mps')
  t.match(mps.isolates('memory-limit'), /memory limit.*fault/)
  t.strictSame(mps.ownPaths, [])
  t.strictSame(mps.ask({ resource: 'nvidia.com/gpu.shared' }, { neededMiB: 1, neededCompute: 1 }), {
    resources: { 'nvidia.com/gpu.shared': 1 }
  })
})

const [offer] = offersOf(anMpsNode({ replicas: 4 }))
if (offer === undefined) throw new Error('an MPS node offers nothing')
const consenting = { name: 'ml-dev', labels: { 'rightslice.dev/isolation': 'shared-ok' } }
const listed = anEffectivePolicy({ mps: { namespaces: ['ml-dev'], maxReplicas: 4 } })

const refusals: readonly {
  name: string
  policy: typeof listed
  namespace: typeof consenting
  replicas?: number
  want: unknown
}[] = [
  { name: 'nobody that is listed and consents', policy: listed, namespace: consenting, want: undefined },
  {
    name: 'a namespace that is not listed',
    policy: listed,
    namespace: { ...consenting, name: 'other' },
    want: { reason: 'MpsNotListed', sentence: 'namespace other is not in mps.namespaces' }
  },
  {
    name: 'a namespace that is listed for time-slicing alone',
    policy: anEffectivePolicy({ timeSlicing: { namespaces: ['ml-dev'], maxReplicas: 4 } }),
    namespace: consenting,
    want: { reason: 'MpsNotListed', sentence: 'namespace ml-dev is not in mps.namespaces' }
  },
  {
    name: 'a namespace that does not consent',
    policy: listed,
    namespace: { ...consenting, labels: { 'rightslice.dev/isolation': 'hardware' } },
    want: {
      reason: 'MpsNotListed',
      sentence: 'namespace ml-dev is listed for MPS but lacks the label rightslice.dev/isolation=shared-ok'
    }
  },
  {
    name: 'more replicas than the policy allows',
    policy: listed,
    namespace: consenting,
    replicas: 5,
    want: { reason: 'TooManyReplicas', sentence: '5 replicas share one device, the policy allows 4' }
  }
]
for (const { name, policy, namespace, replicas = 4, want } of refusals) {
  t.test(`[SHA32] refuses ${name}`, async (t) => {
    t.strictSame(mps.refusal({ ...offer, replicas }, { policy, namespace }), want)
  })
}
