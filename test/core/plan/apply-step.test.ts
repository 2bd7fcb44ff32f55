import t from 'tap'
import { applyStep } from '../../../src/core/plan/apply-step.ts'
import type { PlanStep } from '../../../src/core/plan/plan-step.ts'
import { startWorld } from '../../../src/core/plan/plan-world.ts'
import { aState, seatOf, seatsTold, slotsOf } from './order-case.ts'

const state = aState({
  m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: {} } },
  n: { unit: 'card', cards: { c: { '1g.10gb@0': '' } } }
})
const terms: Pick<PlanStep, 'precondition' | 'cost' | 'undo'> = {
  precondition: [],
  cost: { replicaSeconds: 0, pods: 0 },
  undo: { kind: 'none', why: 'a test' }
}
const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/1g.10gb@0')]
const start = startWorld(state)
const parked = applyStep(start, {
  kind: 'park',
  node: 'm',
  pod: 'p',
  from,
  until: to,
  why: 'no-spare',
  ...terms
})

t.test('[PLAN27] takes each kind of step', (t) => {
  const cordoned = applyStep({ ...start, cordoned: ['z'] }, { kind: 'cordon', node: 'm', ...terms })
  const moved = applyStep(start, { kind: 'move', node: 'm', pod: 'p', from, to, purpose: 'target', ...terms })
  const resumed = applyStep(parked, { kind: 'resume', node: 'n', pod: 'p', to, ...terms })
  const cards = [{ card: 'b', before: [], after: slotsOf('7g.80gb@0') }]
  const laidOut = applyStep(start, { kind: 'lay-out', node: 'm', cards, ...terms })

  t.strictSame(cordoned.cordoned, ['m', 'z'])
  t.strictSame(applyStep(cordoned, { kind: 'uncordon', node: 'z', ...terms }).cordoned, ['m'])
  t.strictSame(seatsTold(moved.state), { p: 'n/c/1g.10gb@0' })
  t.strictSame([seatsTold(parked.state), parked.waiting], [{}, ['p']])
  t.strictSame(resumed, moved)
  t.strictSame(laidOut.state.nodes[0]?.cards[1]?.instances, [
    { placement: { profile: '7g.80gb', start: 0, size: 8 } }
  ])
  t.strictSame(applyStep(start, { kind: 'release', node: 'm', ...terms }), start)
  t.end()
})

t.test('[PLAN27] refuses a step with the first condition that does not hold', (t) => {
  const step: PlanStep = {
    kind: 'cordon',
    node: 'm',
    ...terms,
    precondition: [
      { kind: 'node-takes-pods', node: 'm' },
      { kind: 'node-has-no-gpu-pods', node: 'm' },
      { kind: 'pod-waits', pod: 'p' }
    ]
  }

  t.throws(() => applyStep(start, step), {
    code: 'PLAN_INVALID',
    message: 'cordon m: not so: {"kind":"node-has-no-gpu-pods","node":"m"}'
  })
  t.end()
})
