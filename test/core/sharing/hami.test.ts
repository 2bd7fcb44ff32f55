import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { hami } from '../../../src/core/sharing/hami.ts'
import { viewOf } from '../../build/input.ts'
import { aHamiNode, aMigNode, aNode, anMpsNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

const RESOURCE = { resource: 'nvidia.com/gpumem' }

function offersOf(node: JsonRecord): ReturnType<typeof hami.offers> {
  return hami.offers(viewOf(node))
}

t.test(
  '[SHA34] offers a part of the largest GPU that is registered, but for what the driver keeps',
  async (t) => {
    t.strictSame(offersOf(aHamiNode({ gpus: 2, split: 10, memoryMiB: 23_034 })), [
      {
        method: 'hami',
        resource: 'nvidia.com/gpumem',
        share: 'gpumem',
        profile: undefined,
        usableMiB: 21_703,
        computeRatio: 0.99,
        computeBasis: 'replicas',
        count: 20,
        replicas: 10,
        separation: 'software-limit',
        requires: {},
        toMeasure: true,
        totalMiB: 46_068
      }
    ])
  }
)

const none: readonly { name: string; node: JsonRecord }[] = [
  { name: 'nothing', node: aNode() },
  { name: 'whole GPUs', node: aWholeNode() },
  { name: 'slices', node: aMigNode() },
  { name: 'replicas', node: aSharedNode() },
  { name: 'replicas of MPS', node: anMpsNode() },
  {
    name: 'a registration without GPUs in allocatable',
    node: aHamiNode({ allocatable: { 'nvidia.com/gpu': '0' } })
  },
  {
    name: 'more in allocatable than is registered',
    node: aHamiNode({ allocatable: { 'nvidia.com/gpu': '21' } })
  },
  { name: 'GPUs that are not split', node: aHamiNode({ split: 1 }) },
  { name: 'a registration that cannot be read', node: aHamiNode({ register: 'x' }) },
  {
    name: 'a node that is gone',
    node: aHamiNode({ annotations: { 'hami.io/node-handshake': 'Deleted_2026' } })
  },
  {
    name: 'a registration beside time-slicing',
    node: aHamiNode({ labels: { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' } })
  },
  {
    name: 'a registration beside replicas',
    node: aHamiNode({ labels: { 'nvidia.com/gpu.replicas': '10' } })
  },
  { name: 'a registration of slices', node: aHamiNode({ product: 'NVIDIA-H100-80GB-HBM3-MIG-1g.20gb' }) },
  {
    name: 'a registration under the single strategy',
    node: aHamiNode({ labels: { 'nvidia.com/mig.strategy': 'single' } })
  },
  { name: 'an invalid layout', node: aHamiNode({ product: 'NVIDIA-A100-SXM4-80GB-MIG-INVALID' }) },
  {
    name: 'a layout in the making',
    node: aHamiNode({ labels: { 'nvidia.com/mig.config.state': 'pending' } })
  }
]
for (const { name, node } of none) {
  t.test(`[SHA34] offers nothing: ${name}`, async (t) => {
    t.strictSame(offersOf(node), [])
  })
}

t.test(
  '[SHA34] fewer GPUs in allocatable than registered still count, and memory below the reserve is unknown',
  async (t) => {
    t.match(offersOf(aHamiNode({ allocatable: { 'nvidia.com/gpu': '10' } })), [{ count: 10 }])
    t.match(offersOf(aHamiNode({ memoryMiB: 1331 })), [{ usableMiB: undefined }])
  }
)

t.test('[SHA34] compute is what the GPUs give away, and never the whole GPU', async (t) => {
  for (const [corePercent, want] of [
    [100, 0.99],
    [50, 0.5],
    [0, 0],
    [200, 0.99]
  ] as const)
    t.equal(offersOf(aHamiNode({ corePercent }))[0]?.computeRatio, want)
})

const asks: readonly {
  neededMiB: number
  neededCompute: number | undefined
  want: readonly [number, number]
}[] = [
  { neededMiB: 6240, neededCompute: undefined, want: [6240, 0] },
  { neededMiB: 6240.2, neededCompute: 0.28, want: [6241, 28] },
  { neededMiB: 1, neededCompute: 0, want: [1, 1] },
  { neededMiB: 0, neededCompute: 0.001, want: [1, 1] },
  { neededMiB: 9000, neededCompute: 0.5 * 1.2, want: [9000, 60] },
  { neededMiB: 9000, neededCompute: 0.301, want: [9000, 31] },
  { neededMiB: 9000, neededCompute: 0.99, want: [9000, 99] },
  { neededMiB: 9000, neededCompute: 1.4, want: [9000, 99] }
]
for (const { neededMiB, neededCompute, want } of asks) {
  t.test(`[SHA35] asks for what is needed: ${neededMiB} MiB, compute ${neededCompute}`, async (t) => {
    t.strictSame(hami.ask(RESOURCE, { neededMiB, neededCompute }), {
      resources: {
        'nvidia.com/gpu': 1,
        'nvidia.com/gpumem': want[0],
        'nvidia.com/gpucores': want[1]
      }
    })
  })
}

t.test('says that software alone keeps pods apart, who places them, and what it touches', async (t) => {
  t.match(hami.isolates('software-limit'), /library.*step around.*faults are not separated/)
  t.equal(hami.schedulerName, 'hami-scheduler')
  t.strictSame(hami.ownPaths, [
    '/spec/schedulerName',
    '/spec/containers/*/resources/*/nvidia.com~1gpumem',
    '/spec/containers/*/resources/*/nvidia.com~1gpucores'
  ])
})

const [offer] = offersOf(aHamiNode())
if (offer === undefined) throw new Error('a node of HAMi offers nothing')
const consenting = { name: 'ml-dev', labels: { 'rightslice.dev/isolation': 'shared-ok' } }

t.test('[SHA36] is used only where methods name it and the namespace consents', async (t) => {
  const naming = anEffectivePolicy({ methods: ['mig-mixed', 'hami'] })
  const unnamed = { reason: 'HamiNotAllowed', sentence: 'methods of the policy does not name hami' }

  t.equal(hami.refusal(offer, { policy: naming, namespace: consenting }), undefined)
  for (const policy of [anEffectivePolicy(), anEffectivePolicy({ methods: ['mig-mixed'] })])
    t.strictSame(hami.refusal(offer, { policy, namespace: consenting }), unnamed)
  for (const labels of [{}, { 'rightslice.dev/isolation': 'hardware' }])
    t.strictSame(hami.refusal(offer, { policy: naming, namespace: { name: 'ml-dev', labels } }), {
      reason: 'HamiNotAllowed',
      sentence: 'namespace ml-dev lacks the label rightslice.dev/isolation=shared-ok'
    })
})
