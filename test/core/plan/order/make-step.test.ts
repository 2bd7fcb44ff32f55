import t from 'tap'
import { carryOut } from '../../../../src/core/plan/order/board.ts'
import { makeStep } from '../../../../src/core/plan/order/make-step.ts'
import type { Action } from '../../../../src/core/plan/plan-step.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState, seatOf, slotsOf } from '../order-case.ts'

const state = aState(
  {
    m: {
      unit: 'node',
      freeCpuMilli: 9,
      cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: { '1g.10gb@0': 'r', '1g.10gb@1': '' } }
    },
    n: { unit: 'card', cards: { c: { '1g.10gb@0': '' } } },
    o: { unit: 'instance', cards: { d: { '1g.10gb@0': 's', '1g.10gb@1': '' } } }
  },
  {
    p: { tenant: 't', restartSeconds: 30, replicasLost: 4, cpuMilli: 2 },
    r: { memoryMiB: 7 },
    s: { tenant: 't' }
  }
)
const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/1g.10gb@0')]
const move: Action = { kind: 'move', node: 'm', pod: 'p', from, to, purpose: 'target' }

t.test('[PLAN27] a move says where the pod is, where it goes, what that takes, and what it costs', (t) => {
  t.strictSame(makeStep(aCourse(state, {}).board, move), {
    ...move,
    precondition: [
      { kind: 'pod-runs-in', pod: 'p', seat: from },
      { kind: 'node-takes-pods', node: 'n' },
      { kind: 'seat-is-free', seat: to },
      { kind: 'no-other-tenant', node: 'n', card: 'c', tenant: 't' },
      { kind: 'node-has-room', node: 'n', cpuMilli: 2, memoryMiB: 0 }
    ],
    cost: { replicaSeconds: 120, pods: 1 },
    undo: {
      kind: 'steps',
      steps: [
        {
          kind: 'move',
          node: 'n',
          pod: 'p',
          from: to,
          to: from,
          purpose: 'target',
          precondition: [
            { kind: 'pod-runs-in', pod: 'p', seat: to },
            { kind: 'node-takes-pods', node: 'm' },
            { kind: 'seat-is-free', seat: from },
            { kind: 'node-has-room', node: 'm', cpuMilli: 2, memoryMiB: 0 }
          ],
          cost: { replicaSeconds: 120, pods: 1 },
          undo: { kind: 'none', why: 'it is an undo itself' }
        }
      ]
    }
  })
  t.end()
})

t.test('[PLAN27] a move on one node takes no more of its CPU and memory', (t) => {
  const action: Action = {
    kind: 'move',
    node: 'm',
    pod: 'r',
    from: seatOf('m/b/1g.10gb@0'),
    to: seatOf('m/b/1g.10gb@1'),
    purpose: 'target'
  }

  t.strictSame(makeStep(aCourse(state, {}).board, action).precondition.slice(1), [
    { kind: 'node-takes-pods', node: 'm' },
    { kind: 'seat-is-free', seat: action.to },
    { kind: 'no-other-tenant', node: 'm', card: 'b' }
  ])
  t.end()
})

const undos: readonly {
  readonly action: Action
  readonly isCordoned?: boolean
  readonly want: readonly string[]
}[] = [
  { action: { kind: 'cordon', node: 'm' }, want: ['uncordon m'] },
  { action: { kind: 'uncordon', node: 'm' }, want: ['cordon m'] },
  {
    action: move,
    isCordoned: true,
    want: ['uncordon m', 'move p from n/c/1g.10gb@0 to m/a/1g.10gb@0', 'cordon m']
  },
  {
    action: { kind: 'park', node: 'm', pod: 'p', from, until: to, why: 'lay-out' },
    want: ['resume p in m/a/1g.10gb@0']
  },
  {
    action: { kind: 'park', node: 'm', pod: 'p', from, until: to, why: 'lay-out' },
    isCordoned: true,
    want: ['uncordon m', 'resume p in m/a/1g.10gb@0', 'cordon m']
  },
  {
    action: { kind: 'resume', node: 'n', pod: 'p', to },
    want: ['park p from n/c/1g.10gb@0 until n/c/1g.10gb@0 is there']
  },
  {
    action: { kind: 'lay-out', node: 'n', cards: [{ card: 'c', before: slotsOf('1g.10gb@0'), after: [] }] },
    want: ['lay out n: c 1g.10gb@0']
  }
]

