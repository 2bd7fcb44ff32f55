import t from 'tap'
import { inverseOf, type Undoable } from '../../../../src/core/plan/order/inverse.ts'
import { seatOf, slotsOf } from '../order-case.ts'

const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/1g.10gb@0')]
const [before, after] = [slotsOf('1g.10gb@0'), slotsOf('7g.80gb@0')]

const cases: readonly (readonly [action: Undoable, want: Undoable])[] = [
  [
    { kind: 'cordon', node: 'm' },
    { kind: 'uncordon', node: 'm' }
  ],
  [
    { kind: 'uncordon', node: 'm' },
    { kind: 'cordon', node: 'm' }
  ],
  [
    { kind: 'lay-out', node: 'm', cards: [{ card: 'a', before, after }] },
    { kind: 'lay-out', node: 'm', cards: [{ card: 'a', before: after, after: before }] }
  ],
  [
    { kind: 'move', node: 'm', pod: 'p', from, to, purpose: 'to-spare' },
    { kind: 'move', node: 'n', pod: 'p', from: to, to: from, purpose: 'target' }
  ],
  [
    { kind: 'park', node: 'm', pod: 'p', from, until: to, why: 'lay-out' },
    { kind: 'resume', node: 'm', pod: 'p', to: from }
  ],
  [
    { kind: 'resume', node: 'n', pod: 'p', to },
    { kind: 'park', node: 'n', pod: 'p', from: to, until: to, why: 'undo' }
  ]
]

for (const [action, want] of cases) {
  t.test(`[PLAN27] what takes back: ${action.kind}`, (t) => {
    t.strictSame(inverseOf(action), want)
    t.end()
  })
}
