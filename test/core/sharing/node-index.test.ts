import fc from 'fast-check'
import t from 'tap'
import type { NodeView } from '../../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { candidatesOf } from '../../../src/core/sharing/candidates.ts'
import type { SharingMethod } from '../../../src/core/sharing/method.ts'
import { migMixed } from '../../../src/core/sharing/mig-mixed.ts'
import {
  indexNodes,
  type NodeClass,
  reachableClasses,
  selectedClasses
} from '../../../src/core/sharing/node-index.ts'
import { viewOf } from '../../build/input.ts'
import { aMigNode, aNode, aSharedNode, aWholeNode, type NodeSpec } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'

function index(...nodes: readonly JsonRecord[]): ReturnType<typeof indexNodes> {
  return indexNodes(nodes.map(viewOf))
}

function namesOf(classes: readonly NodeClass[]): readonly (readonly string[])[] {
  return classes.map(({ nodes }) => nodes.map(({ name }) => name))
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, position) => make(position))
}

/** Nodes with host names that no others share, and enough of them that the host name is an individual label. */
function pool(prefix: string, make: (spec: { name: string }) => JsonRecord): readonly JsonRecord[] {
  return times(20, (position) => make({ name: `${prefix}-${String(position).padStart(2, '0')}` }))
}

const migPool = pool('mig', aMigNode)
const sharedPool = pool('shared', aSharedNode)

t.test('an empty cluster has no classes', async (t) => {
  t.strictSame(index(), { classes: [], individualKeys: new Set(), nodeCount: 0 })
})

t.test('nodes that are not usable are counted and left out', async (t) => {
  const { classes, nodeCount } = index(
    aMigNode({ name: 'a' }),
    aMigNode({ name: 'b', ready: false }),
    aMigNode({ name: 'c', unschedulable: true })
  )

  t.strictSame(namesOf(classes), [['a']])
  t.equal(nodeCount, 3)
})

t.test('nodes that only their host names tell apart are one class, ordered by name', async (t) => {
  const { classes, individualKeys } = index(...[...migPool].reverse(), ...sharedPool)

  t.strictSame([...individualKeys], ['kubernetes.io/hostname'])
  t.equal(classes.length, 2)
  t.strictSame(namesOf(classes)[0]?.slice(0, 3), ['mig-00', 'mig-01', 'mig-02'])
  t.strictSame(
    classes.map(({ offers }) => offers.map(({ resource, count }) => [resource, count])),
    [[['nvidia.com/mig-1g.10gb', 7]], [['nvidia.com/gpu.shared', 8]]]
  )
})

/** One GPU for one container, which is no share. */
const registered = JSON.stringify([
  {
    id: 'GPU-0',
    count: 1,
    devmem: 81_559,
    devcore: 100,
    type: 'NVIDIA-H100',
    mode: 'hami-core',
    health: true
  }
])

const differences: readonly { name: string; other: JsonRecord }[] = [
  { name: 'a shared label', other: aMigNode({ name: 'other', labels: { zone: 'b' } }) },
  { name: 'a taint', other: aMigNode({ name: 'other', taints: [{ key: 'k', effect: 'NoSchedule' }] }) },
  {
    name: 'what is allocatable',
    other: aMigNode({ name: 'other', profiles: { '1g.10gb': { count: 6, memoryMiB: 9728 } } })
  },
  {
    name: 'what HAMi has registered',
    other: aMigNode({ name: 'other', annotations: { 'hami.io/node-nvidia-register': registered } })
  }
]
for (const { name, other } of differences) {
  t.test(`nodes of one class do not differ in ${name}`, async (t) => {
    const { classes } = index(...migPool, other)

    t.strictSame(
      namesOf(classes).map((names) => names.length),
      [20, 1]
    )
  })
}

t.test('a label with sixteen values is shared, one with seventeen is individual', async (t) => {
  const racks = (count: number): readonly JsonRecord[] =>
    times(count, (position) => aNode({ name: 'same', labels: { rack: `r${position}` } }))

  t.strictSame([...index(...racks(16)).individualKeys], [])
  t.strictSame([...index(...racks(17)).individualKeys], ['rack'])
})

t.test('nodes of one class never differ in what they offer, however many sizes there are', async (t) => {
  const nodes = times(30, (position) =>
    aMigNode({
      name: `node-${position}`,
      profiles: { '1g.10gb': { count: 7, memoryMiB: 9728 + position } }
    })
  )

  const { classes } = index(...nodes)

  t.equal(classes.length, 30)
  t.strictSame(candidatesOf(classes)[0]?.usableMiB, 9728)
})

t.test('products tell classes apart, however many there are', async (t) => {
  const nodes = times(20, (position) =>
    aSharedNode({ name: `node-${position}`, product: `Model-${position}` })
  )

  const { classes, individualKeys } = index(...nodes)

  t.equal(classes.length, 20)
  t.equal(individualKeys.has('nvidia.com/gpu.product'), false)
})

