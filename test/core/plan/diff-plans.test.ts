import t from 'tap'
import { diffPlans, type PlanDiff } from '../../../src/core/plan/diff-plans.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { aPlan, aState, type ShortTarget, seatOf, slotsOf } from './order-case.ts'

const state = aState({
  a: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
  b: { unit: 'node', cards: { b: { '1g.10gb@0': 'r' }, c: {} } },
  d: { unit: 'card', cards: { d: { '1g.10gb@0': '', '1g.10gb@1': '' }, e: {} } }
})
const planFor = (target: ShortTarget): Plan => aPlan(state, target)

function told({ inputsDiffer, added, removed, reordered, destinations, layouts }: PlanDiff): unknown {
  const [come, gone, shifted] = [added, removed, reordered].map((steps) => steps.map(tellAction))
  return { inputsDiffer, added: come, removed: gone, reordered: shifted, destinations, layouts }
}

const none = { inputsDiffer: true, added: [], removed: [], reordered: [], destinations: [], layouts: [] }

t.test('[PLAN31] a plan does not differ from itself', (t) => {
  const plan = planFor({
    moves: { p: 'd/d/1g.10gb@0', r: 'b/c/2g.20gb@0', q: 'd/d/1g.10gb@1' },
    layouts: { c: '2g.20gb@0' },
    freedCards: ['a']
  })

  t.strictSame(told(diffPlans(plan, plan)), { ...none, inputsDiffer: false })
  t.strictSame(diffPlans(plan, plan).totals, { before: plan.totals, after: plan.totals })
  t.end()
})

t.test('[PLAN31] steps come and go', (t) => {
  const before = planFor({ moves: { p: 'd/d/1g.10gb@0' } })
  const after = planFor({ moves: { q: 'd/d/1g.10gb@0' }, layouts: { e: '7g.80gb@0' } })

  t.strictSame(told(diffPlans(before, after)), {
    ...none,
    added: ['move q from a/a/1g.10gb@1 to d/d/1g.10gb@0', 'lay out d: e 7g.80gb@0'],
    removed: ['move p from a/a/1g.10gb@0 to d/d/1g.10gb@0']
  })
  t.end()
})

t.test('[PLAN31] pods end elsewhere, and cards otherwise', (t) => {
  const before = planFor({ moves: { r: 'b/b/2g.20gb@0', p: 'd/d/1g.10gb@0' }, layouts: { b: '2g.20gb@0' } })
  const after = planFor({ moves: { r: 'b/b/2g.20gb@2', p: 'd/d/1g.10gb@1' }, layouts: { b: '2g.20gb@2' } })

  t.strictSame(told(diffPlans(before, after)), {
    ...none,
    inputsDiffer: false,
    destinations: [
      { pod: 'p', before: seatOf('d/d/1g.10gb@0'), after: seatOf('d/d/1g.10gb@1') },
      { pod: 'r', before: seatOf('b/b/2g.20gb@0'), after: seatOf('b/b/2g.20gb@2') }
    ],
    layouts: [{ node: 'b', card: 'b', before: slotsOf('2g.20gb@0'), after: slotsOf('2g.20gb@2') }]
  })
  t.end()
})

t.test('[PLAN31] as few steps as can be come at another time', (t) => {
  const plan = planFor({
    moves: { p: 'd/d/1g.10gb@0', q: 'd/d/1g.10gb@1' },
    layouts: { c: '7g.80gb@0' },
    freedNodes: ['a']
  })
  const [first, ...others] = plan.steps
  const after = { ...plan, steps: first === undefined ? [] : [...others, first] }

  t.strictSame(told(diffPlans(plan, after)), {
    ...none,
    inputsDiffer: false,
    reordered: ['cordon a']
  })
  t.strictSame(told(diffPlans(after, plan)), told(diffPlans(plan, after)))
  t.end()
})

t.test('[PLAN31] the same step twice is two steps', (t) => {
  const plan = planFor({ layouts: { c: '7g.80gb@0' } })
  const after = { ...plan, steps: [...plan.steps, ...plan.steps.slice(0, 1)] }

  t.strictSame(told(diffPlans(plan, after)), { ...none, inputsDiffer: false, added: ['cordon b'] })
  t.end()
})

t.test('[PLAN31] two empty plans are alike', (t) => {
  t.strictSame(told(diffPlans(planFor({}), planFor({}))), { ...none, inputsDiffer: false })
  t.end()
})
