import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { type Candidate, candidatesOf, requirementsKey } from '../../../src/core/sharing/candidates.ts'
import { indexNodes } from '../../../src/core/sharing/node-index.ts'
import { viewOf } from '../../build/input.ts'
import { aHamiNode, aMigNode, aNode, anMpsNode, aSharedNode, aWholeNode } from '../../build/node.ts'

const slice = 'nvidia.com/mig-1g.10gb'
const product = 'nvidia.com/gpu.product'

function candidates(...nodes: readonly JsonRecord[]): readonly Candidate[] {
  return candidatesOf(indexNodes(nodes.map(viewOf)).classes)
}

/** A candidate without the classes that offer it, which are long. */
function brief({ where, resource, usableMiB, count, requires }: Candidate): JsonRecord {
  return {
    resource,
    usableMiB,
    count,
    requires,
    nodes: where.flatMap(({ nodes }) => nodes.map(({ name }) => name))
  }
}

t.test('whole GPUs are no candidates', async (t) => {
  t.strictSame(candidates(aWholeNode()), [])
  t.strictSame(candidates(), [])
})

t.test('one node gives one candidate for each share, ordered by resource', async (t) => {
  const node = aMigNode({
    profiles: { '2g.20gb': { count: 1, memoryMiB: 19_968 }, '1g.10gb': { count: 5, memoryMiB: 9728 } }
  })

  t.strictSame(candidates(node).map(brief), [
    { resource: slice, usableMiB: 9728, count: 5, requires: {}, nodes: ['node-1'] },
    { resource: 'nvidia.com/mig-2g.20gb', usableMiB: 19_968, count: 1, requires: {}, nodes: ['node-1'] }
  ])
})

t.test(
  'a candidate has the lowest memory and compute of its nodes and the sum of their counts',
  async (t) => {
    const large = aMigNode({
      name: 'large',
      profiles: { '1g.10gb': { count: 7, memoryMiB: 9984, multiprocessors: 16 } }
    })
    const small = aMigNode({
      name: 'small',
      profiles: { '1g.10gb': { count: 2, memoryMiB: 9728, multiprocessors: 18 } }
    })

    for (const nodes of [
      [large, small],
      [small, large]
    ]) {
      const [candidate, ...others] = candidates(...nodes)
      t.strictSame(others, [])
      t.match(candidate, { usableMiB: 9728, computeRatio: 16 / 132, count: 9, replicas: 1 })
      t.equal(candidate?.where.length, 2)
    }
  }
)

t.test('the count is that of all nodes of a class', async (t) => {
  const nodes = Array.from({ length: 20 }, (_, index) => aMigNode({ name: `node-${index}` }))

  const [candidate] = candidates(...nodes)

  t.equal(candidate?.count, 140)
  t.equal(candidate?.where.length, 1)
})

t.test('memory is unknown where that of one node is', async (t) => {
  const unknown = aMigNode({ name: 'unknown', product: 'X', profiles: { '1g.10gb': { count: 1 } } })

  t.equal(candidates(aMigNode(), unknown)[0]?.usableMiB, undefined)
  t.equal(candidates(unknown, aMigNode())[0]?.usableMiB, undefined)
})

t.test('the most replicas of all nodes are told', async (t) => {
  const [first] = candidates(
    aSharedNode({ name: 'a', replicas: 2 }),
    aSharedNode({ name: 'b', replicas: 8 }),
    aSharedNode({ name: 'c', replicas: 4 })
  )

  t.match(first, { replicas: 8, usableMiB: Math.floor(23_034 / 8), count: 28 })
})

const shared = aSharedNode({ name: 'kept', product: 'Tesla-T4', memoryMiB: 15_360, renamed: false })

