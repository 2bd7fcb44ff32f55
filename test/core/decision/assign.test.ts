import t from 'tap'
import { anySize, assignShares, type Demand } from '../../../src/core/decision/assign.ts'
import { decide } from '../../../src/core/decision/decide.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import type { ContainerRole } from '../../../src/core/pod/pod-view.ts'
import { candidatesOf } from '../../../src/core/sharing/candidates.ts'
import { anInput } from '../../build/input.ts'
import { aMigNode, aSharedNode, type SliceSpec } from '../../build/node.ts'
import { aPod, type ContainerSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

/** A GPU container: name, role, peak in MiB; the policy’s headroom is 0 here. */
type Member = readonly [name: string, role: ContainerRole, peakMiB: number]

const small: SliceSpec = { count: 7, memoryMiB: 10_000 }
const large: SliceSpec = { count: 3, memoryMiB: 20_000 }

function aNodeOf(profiles: Readonly<Record<string, SliceSpec>>, name = 'node-1'): JsonRecord {
  return aMigNode({ name, profiles })
}

/** What each container gets, or the reason why the pod is kept. */
function sharesOf(members: readonly Member[], nodes: readonly JsonRecord[]): object | string {
  const specs = (isInit: boolean): ContainerSpec[] =>
    members
      .filter(([, role]) => (role !== 'app') === isInit)
      .map(([name, role]) => ({ name, ...(role === 'sidecar' ? { restartPolicy: 'Always' } : {}) }))
  const decision = decide(
    anInput({
      pod: aPod({ initContainers: specs(true), containers: specs(false) }),
      nodes,
      policies: [aPolicy({ mig: { headroom: '0%' } })],
      usage: aUsage(...members.map(([container, , peakMiB]) => ({ container, peakMiB })))
    })
  )
  if (decision.kind === 'keep') return decision.reason
  return Object.fromEntries(decision.changes.map(({ container, share }) => [container.name, share]))
}

const s = 'mig-1g.10gb'
const l = 'mig-2g.20gb'

const table: readonly {
  name: string
  members: readonly Member[]
  slices: readonly [small: number, large: number]
  want: object | string
}[] = [
  { name: '[DEC38] one container', members: [['a', 'app', 9000]], slices: [1, 1], want: { a: s } },
  { name: '[DEC38] one larger container', members: [['a', 'app', 11_000]], slices: [1, 1], want: { a: l } },
  {
    name: '[DEC39] two of different size',
    members: [
      ['a', 'app', 9000],
      ['b', 'app', 15_000]
    ],
    slices: [1, 1],
    want: { a: s, b: l }
  },
  {
    name: '[DEC39] two of one size and one slice of it: the second takes the next larger',
    members: [
      ['a', 'app', 9000],
      ['b', 'app', 9000]
    ],
    slices: [1, 1],
    want: { a: s, b: l }
  },
  {
    name: '[DEC39] three containers and two slices',
    members: [
      ['a', 'app', 1],
      ['b', 'app', 1],
      ['c', 'app', 1]
    ],
    slices: [1, 1],
    want: 'SeveralGpuContainers'
  },
  {
    name: '[DEC37] one that fits nowhere keeps both',
    members: [
      ['a', 'app', 9000],
      ['b', 'app', 25_000]
    ],
    slices: [7, 7],
    want: 'PeakTooLarge'
  },
  {
    name: '[DEC39] a sidecar beside a container takes a slice of its own',
    members: [
      ['side', 'sidecar', 1000],
      ['a', 'app', 9000]
    ],
    slices: [2, 0],
    want: { side: s, a: s }
  },
  {
    name: '[DEC39] a sidecar beside a container, one slice',
    members: [
      ['side', 'sidecar', 1000],
      ['a', 'app', 9000]
    ],
    slices: [1, 0],
    want: 'SeveralGpuContainers'
  },
  { name: '[DEC40] init alone', members: [['i', 'init', 9000]], slices: [1, 1], want: { i: s } },
  {
    name: '[DEC40] two init containers share one slice, the larger need decides',
    members: [
      ['i', 'init', 1000],
      ['j', 'init', 15_000]
    ],
    slices: [1, 1],
    want: { i: l, j: l }
  },
  {
    name: '[DEC40] init and main: the main need decides',
    members: [
      ['i', 'init', 2500],
      ['a', 'app', 15_000]
    ],
    slices: [1, 1],
    want: { i: l, a: l }
  },
  {
    name: '[DEC40] init and main: the init need decides',
    members: [
      ['i', 'init', 15_000],
      ['a', 'app', 2500]
    ],
    slices: [1, 1],
    want: { i: l, a: l }
  },
  {
    name: '[DEC40] two mains and init: init follows the larger main',
    members: [
      ['i', 'init', 12_000],
      ['a', 'app', 9000],
      ['b', 'app', 11_000]
    ],
    slices: [1, 1],
    want: { i: l, a: s, b: l }
  },
  {
    name: '[DEC40] two mains and init of all one size',
    members: [
      ['i', 'init', 9000],
      ['a', 'app', 9000],
      ['b', 'app', 9000]
    ],
    slices: [2, 0],
    want: { i: s, a: s, b: s }
  },
  {
    name: '[DEC40] a sidecar, then init, no main: both at one time',
    members: [
      ['side', 'sidecar', 9000],
      ['i', 'init', 9000]
    ],
    slices: [1, 1],
    want: { side: l, i: s }
  },
  {
    name: '[DEC40] a sidecar, then init, one slice',
    members: [
      ['side', 'sidecar', 9000],
      ['i', 'init', 9000]
    ],
    slices: [1, 0],
    want: 'SeveralGpuContainers'
  },
  {
    name: '[DEC40] a large sidecar, then init, then a small main: init follows the main',
    members: [
      ['side', 'sidecar', 15_000],
      ['i', 'init', 1000],
      ['a', 'app', 2000]
    ],
    slices: [1, 1],
    want: { side: l, i: s, a: s }
  },
  {
    name: '[DEC40] init that holds more than its main, beside a sidecar',
    members: [
      ['side', 'sidecar', 1000],
      ['i', 'init', 15_000],
      ['a', 'app', 2000]
    ],
    slices: [1, 1],
    want: { side: s, i: l, a: l }
  }
]

for (const { name, members, slices, want } of table) {
  t.test(name, async (t) => {
    const profiles = {
      '1g.10gb': { ...small, count: slices[0] },
      ...(slices[1] > 0 ? { '2g.20gb': { ...large, count: slices[1] } } : {})
    }

    t.strictSame(sharesOf(members, [aNodeOf(profiles)]), want)
  })
}

/** What the pod asks of one resource. @source Kubernetes: containers + sidecars, or an init container + sidecars before it */
function podTotal(
  members: readonly Member[],
  shares: Readonly<Record<string, string>>,
  share: string
): number {
  const asks = (name: string): number => (shares[name] === share ? 1 : 0)
  const inits = members.filter(([, role]) => role !== 'app')
  const running = members.filter(([, role]) => role !== 'init').reduce((sum, [name]) => sum + asks(name), 0)
  const peaks = inits.map(([name, role], index) => {
    const before = inits.slice(0, index).filter(([, other]) => other === 'sidecar')
    return role === 'init' ? asks(name) + before.reduce((sum, [other]) => sum + asks(other), 0) : 0
  })
  return Math.max(running, ...peaks)
}

t.test(
  '[DEC39] [DEC40] whatever the roles and their order, the node has what the pod asks for',
  async (t) => {
    const roles: readonly ContainerRole[] = ['init', 'sidecar', 'app']
    const peaks = [1000, 15_000]
    const choices = roles.flatMap((role) => peaks.map((peakMiB) => [role, peakMiB] as const))
    for (const first of choices)
      for (const second of choices)
        for (const third of choices) {
          const members = [first, second, third]
            .map(([role, peakMiB], index): Member => [`c${index}`, role, peakMiB])
            .sort(([, a], [, b]) => Number(a === 'app') - Number(b === 'app'))
          const nodes = [aNodeOf({ '1g.10gb': { ...small, count: 1 }, '2g.20gb': { ...large, count: 2 } })]
          const shares = sharesOf(members, nodes)
          if (typeof shares === 'string') continue
          const given = Object.fromEntries(
            Object.entries(shares).map(([name, share]) => [name, String(share)])
          )
          if (podTotal(members, given, s) > 1 || podTotal(members, given, l) > 2)
            t.fail(`more than the node has: ${JSON.stringify({ members, given })}`)
        }
  }
)

t.test('[DEC39] one node must serve all', async (t) => {
  const nodes = [aNodeOf({ '1g.10gb': small }, 'a'), aNodeOf({ '2g.20gb': { ...large, count: 1 } }, 'b')]

  const members: readonly Member[] = [
    ['a', 'app', 9000],
    ['b', 'app', 15_000]
  ]

  t.equal(sharesOf(members, nodes), 'SeveralGpuContainers')
})

t.test('[DEC39] of several nodes the one where the pod takes the least memory', async (t) => {
  const members: readonly Member[] = [
    ['a', 'app', 9000],
    ['b', 'app', 9000]
  ]
  const wasteful = aNodeOf({ '2g.20gb': large }, 'a')
  const thrifty = aNodeOf({ '1g.10gb': small }, 'b')

  t.strictSame(sharesOf(members, [wasteful, thrifty]), { a: s, b: s })
  t.strictSame(sharesOf(members, [thrifty, wasteful]), { a: s, b: s })
})

t.test('[DEC37] a container without history keeps all', async (t) => {
  const decision = decide(anInput({ pod: aPod({ containers: [{}, { name: 'second' }] }) }))

  t.equal(decision.reason, 'NoHistory')
  t.match(decision.sentence, 'container second')
})

t.test('[DEC37] containers without a GPU do not count', async (t) => {
  const pod = aPod({ containers: [{ name: 'proxy', limits: { cpu: '1' } }, {}] })

  const decision = decide(anInput({ pod }))

  t.strictSame(decision.kind === 'rewrite' && decision.changes.map(({ container }) => container.index), [1])
})

t.test('slices and replicas of one node can serve one pod', async (t) => {
  const mixed = aSharedNode({
    labels: { 'nvidia.com/mig-1g.10gb.count': '1', 'nvidia.com/mig-1g.10gb.memory': '10000' },
    allocatable: { 'nvidia.com/mig-1g.10gb': '1' }
  })
  const decision = decide(
    anInput({
      pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }),
      nodes: [mixed],
      namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
      policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 8 } })],
      usage: aUsage({ container: 'a', peakMiB: 1000 }, { container: 'b', peakMiB: 8000 })
    })
  )

  t.equal(decision.reason, 'FitsSharedReplica')
  t.strictSame(decision.kind === 'rewrite' && decision.changes.map(({ share }) => share), ['shared', s])
  t.strictSame(decision.kind === 'rewrite' && decision.methods.map(({ name }) => name), [
    'time-slicing',
    'mig-mixed'
  ])
})

