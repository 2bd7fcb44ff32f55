import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { migMixed } from '../../../src/core/sharing/mig-mixed.ts'
import { viewOf } from '../../build/input.ts'
import { aMigNode, aNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

function countsOf(node: JsonRecord): JsonRecord {
  return Object.fromEntries(migMixed.offers(viewOf(node)).map(({ resource, count }) => [resource, count]))
}

const slice = 'nvidia.com/mig-1g.10gb'

t.test('offers every profile in allocatable, as its labels say it', async (t) => {
  const node = aMigNode({
    profiles: {
      '1g.10gb': { count: 2, memoryMiB: 9984, multiprocessors: 16 },
      '1g.10gb.me': { count: 1, memoryMiB: 9984, multiprocessors: 16 }
    }
  })

  t.strictSame(migMixed.offers(viewOf(node)), [
    {
      method: 'mig-mixed',
      resource: slice,
      share: 'mig-1g.10gb',
      profile: '1g.10gb',
      usableMiB: 9984,
      computeRatio: 16 / 132,
      computeBasis: 'sm-label',
      count: 2,
      replicas: 1,
      separation: 'hardware',
      requires: {}
    },
    {
      method: 'mig-mixed',
      resource: `${slice}.me`,
      share: 'mig-1g.10gb.me',
      profile: '1g.10gb+me',
      usableMiB: 9984,
      computeRatio: 16 / 132,
      computeBasis: 'sm-label',
      count: 1,
      replicas: 1,
      separation: 'hardware',
      requires: {}
    }
  ])
})

const cases: readonly { name: string; node: JsonRecord; want: JsonRecord }[] = [
  { name: 'a node of whole GPUs', node: aWholeNode(), want: {} },
  { name: 'a node of time-sliced GPUs', node: aSharedNode(), want: {} },
  {
    name: 'a slice of which none is allocatable',
    node: aMigNode({ allocatable: { [slice]: '0' } }),
    want: {}
  },
  {
    name: 'a slice that is left over from an earlier layout has no labels',
    node: aMigNode({ allocatable: { 'nvidia.com/mig-7g.80gb': '1' } }),
    want: { [slice]: 7 }
  },
  {
    name: 'labels of the media profile say nothing of the plain one',
    node: aMigNode({ profiles: { '1g.10gb.me': { count: 1 } }, allocatable: { [slice]: '7' } }),
    want: { 'nvidia.com/mig-1g.10gb.me': 1 }
  },
  {
    name: 'more is allocatable than the count label says',
    node: aMigNode({ labels: { [`${slice}.count`]: '2' } }),
    want: {}
  },
  {
    name: 'fewer are allocatable than the count label says, as when one is unhealthy',
    node: aMigNode({ allocatable: { [slice]: '6' } }),
    want: { [slice]: 6 }
  },
  { name: 'a count label of zero', node: aMigNode({ labels: { [`${slice}.count`]: '0' } }), want: {} },
  {
    name: 'a count label that is no number does not count',
    node: aMigNode({ labels: { [`${slice}.count`]: 'seven' } }),
    want: { [slice]: 7 }
  },
  {
    name: 'the memory label alone is enough',
    node: aNode({ labels: { [`${slice}.memory`]: '9728' }, allocatable: { [slice]: '7' } }),
    want: { [slice]: 7 }
  },
  {
    name: 'a replicated slice is shared and no isolated slice',
    node: aMigNode({ labels: { [`${slice}.replicas`]: '4' } }),
    want: {}
  },
  {
    name: 'a replicated and renamed slice',
    node: aMigNode({
      labels: { [`${slice}.replicas`]: '4' },
      allocatable: { [slice]: '0', [`${slice}.shared`]: '28' }
    }),
    want: {}
  },
  { name: 'strategy single', node: aMigNode({ labels: { 'nvidia.com/mig.strategy': 'single' } }), want: {} },
  { name: 'strategy none', node: aMigNode({ labels: { 'nvidia.com/mig.strategy': 'none' } }), want: {} },
  {
    name: 'an invalid layout, whatever MIG manager says',
    node: aMigNode({ labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3-MIG-INVALID' } }),
    want: {}
  },
  {
    name: 'a resource that names no profile',
    node: aMigNode({ allocatable: { 'nvidia.com/mig-all': '1', 'nvidia.com/mig-1g': '1' } }),
    want: { [slice]: 7 }
  }
]
for (const { name, node, want } of cases) {
  t.test(`offers: ${name}`, async (t) => t.strictSame(countsOf(node), want))
}

for (const state of ['pending', 'failed', 'rebooting', '', 'Success']) {
  t.test(`offers nothing while the layout's state is "${state}"`, async (t) => {
    t.strictSame(countsOf(aMigNode({ labels: { 'nvidia.com/mig.config.state': state } })), {})
  })
}

t.test('offers nothing where a layout is wished for and no state is said', async (t) => {
  const node = aNode({
    labels: { 'nvidia.com/mig.config': 'all-1g.10gb', [`${slice}.memory`]: '9728' },
    allocatable: { [slice]: '7' }
  })

  t.strictSame(countsOf(node), {})
})

t.test('keeps memory, compute and faults apart, and changes nothing besides', async (t) => {
  t.equal(migMixed.name, 'mig-mixed')
  t.match(migMixed.isolates('hardware'), 'hardware')
  t.strictSame(migMixed.ownPaths, [])
})

const [offer] = migMixed.offers(viewOf(aMigNode()))
if (offer === undefined) throw new Error('a MIG node offers nothing')
const namespace = { name: 'team-a', labels: {} }

t.test('every profile may be used unless the policy lists some', async (t) => {
  for (const mig of [{}, { allowedProfiles: ['2g.20gb', '1g.10gb'] }]) {
    t.equal(migMixed.refusal(offer, { policy: anEffectivePolicy({ mig }), namespace }), undefined)
  }
})

t.test('a profile that the policy does not list is refused, with the list', async (t) => {
  const policy = anEffectivePolicy({ mig: { allowedProfiles: ['1g.10gb+me', '2g.20gb'] } })

  t.strictSame(migMixed.refusal(offer, { policy, namespace }), {
    reason: 'ProfileNotAllowed',
    sentence: 'mig-1g.10gb is not among the allowed profiles (1g.10gb+me, 2g.20gb)'
  })
})

t.test('an empty list allows no profile', async (t) => {
  const policy = anEffectivePolicy({ mig: { allowedProfiles: [] } })

  t.match(migMixed.refusal(offer, { policy, namespace }), {
    reason: 'ProfileNotAllowed',
    sentence: 'mig-1g.10gb is not among the allowed profiles (none)'
  })
})

t.test('an offer without a profile is on no list', async (t) => {
  const policy = anEffectivePolicy({ mig: { allowedProfiles: ['1g.10gb'] } })

  t.match(migMixed.refusal({ ...offer, profile: undefined }, { policy, namespace }), {
    reason: 'ProfileNotAllowed'
  })
})
