import t from 'tap'
import { startWorld } from '../../../src/core/plan/plan-world.ts'
import { type Condition, holds } from '../../../src/core/plan/precondition.ts'
import { WorldIndex } from '../../../src/core/plan/world-index.ts'
import { aState, seatOf, slotsOf } from './order-case.ts'

const state = aState(
  {
    m: {
      unit: 'card',
      freeCpuMilli: 5,
      freeMemoryMiB: 7,
      cards: { a: { '3g.40gb@4': '', '1g.10gb@0': 'p' }, b: { whole: 'w' }, c: {} }
    },
    n: { unit: 'card', cards: { d: {} } }
  },
  { p: { tenant: 't1' } }
)
const budgets = [{ id: 'w', pods: ['p', 'q', 'q'], disruptionsAllowed: 2 }]
const world = new WorldIndex({ ...startWorld({ ...state, budgets }), cordoned: ['n'], waiting: ['q'] })
const [a, b] = [
  { node: 'm', card: 'a' },
  { node: 'm', card: 'b' }
]

const cases: readonly { readonly condition: Condition; readonly want: boolean }[] = [
  { condition: { kind: 'pod-runs-in', pod: 'p', seat: seatOf('m/a/1g.10gb@0') }, want: true },
  { condition: { kind: 'pod-runs-in', pod: 'p', seat: seatOf('m/a/3g.40gb@4') }, want: false },
  { condition: { kind: 'pod-waits', pod: 'q' }, want: true },
  { condition: { kind: 'pod-waits', pod: 'p' }, want: false },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/a/3g.40gb@4') }, want: true },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/a/1g.10gb@0') }, want: false },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/a/1g.10gb@1') }, want: false },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/a/whole') }, want: false },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/b/whole') }, want: false },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/c/whole') }, want: true },
  { condition: { kind: 'seat-is-free', seat: seatOf('m/gone/whole') }, want: false },
  { condition: { kind: 'no-other-tenant', ...a, tenant: 't1' }, want: true },
  { condition: { kind: 'no-other-tenant', ...a, tenant: 't2' }, want: false },
  { condition: { kind: 'no-other-tenant', ...a }, want: false },
  { condition: { kind: 'no-other-tenant', ...b }, want: true },
  { condition: { kind: 'card-holds', ...a, instances: slotsOf('1g.10gb@0 3g.40gb@4') }, want: true },
  { condition: { kind: 'card-holds', ...a, instances: slotsOf('1g.10gb@0') }, want: false },
  { condition: { kind: 'card-holds', ...b, instances: [] }, want: false },
  { condition: { kind: 'slots-are-idle', ...a, placements: slotsOf('3g.40gb@4') }, want: true },
  { condition: { kind: 'slots-are-idle', ...a, placements: slotsOf('1g.10gb@0 3g.40gb@4') }, want: false },
  { condition: { kind: 'card-has-no-pods', node: 'm', card: 'c' }, want: true },
  { condition: { kind: 'card-has-no-pods', ...b }, want: false },
  { condition: { kind: 'node-has-no-gpu-pods', node: 'n' }, want: true },
  { condition: { kind: 'node-has-no-gpu-pods', node: 'm' }, want: false },
  { condition: { kind: 'node-is-cordoned', node: 'n' }, want: true },
  { condition: { kind: 'node-is-cordoned', node: 'm' }, want: false },
  { condition: { kind: 'node-takes-pods', node: 'm' }, want: true },
  { condition: { kind: 'node-takes-pods', node: 'n' }, want: false },
  { condition: { kind: 'budget-allows', budget: 'w', needed: 2, allowed: 9 }, want: true },
  { condition: { kind: 'budget-allows', budget: 'w', needed: 3, allowed: 9 }, want: false },
  { condition: { kind: 'budget-allows', budget: 'gone', needed: 3, allowed: 0 }, want: true },
  { condition: { kind: 'node-has-room', node: 'm', cpuMilli: 5, memoryMiB: 7 }, want: true },
  { condition: { kind: 'node-has-room', node: 'm', cpuMilli: 6, memoryMiB: 0 }, want: false },
  { condition: { kind: 'node-has-room', node: 'm', cpuMilli: 0, memoryMiB: 8 }, want: false },
  { condition: { kind: 'node-has-room', node: 'n', cpuMilli: 999, memoryMiB: 999 }, want: true }
]

for (const { condition, want } of cases) {
  t.test(`[PLAN27] ${JSON.stringify(condition)} ${want ? 'holds' : 'does not hold'}`, (t) => {
    t.equal(holds(condition, world), want)
    t.end()
  })
}

t.test('[PLAN27] nothing holds of a node or card that is not there', (t) => {
  const seat = seatOf('gone/c/1g.10gb@0')
  const place = { node: 'm', card: 'gone' }
  const conditions: readonly Condition[] = [
    { kind: 'pod-runs-in', pod: 'p', seat },
    { kind: 'seat-is-free', seat },
    { kind: 'no-other-tenant', ...place },
    { kind: 'card-holds', ...place, instances: [] },
    { kind: 'slots-are-idle', ...place, placements: [] },
    { kind: 'card-has-no-pods', ...place },
    { kind: 'node-has-no-gpu-pods', node: 'gone' },
    { kind: 'node-has-room', node: 'gone', cpuMilli: 1, memoryMiB: 1 }
  ]

  for (const condition of conditions) t.notOk(holds(condition, world), condition.kind)
  t.end()
})

t.test('[PLAN33] a card that pods share is not free, and not as it was', (t) => {
  const shared = {
    ...state,
    nodes: state.nodes.map((node) => ({
      ...node,
      cards: node.cards.map((card) => ({ ...card, sharedPods: ['p', 'y'] }))
    }))
  }
  const index = new WorldIndex(startWorld(shared))
  const conditions: readonly Condition[] = [
    { kind: 'seat-is-free', seat: seatOf('m/a/3g.40gb@4') },
    { kind: 'seat-is-free', seat: seatOf('m/c/whole') },
    { kind: 'card-holds', node: 'm', card: 'c', instances: [] },
    { kind: 'card-has-no-pods', node: 'm', card: 'c' },
    { kind: 'node-has-no-gpu-pods', node: 'n' },
    { kind: 'no-other-tenant', node: 'm', card: 'c' }
  ]

  for (const condition of conditions) t.notOk(holds(condition, index), condition.kind)
  t.end()
})