t.test('compute of init containers counts for the share that they pass on', async (t) => {
  const profiles = {
    '1g.10gb': { count: 1, memoryMiB: 10_000, multiprocessors: 16 },
    '2g.20gb': { count: 1, memoryMiB: 20_000, multiprocessors: 32 }
  }
  const decision = decide(
    anInput({
      pod: aPod({ initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] }),
      nodes: [aNodeOf(profiles)],
      usage: aUsage({ container: 'i', peakMiB: 10, peakComputeRatio: 0.18 }, { container: 'a', peakMiB: 10 })
    })
  )

  t.strictSame(decision.kind === 'rewrite' && decision.changes.map(({ share }) => share), [l, l])
})

t.test('[DEC22] a pin to slices of unknown memory serves several containers too', async (t) => {
  const decision = decide(
    anInput({
      pod: aPod({
        annotations: { 'rightslice.dev/pin': 'mig-1g.5gb' },
        containers: [{ name: 'a' }, { name: 'b' }]
      }),
      nodes: [aMigNode({ product: 'No-Such-GPU', profiles: { '1g.5gb': { count: 2 } } })]
    })
  )

  t.equal(decision.reason, 'PinnedToSlice')
})

t.test('a class of nodes without the resource serves nobody', async (t) => {
  const input = anInput({ pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }) })
  const [first] = candidatesOf(input.nodes.classes)
  const demands = input.pod.containers.map(anySize)

  t.equal(first && assignShares(demands, [first])?.length, 2)
  t.equal(first && assignShares(demands, [{ ...first, resource: 'nvidia.com/mig-2g.20gb' }]), undefined)
})