t.test('5,000 nodes with labels of their own are a few classes', async (t) => {
  const nodes = times(5000, (position) => {
    const name = `node-${position}`
    const labels = {
      'topology.kubernetes.io/zone': `zone-${position % 3}`,
      'example.com/serial': `${position}`,
      'nvidia.com/gfd.timestamp': `${1_767_225_600 + position}`
    }
    return viewOf(position % 2 === 0 ? aMigNode({ name, labels }) : aSharedNode({ name, labels }))
  })

  const { classes, individualKeys, nodeCount } = indexNodes(nodes)

  t.equal(classes.length, 6)
  t.equal(nodeCount, 5000)
  t.strictSame([...individualKeys].sort(), [
    'example.com/serial',
    'kubernetes.io/hostname',
    'nvidia.com/gfd.timestamp'
  ])
})

t.test('offers come from the methods that are given', async (t) => {
  t.strictSame(indexNodes([viewOf(aMigNode())], []).classes[0]?.offers, [])
})

const everything = index(...migPool, ...sharedPool, aWholeNode({ name: 'whole', labels: { pool: 'big' } }))

const reaches: readonly { name: string; pod: PodSpec; want: readonly number[] }[] = [
  { name: 'a plain pod reaches all', pod: {}, want: [20, 20, 1] },
  { name: 'by a shared label', pod: { nodeSelector: { pool: 'big' } }, want: [1] },
  {
    name: 'by an individual label',
    pod: { nodeSelector: { 'kubernetes.io/hostname': 'mig-07' } },
    want: [1]
  },
  {
    name: 'by an individual label that no node has',
    pod: { nodeSelector: { 'kubernetes.io/hostname': 'x' } },
    want: []
  },
  {
    name: 'by affinity to individual labels',
    pod: {
      nodeTerms: [
        {
          matchExpressions: [
            { key: 'kubernetes.io/hostname', operator: 'In', values: ['mig-01', 'mig-02', 'shared-03'] }
          ]
        }
      ]
    },
    want: [2, 1]
  },
  {
    name: 'by affinity to the names of nodes',
    pod: { nodeTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['mig-01'] }] }] },
    want: [19, 20, 1]
  },
  {
    name: 'by affinity to shared labels',
    pod: { nodeTerms: [{ matchExpressions: [{ key: 'pool', operator: 'DoesNotExist' }] }] },
    want: [20, 20]
  }
]
for (const { name, pod, want } of reaches) {
  t.test(`a pod reaches nodes: ${name}`, async (t) => {
    const classes = reachableClasses(everything, readPod(aPod(pod), 'team-a'))

    t.strictSame(
      namesOf(classes).map((names) => names.length),
      want
    )
    t.ok(classes.every(({ offers }) => offers !== undefined))
  })
}

t.test('a class keeps its offers when it is narrowed to some of its nodes', async (t) => {
  const [narrowed] = reachableClasses(
    everything,
    readPod(aPod({ nodeSelector: { 'kubernetes.io/hostname': 'mig-07' } }), 'team-a')
  )

  t.strictSame(namesOf(narrowed === undefined ? [] : [narrowed]), [['mig-07']])
  t.equal(narrowed?.offers, everything.classes[0]?.offers)
})

t.test('a taint that is not tolerated keeps a pod from a whole class', async (t) => {
  const tainted = index(
    ...migPool,
    ...pool('tainted', (spec) => aMigNode({ ...spec, taints: [{ key: 'k', effect: 'NoExecute' }] }))
  )
  const pod = (tolerations: readonly JsonRecord[]): number =>
    reachableClasses(tainted, readPod(aPod({ tolerations }), 'n')).flatMap(({ nodes }) => nodes).length

  t.equal(pod([]), 20)
  t.equal(pod([{ key: 'k', operator: 'Exists' }]), 40)
})

t.test(
  '[SHA20] a taint of the share itself, or one that the policy names, leaves what tolerates it',
  async (t) => {
    const taint = { key: 'k', value: 'v', effect: 'NoSchedule' }
    const nodes = [aMigNode({ taints: [taint] }), aWholeNode({ name: 'whole', taints: [taint] })].map(viewOf)
    const tolerant = {
      ...migMixed,
      offers: (node: NodeView) => migMixed.offers(node).map((offer) => ({ ...offer, tolerates: [taint] }))
    }
    const pod = readPod(aPod(), 'n')
    const reach = (method: SharingMethod, named: readonly string[] = []): unknown =>
      reachableClasses(indexNodes(nodes, [method]), pod, named).map(({ offers }) => offers[0]?.tolerates)

    t.strictSame(reach(migMixed), [])
    t.strictSame(reach(tolerant), [[taint]])
    t.strictSame(reach(migMixed, ['k']), [[taint]])
    t.strictSame(reach(migMixed, ['other']), [])
  }
)