for (const { action, isCordoned = false, want } of undos) {
  t.test(`[PLAN27] ${tellAction(action)} is undone by ${want.join(', ')}`, (t) => {
    const { board } = aCourse(state, {})
    if (isCordoned) carryOut(board, { kind: 'cordon', node: 'm' })

    const { undo } = makeStep(board, action)

    t.strictSame(undo.kind === 'steps' ? undo.steps.map(tellAction) : [], want)
    t.end()
  })
}

t.test('[PLAN22] a lay-out says what has to have stopped', (t) => {
  const { board } = aCourse(state, {})
  const conditions = (node: string, card: string, before: string, after: string): unknown =>
    makeStep(board, {
      kind: 'lay-out',
      node,
      cards: [{ card, before: slotsOf(before), after: slotsOf(after) }]
    }).precondition

  t.strictSame(conditions('m', 'a', '1g.10gb@0', '7g.80gb@0'), [
    { kind: 'node-is-cordoned', node: 'm' },
    { kind: 'node-has-no-gpu-pods', node: 'm' },
    { kind: 'card-holds', node: 'm', card: 'a', instances: slotsOf('1g.10gb@0') }
  ])
  t.strictSame(conditions('n', 'c', '1g.10gb@0', ''), [
    { kind: 'card-has-no-pods', node: 'n', card: 'c' },
    { kind: 'card-holds', node: 'n', card: 'c', instances: slotsOf('1g.10gb@0') }
  ])
  t.strictSame(conditions('o', 'd', '1g.10gb@0 1g.10gb@1', '1g.10gb@0 3g.40gb@4'), [
    { kind: 'slots-are-idle', node: 'o', card: 'd', placements: slotsOf('1g.10gb@1') },
    { kind: 'card-holds', node: 'o', card: 'd', instances: slotsOf('1g.10gb@0 1g.10gb@1') }
  ])
  t.end()
})

t.test('[PLAN27] other steps say what they need, and stop nobody', (t) => {
  const { board } = aCourse(state, {})
  const actions: readonly Action[] = [
    { kind: 'cordon', node: 'm' },
    { kind: 'uncordon', node: 'm' },
    { kind: 'resume', node: 'n', pod: 'q', to },
    { kind: 'release', node: 'm' },
    { kind: 'release', node: 'm', card: 'a' }
  ]

  const steps = actions.map((action) => makeStep(board, action))

  t.strictSame(
    steps.map(({ precondition }) => precondition),
    [
      [{ kind: 'node-takes-pods', node: 'm' }],
      [{ kind: 'node-is-cordoned', node: 'm' }],
      [
        { kind: 'pod-waits', pod: 'q' },
        { kind: 'node-takes-pods', node: 'n' },
        { kind: 'seat-is-free', seat: to },
        { kind: 'no-other-tenant', node: 'n', card: 'c' }
      ],
      [{ kind: 'node-has-no-gpu-pods', node: 'm' }],
      [{ kind: 'card-has-no-pods', node: 'm', card: 'a' }]
    ]
  )
  for (const { cost } of steps) t.strictSame(cost, { replicaSeconds: 0, pods: 0 })
  t.strictSame(steps.at(-1)?.undo, { kind: 'none', why: 'nothing was changed' })
  t.end()
})

t.test('[PLAN27] a pod that has left a node that was cordoned before does not come back', (t) => {
  const closed = {
    ...state,
    nodes: state.nodes.map((node) => (node.id === 'm' ? { ...node, isCordoned: true } : node))
  }
  const { board } = aCourse(closed, {})
  const none = { kind: 'none', why: 'm is cordoned, and takes no pod back' }

  t.strictSame(makeStep(board, move).undo, none)
  t.strictSame(
    makeStep(board, { kind: 'park', node: 'm', pod: 'p', from, until: to, why: 'no-spare' }).undo,
    none
  )
  t.end()
})