t.test('no demands, no shares', async (t) => {
  const demands: readonly Demand[] = []

  t.equal(assignShares(demands, []), undefined)
})

t.test('[DEC39] the order of the containers decides nothing, also where one of them is choosy', async (t) => {
  const node = aMigNode({
    profiles: {
      '1g.20gb': { count: 1, memoryMiB: 20_096, multiprocessors: 16 },
      '2g.20gb': { count: 1, memoryMiB: 19_968, multiprocessors: 32 }
    }
  })
  const usage = aUsage(
    { container: 'light', peakMiB: 15_000 },
    { container: 'busy', peakMiB: 15_000, peakComputeRatio: 0.2 }
  )
  const resourcesFor = (names: readonly string[]) => {
    const pod = aPod({ containers: names.map((name) => ({ name })) })
    const decision = decide(anInput({ pod, nodes: [node], usage }))
    return decision.kind === 'rewrite'
      ? Object.fromEntries(decision.changes.map(({ container, resource }) => [container.name, resource]))
      : decision.reason
  }

  t.strictSame(resourcesFor(['light', 'busy']), resourcesFor(['busy', 'light']))
  t.strictSame(resourcesFor(['light', 'busy']), {
    light: 'nvidia.com/mig-1g.20gb',
    busy: 'nvidia.com/mig-2g.20gb'
  })
})
