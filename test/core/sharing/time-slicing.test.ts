import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { timeSlicing } from '../../../src/core/sharing/time-slicing.ts'
import { viewOf } from '../../build/input.ts'
import { aMigNode, aNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

const strategy = 'nvidia.com/gpu.sharing-strategy'
const slice = 'nvidia.com/mig-1g.10gb'

function offersOf(node: JsonRecord): ReturnType<typeof timeSlicing.offers> {
  return timeSlicing.offers(viewOf(node))
}

t.test('offers renamed replicas by their name', async (t) => {
  t.strictSame(offersOf(aSharedNode({ gpus: 2, replicas: 4, memoryMiB: 23_034 })), [
    {
      method: 'time-slicing',
      resource: 'nvidia.com/gpu.shared',
      share: 'shared',
      profile: undefined,
      usableMiB: 5758,
      computeRatio: 0.25,
      computeBasis: 'replicas',
      count: 8,
      replicas: 4,
      separation: 'none',
      requires: {}
    }
  ])
})

t.test('offers replicas that keep the name by the choice of the node', async (t) => {
  const [offer, ...others] = offersOf(aSharedNode({ renamed: false, replicas: 8, memoryMiB: 15_360 }))

  t.strictSame(others, [])
  t.match(offer, {
    resource: 'nvidia.com/gpu',
    share: 'shared',
    usableMiB: 1920,
    computeRatio: 0.125,
    count: 16,
    replicas: 8,
    requires: { [strategy]: 'time-slicing' }
  })
})

const cases: readonly { name: string; node: JsonRecord; want: Readonly<Record<string, number>> }[] = [
  { name: 'whole GPUs', node: aWholeNode(), want: {} },
  { name: 'slices', node: aMigNode(), want: {} },
  { name: 'nothing', node: aNode(), want: {} },
  {
    name: 'replicas of which none is left',
    node: aSharedNode({ allocatable: { 'nvidia.com/gpu.shared': '0' } }),
    want: {}
  },
  { name: 'one replica', node: aSharedNode({ replicas: 1 }), want: {} },
  { name: 'MPS', node: aSharedNode({ labels: { [strategy]: 'mps' } }), want: {} },
  { name: 'a strategy without a value', node: aSharedNode({ labels: { [strategy]: '' } }), want: {} },
  {
    name: 'replicas that are no number',
    node: aSharedNode({ labels: { 'nvidia.com/gpu.replicas': 'x' } }),
    want: {}
  },
  {
    name: 'a layout that is not settled',
    node: aSharedNode({ labels: { 'nvidia.com/mig.config.state': 'pending' } }),
    want: {}
  },
  {
    name: 'a layout that is settled',
    node: aSharedNode({ labels: { 'nvidia.com/mig.config.state': 'success' } }),
    want: { 'nvidia.com/gpu.shared': 8 }
  },
  {
    name: 'an invalid layout',
    node: aSharedNode({ product: 'NVIDIA-A100-SXM4-80GB-MIG-INVALID' }),
    want: {}
  },
  {
    name: 'the plain name beside renamed replicas',
    node: aSharedNode({ allocatable: { 'nvidia.com/gpu': '2' } }),
    want: { 'nvidia.com/gpu.shared': 8 }
  },
  {
    name: 'renamed replicas left over where the label says that they keep the name',
    node: aSharedNode({ renamed: false, allocatable: { 'nvidia.com/gpu.shared': '8' } }),
    want: { 'nvidia.com/gpu': 8 }
  },
  {
    name: 'more than the devices and replicas of the labels give',
    node: aSharedNode({ gpus: 2, replicas: 4, allocatable: { 'nvidia.com/gpu.shared': '16' } }),
    want: {}
  },
  {
    name: 'fewer than the labels give',
    node: aSharedNode({ gpus: 2, replicas: 4, allocatable: { 'nvidia.com/gpu.shared': '4' } }),
    want: { 'nvidia.com/gpu.shared': 4 }
  },
  {
    name: 'replicas of the slices of a single-strategy node',
    node: aSharedNode({
      product: 'NVIDIA-H100-80GB-HBM3-MIG-1g.20gb',
      gpus: 32,
      memoryMiB: 20_096,
      labels: { 'nvidia.com/mig.strategy': 'single', 'nvidia.com/mig.capable': 'true' }
    }),
    want: { 'nvidia.com/gpu.shared': 128 }
  },
  {
    name: 'replicas that keep the name on a node that does not say its product',
    node: aNode({
      labels: {
        'nvidia.com/gpu.memory': '15360',
        'nvidia.com/gpu.replicas': '2',
        [strategy]: 'time-slicing'
      },
      allocatable: { 'nvidia.com/gpu': '2' }
    }),
    want: { 'nvidia.com/gpu': 2 }
  },
  {
    name: 'a replicated slice without a strategy label that keeps its name',
    node: aNode({ labels: { [`${slice}.replicas`]: '2' }, allocatable: { [slice]: '14' } }),
    want: {}
  },
  {
    name: 'resources that are no GPUs of ours',
    node: aSharedNode({ allocatable: { 'nvidia.com/gpumem': '100' } }),
    want: { 'nvidia.com/gpu.shared': 8 }
  }
]
for (const { name, node, want } of cases) {
  t.test(`offers: ${name}`, async (t) => {
    t.strictSame(Object.fromEntries(offersOf(node).map(({ resource, count }) => [resource, count])), want)
  })
}

t.test('memory of a replica is unknown where that of the device is', async (t) => {
  for (const memory of ['0', '', 'x']) {
    const [offer] = offersOf(aSharedNode({ labels: { 'nvidia.com/gpu.memory': memory } }))
    t.ok(offer)
    t.equal(offer?.usableMiB, undefined)
  }
})

const single = { 'nvidia.com/mig.strategy': 'single' }
const h100Slice = 'NVIDIA-H100-80GB-HBM3-MIG-1g.20gb'
const computes: readonly {
  name: string
  product: string
  labels: Record<string, string>
  want: number | undefined
}[] = [
  { name: 'a whole GPU of any model', product: 'Tesla-T4', labels: {}, want: 1 / 4 },
  {
    name: 'a slice, by its SM label',
    product: h100Slice,
    labels: { ...single, 'nvidia.com/gpu.multiprocessors': '26' },
    want: 26 / 132 / 4
  },
  { name: 'a slice, by the catalogue', product: h100Slice, labels: single, want: 16 / 132 / 4 },
  { name: 'a slice of a model that nobody knows', product: 'X-MIG-2g.20gb', labels: single, want: 2 / 7 / 4 },
  { name: 'uncut GPUs under the single strategy', product: 'NVIDIA-L4', labels: single, want: 1 / 4 }
]
for (const { name, product, labels, want } of computes) {
  t.test(`compute of a replica is its part of ${name}`, async (t) => {
    t.equal(offersOf(aSharedNode({ product, replicas: 4, labels }))[0]?.computeRatio, want)
  })
}

t.test('compute of a replica is unknown where a single-strategy node does not say its product', async (t) => {
  const labels = {
    'nvidia.com/gpu.memory': '20096',
    'nvidia.com/gpu.replicas': '4',
    [strategy]: 'time-slicing',
    ...single
  }

  const [offer] = offersOf(aNode({ labels, allocatable: { 'nvidia.com/gpu.shared': '128' } }))

  t.match(offer, { usableMiB: 5024, computeRatio: undefined })
})

t.test('offers replicas of one MIG profile by their name', async (t) => {
  const node = aMigNode({
    profiles: { '1g.10gb': { count: 7, memoryMiB: 9728, multiprocessors: 16 } },
    labels: { [`${slice}.replicas`]: '4', [`${slice}.sharing-strategy`]: 'time-slicing' },
    allocatable: { [slice]: '0', [`${slice}.shared`]: '28' }
  })

  t.strictSame(offersOf(node), [
    {
      method: 'time-slicing',
      resource: `${slice}.shared`,
      share: 'shared',
      profile: '1g.10gb',
      usableMiB: 2432,
      computeRatio: 16 / 132 / 4,
      computeBasis: 'replicas',
      count: 28,
      replicas: 4,
      separation: 'none',
      requires: {}
    }
  ])
})

t.test('offers replicas of one MIG profile that keep its name by the choice of the node', async (t) => {
  const node = aMigNode({
    labels: { [`${slice}.replicas`]: '2', [`${slice}.sharing-strategy`]: 'time-slicing' },
    allocatable: { [slice]: '14' }
  })

  t.match(offersOf(node), [
    {
      resource: slice,
      usableMiB: 4864,
      count: 14,
      requires: { [`${slice}.sharing-strategy`]: 'time-slicing' }
    }
  ])
})

const replicated: readonly {
  name: string
  labels: Record<string, string>
  renamed: boolean
  want: number
}[] = [
  {
    name: 'kept name without a strategy',
    labels: { [`${slice}.sharing-strategy`]: '' },
    renamed: false,
    want: 0
  },
  { name: 'kept name under MPS', labels: { [`${slice}.sharing-strategy`]: 'mps' }, renamed: false, want: 0 },
  { name: 'new name under MPS', labels: { [`${slice}.sharing-strategy`]: 'mps' }, renamed: true, want: 0 },
  { name: 'one replica', labels: { [`${slice}.replicas`]: '1' }, renamed: true, want: 0 },
  { name: 'a count label that gives fewer', labels: { [`${slice}.count`]: '1' }, renamed: true, want: 0 },
  { name: 'labels and allocatable agree', labels: {}, renamed: true, want: 1 }
]
for (const { name, labels, renamed, want } of replicated) {
  t.test(`replicas of a slice: ${name}`, async (t) => {
    const node = aMigNode({
      labels: { [`${slice}.replicas`]: '2', [`${slice}.sharing-strategy`]: 'time-slicing', ...labels },
      allocatable: renamed ? { [slice]: '0', [`${slice}.shared`]: '14' } : { [slice]: '14' }
    })

    t.equal(offersOf(node).length, want)
  })
}

t.test('renamed replicas of a slice need no strategy label', async (t) => {
  const node = aNode({
    labels: { [`${slice}.replicas`]: '2', [`${slice}.memory`]: '9728' },
    allocatable: { [`${slice}.shared`]: '14' }
  })

  t.match(offersOf(node), [{ usableMiB: 4864 }])
})

t.test('keeps nothing apart, and changes nothing besides', async (t) => {
  t.equal(timeSlicing.name, 'time-slicing')
  t.match(timeSlicing.isolates('none'), 'no memory limit')
  t.strictSame(timeSlicing.ownPaths, [])
})

const [offer] = offersOf(aSharedNode({ replicas: 4 }))
if (offer === undefined) throw new Error('a shared node offers nothing')
const consenting = { name: 'ml-dev', labels: { 'rightslice.dev/isolation': 'shared-ok' } }
const listed = anEffectivePolicy({ timeSlicing: { namespaces: ['ml-dev'], maxReplicas: 4 } })

t.test('replicas may be used where the policy lists the namespace and the namespace consents', async (t) => {
  t.equal(timeSlicing.refusal(offer, { policy: listed, namespace: consenting }), undefined)
})

t.test('replicas are refused to a namespace that the policy does not list', async (t) => {
  const want = {
    reason: 'TimeSlicingNotListed',
    sentence: 'namespace other is not in timeSlicing.namespaces'
  }

  for (const policy of [listed, anEffectivePolicy()]) {
    t.strictSame(timeSlicing.refusal(offer, { policy, namespace: { ...consenting, name: 'other' } }), want)
  }
})

t.test('replicas are refused to a namespace that does not consent', async (t) => {
  for (const labels of [
    {},
    { 'rightslice.dev/isolation': 'hardware' },
    { 'rightslice.dev/isolation': 'yes' }
  ]) {
    t.match(timeSlicing.refusal(offer, { policy: listed, namespace: { name: 'ml-dev', labels } }), {
      reason: 'TimeSlicingNotListed',
      sentence: /rightslice\.dev\/isolation=shared-ok/
    })
  }
})

t.test('more replicas than the policy allows are refused', async (t) => {
  t.strictSame(timeSlicing.refusal({ ...offer, replicas: 5 }, { policy: listed, namespace: consenting }), {
    reason: 'TooManyReplicas',
    sentence: '5 replicas share one device, the policy allows 4'
  })
})