const selections: readonly { selector: Record<string, string>; want: readonly number[] }[] = [
  { selector: {}, want: [20, 20, 1] },
  { selector: { pool: 'big' }, want: [1] },
  { selector: { pool: 'none' }, want: [] },
  { selector: { 'kubernetes.io/hostname': 'shared-03' }, want: [1] },
  { selector: { 'kubernetes.io/hostname': 'shared-03', pool: 'big' }, want: [] }
]
for (const { selector, want } of selections) {
  t.test(`a policy governs the nodes that have ${JSON.stringify(selector)}`, async (t) => {
    const classes = selectedClasses(everything, everything.classes, selector)

    t.strictSame(
      namesOf(classes).map((names) => names.length),
      want
    )
  })
}

const kinds: readonly ((spec: NodeSpec) => JsonRecord)[] = [aMigNode, aSharedNode, aWholeNode]

const someNode = fc.record({
  kind: fc.constantFrom(...kinds),
  zone: fc.constantFrom('a', 'b'),
  ready: fc.boolean(),
  memoryMiB: fc.constantFrom(9728, 9984)
})

/** Classes in a form that can be compared: names and offers. */
function shape(nodes: readonly NodeView[]): unknown {
  const { classes, individualKeys, nodeCount } = indexNodes(nodes)
  return { classes: JSON.stringify(classes), keys: [...individualKeys].sort(), nodeCount }
}

t.test('the order of nodes changes neither classes nor candidates', async () => {
  const shuffled = fc
    .array(someNode, { maxLength: 24 })
    .map((specs) =>
      specs.map(({ kind, zone, ready, memoryMiB }, position) =>
        viewOf(
          kind({
            name: `node-${position}`,
            ready,
            labels: { zone, 'nvidia.com/mig-1g.10gb.memory': `${memoryMiB}` }
          })
        )
      )
    )
    .chain((nodes) => fc.tuple(fc.constant(nodes), fc.shuffledSubarray(nodes, { minLength: nodes.length })))

  fc.assert(
    fc.property(shuffled, ([nodes, other]) => {
      const left = indexNodes(nodes)
      const right = indexNodes(other)
      return (
        JSON.stringify(shape(nodes)) === JSON.stringify(shape(other)) &&
        JSON.stringify(candidatesOf(left.classes)) === JSON.stringify(candidatesOf(right.classes))
      )
    })
  )
})

t.test('every usable node is in exactly one class, and offers what its class says', async () => {
  fc.assert(
    fc.property(fc.array(someNode, { maxLength: 24 }), (specs) => {
      const views = specs.map(({ kind, ready, memoryMiB }, position) =>
        viewOf(
          kind({
            name: `node-${position}`,
            ready,
            labels: { 'nvidia.com/mig-1g.10gb.memory': `${memoryMiB}` }
          })
        )
      )
      const { classes } = indexNodes(views)
      const members = classes.flatMap(({ nodes }) => nodes.map(({ name }) => name)).sort()
      const usable = views.filter((view) => view.usable).map(({ name }) => name)
      const same = classes.every(({ nodes, offers }) =>
        nodes.every(
          (node) => JSON.stringify(indexNodes([node]).classes[0]?.offers) === JSON.stringify(offers)
        )
      )
      return same && JSON.stringify(members) === JSON.stringify(usable.sort())
    })
  )
})

t.test(
  'pods that reach the same classes get the same list, however many sets of classes were asked for before',
  async (t) => {
    const zones = times(10, (zone) => `z${zone}`)
    const everywhere = index(...zones.map((zone) => aMigNode({ name: zone, labels: { zone } })))
    const reach = (values: readonly string[]): readonly NodeClass[] => {
      const terms = [{ expressions: [{ key: 'zone', operator: 'In', values }], fields: [] }]
      return reachableClasses(everywhere, { nodeSelector: {}, nodeTerms: terms, tolerations: [] })
    }
    const subset = (bits: number): readonly string[] => zones.filter((_, zone) => (bits >> zone) % 2 === 1)

    for (let bits = 0; bits < 2 ** zones.length; bits += 1) {
      const names = namesOf(reach(subset(bits)))
        .flat()
        .join()
      if (names !== subset(bits).join()) t.fail(`${subset(bits).join()} reach ${names}`)
    }

    t.equal(reach(['z0', 'z1']), reach(['z1', 'z0']), 'one list')
    t.equal(candidatesOf(reach(['z0'])), candidatesOf(reach(['z0'])), 'and one list of candidates')
    t.strictSame(namesOf(reach(zones)).flat(), zones, 'lists beyond those that are kept are made anew')
  }
)