t.test('a share by node choice is another candidate than one by name', async (t) => {
  t.strictSame(candidates(aSharedNode({ name: 'renamed' }), shared).map(brief), [
    {
      resource: 'nvidia.com/gpu',
      usableMiB: 3840,
      count: 8,
      requires: { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' },
      nodes: ['kept']
    },
    { resource: 'nvidia.com/gpu.shared', usableMiB: 5758, count: 8, requires: {}, nodes: ['renamed'] }
  ])
})

const replicated = aMigNode({
  name: 'replicated',
  labels: { [`${slice}.replicas`]: '4', [`${slice}.sharing-strategy`]: 'time-slicing' },
  allocatable: { [slice]: '28' }
})

t.test('where a name means a slice here and a replica there, each is asked for by its node', async (t) => {
  t.strictSame(candidates(aMigNode({ name: 'apart' }), replicated).map(brief), [
    {
      resource: slice,
      usableMiB: 9728,
      count: 7,
      requires: { [`${slice}.sharing-strategy`]: 'none' },
      nodes: ['apart']
    },
    {
      resource: slice,
      usableMiB: 2432,
      count: 28,
      requires: { [`${slice}.sharing-strategy`]: 'time-slicing' },
      nodes: ['replicated']
    }
  ])
})

t.test('a name that no label tells apart from something else is no candidate', async (t) => {
  const memory = `${slice}.memory`
  const leftOver = aNode({ name: 'left-over', labels: { [memory]: '9728' }, allocatable: { [slice]: '7' } })
  const unlike = aNode({ name: 'unlike', labels: {}, allocatable: { [slice]: '7' } })
  const bare = aNode({
    name: 'bare',
    labels: { [memory]: '9728', [`${slice}.count`]: '7' },
    allocatable: { [slice]: '7' }
  })
  const stuck = aNode({
    name: 'stuck',
    labels: { [memory]: '9728', [`${slice}.count`]: '2' },
    allocatable: { [slice]: '7' }
  })

  t.strictSame(candidates(bare, stuck), [])
  t.strictSame(
    candidates(bare, unlike).map(({ requires }) => requires),
    [{ [memory]: '9728' }]
  )
  t.equal(candidates(bare, leftOver).length, 1, 'labels and allocatable agree on both')
})

t.test('a layout in the making is kept away from by its state', async (t) => {
  const settled = aMigNode({ name: 'settled', labels: { 'nvidia.com/mig.config.state': 'success' } })
  const pending = aMigNode({ name: 'pending', labels: { 'nvidia.com/mig.config.state': 'pending' } })

  t.strictSame(
    candidates(settled, pending).map(({ requires }) => requires),
    [{ 'nvidia.com/mig.config.state': 'success' }]
  )
})

t.test('replicas by time-slicing are told apart from those of another strategy under one name', async (t) => {
  const mps = aSharedNode({ name: 'mps', labels: { 'nvidia.com/gpu.sharing-strategy': 'mps' } })

  t.strictSame(
    candidates(aSharedNode({ name: 'sliced' }), mps).map(({ requires }) => requires),
    [{ 'nvidia.com/gpu.sharing-strategy': 'mps' }, { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' }]
  )
})

t.test(
  '[SHA37] what is cut to measure has the memory of the largest GPU and the least compute',
  async (t) => {
    const nodes = [
      aHamiNode({ name: 'a', memoryMiB: 23_034, corePercent: 50 }),
      aHamiNode({ name: 'b', product: 'NVIDIA-A100-SXM4-80GB', memoryMiB: 81_920 })
    ]

    for (const order of [nodes, nodes.toReversed()]) {
      const [candidate, ...others] = candidates(...order)

      t.match(candidate, { resource: 'nvidia.com/gpumem', usableMiB: 80_589, computeRatio: 0.5, count: 40 })
      t.strictSame(others, [])
    }
  }
)

t.test('[SHA37] a GPU of unknown memory does not hide the size of the others', async (t) => {
  const unknown = aHamiNode({ name: 'a', memoryMiB: 1000 })
  const known = aHamiNode({ name: 'b' })

  for (const order of [
    [unknown, known],
    [known, unknown]
  ])
    t.equal(candidates(...order)[0]?.usableMiB, 21_703)
  t.equal(candidates(unknown)[0]?.usableMiB, undefined)
})

t.test('a slice that is shared in a way that nobody knows is kept away from as well', async (t) => {
  const odd = aMigNode({
    name: 'odd',
    labels: { [`${slice}.replicas`]: '4' },
    allocatable: { [slice]: '28' }
  })

  t.strictSame(
    candidates(aMigNode(), odd).map(({ requires }) => requires),
    [{ [`${slice}.replicas`]: '1' }]
  )
  t.equal(candidates(aMigNode(), aMigNode({ name: 'full', allocatable: { [slice]: '0' } })).length, 1)
})

t.test('other profiles of the nodes stay clear', async (t) => {
  const both = aMigNode({
    name: 'both',
    profiles: { '1g.10gb': { count: 1, memoryMiB: 9728 }, '2g.20gb': { count: 1, memoryMiB: 19_968 } }
  })

  t.strictSame(
    candidates(both, replicated).map(({ resource, method }) => [resource, method]),
    [
      [slice, 'mig-mixed'],
      [slice, 'time-slicing'],
      ['nvidia.com/mig-2g.20gb', 'mig-mixed']
    ]
  )
})

t.test('replicas of several models are a candidate each, asked for by the product', async (t) => {
  const nodes = [
    aSharedNode({ name: 'l4-1' }),
    aSharedNode({ name: 'l4-2' }),
    aSharedNode({ name: 'l40s', product: 'NVIDIA-L40S', memoryMiB: 46_068 })
  ]

  t.strictSame(candidates(...nodes).map(brief), [
    {
      resource: 'nvidia.com/gpu.shared',
      usableMiB: 5758,
      count: 24,
      requires: {},
      nodes: ['l4-1', 'l4-2', 'l40s']
    },
    {
      resource: 'nvidia.com/gpu.shared',
      usableMiB: 5758,
      count: 16,
      requires: { [product]: 'NVIDIA-L4' },
      nodes: ['l4-1', 'l4-2']
    },
    {
      resource: 'nvidia.com/gpu.shared',
      usableMiB: 11_517,
      count: 8,
      requires: { [product]: 'NVIDIA-L40S' },
      nodes: ['l40s']
    }
  ])
})

t.test('replicas of several models are so too where other replicas have their name', async (t) => {
  const found = candidates(
    aSharedNode({ name: 'l4', product: 'NVIDIA-L4' }),
    aSharedNode({ name: 'l40s', product: 'NVIDIA-L40S', memoryMiB: 46_068 }),
    anMpsNode({ name: 'mps', product: 'NVIDIA-L40S', memoryMiB: 46_068 })
  )

  const strategy = 'nvidia.com/gpu.sharing-strategy'
  t.strictSame(
    found.map(({ method, usableMiB, requires }) => [method, usableMiB, requirementsKey(requires)]),
    [
      ['mps', 11_034, `${strategy}=mps`],
      ['time-slicing', 5758, `${strategy}=time-slicing`],
      ['time-slicing', 5758, `${product}=NVIDIA-L4`],
      ['time-slicing', 11_517, `${product}=NVIDIA-L40S,${strategy}=time-slicing`]
    ]
  )
})

t.test('replicas by node choice are asked for by strategy and product', async (t) => {
  const large = aSharedNode({ name: 'large', product: 'NVIDIA-L40S', memoryMiB: 46_068, renamed: false })

  t.strictSame(
    candidates(shared, large).map(({ usableMiB, requires }) => [usableMiB, requirementsKey(requires)]),
    [
      [3840, 'nvidia.com/gpu.sharing-strategy=time-slicing'],
      [11_517, `${product}=NVIDIA-L40S-SHARED,nvidia.com/gpu.sharing-strategy=time-slicing`],
      [3840, `${product}=Tesla-T4-SHARED,nvidia.com/gpu.sharing-strategy=time-slicing`]
    ]
  )
})

t.test('nodes without a product are in no candidate by product', async (t) => {
  const { metadata, ...rest } = aSharedNode({ name: 'nameless', memoryMiB: 46_068 })
  const labels = Object.fromEntries(
    Object.entries(viewOf({ metadata, ...rest }).labels).filter(([key]) => key !== product)
  )

  const found = candidates({ ...rest, metadata: { name: 'nameless', labels } }, aSharedNode({ name: 'l4' }))

  t.strictSame(found.map(brief), [
    { resource: 'nvidia.com/gpu.shared', usableMiB: 5758, count: 16, requires: {}, nodes: ['l4', 'nameless'] }
  ])
})

t.test('slices of several models are not told apart', async (t) => {
  const found = candidates(aMigNode({ name: 'a' }), aMigNode({ name: 'b', product: 'NVIDIA-A100-SXM4-80GB' }))

  t.equal(found.length, 1)
})

t.test('requirements are written in order of their keys', async (t) => {
  t.equal(requirementsKey({}), '')
  t.equal(requirementsKey({ b: '2', a: '1' }), 'a=1,b=2')
})
