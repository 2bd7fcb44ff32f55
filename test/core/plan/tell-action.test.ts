import t from 'tap'
import type { Action } from '../../../src/core/plan/plan-step.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { seatOf, slotsOf } from './order-case.ts'

const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/whole')]
const cards = [
  { card: 'a', before: [], after: slotsOf('1g.10gb@0') },
  { card: 'b', before: [], after: [] }
]

const cases: readonly { readonly action: Action; readonly want: string }[] = [
  { action: { kind: 'cordon', node: 'm' }, want: 'cordon m' },
  { action: { kind: 'uncordon', node: 'm' }, want: 'uncordon m' },
  {
    action: { kind: 'move', node: 'm', pod: 'p', from, to, purpose: 'target' },
    want: 'move p from m/a/1g.10gb@0 to n/c/whole'
  },
  {
    action: { kind: 'move', node: 'm', pod: 'p', from, to, purpose: 'to-spare' },
    want: 'move p from m/a/1g.10gb@0 to n/c/whole for a while'
  },
  {
    action: { kind: 'park', node: 'm', pod: 'p', from, until: to, why: 'lay-out' },
    want: 'park p from m/a/1g.10gb@0 until n/c/whole is there'
  },
  { action: { kind: 'resume', node: 'n', pod: 'p', to }, want: 'resume p in n/c/whole' },
  { action: { kind: 'lay-out', node: 'm', cards }, want: 'lay out m: a 1g.10gb@0; b uncut' },
  { action: { kind: 'release', node: 'm' }, want: 'release m' },
  { action: { kind: 'release', node: 'm', card: 'a' }, want: 'release m/a' }
]

for (const { action, want } of cases) {
  t.test(`says ${want}`, (t) => {
    t.equal(tellAction(action), want)
    t.end()
  })
}
