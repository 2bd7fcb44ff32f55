import t from 'tap'
import { withBudgets } from '../../../src/core/plan/budget-terms.ts'
import type { PlanStep } from '../../../src/core/plan/plan-step.ts'
import type { Condition } from '../../../src/core/plan/precondition.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { aPlan, aState, stepsTo } from './order-case.ts'

const state = aState({
  m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q', '1g.10gb@2': 'r' } } },
  n: { unit: 'card', cards: { b: { '1g.10gb@0': '' } } }
})
const short = { moves: { r: 'n/b/1g.10gb@0' }, layouts: { a: '1g.10gb@0 1g.10gb@1 3g.40gb@4' } }
const steps = stepsTo(state, short)
const budget = { id: 'w', pods: ['p', 'q', 'r', 'gone'], disruptionsAllowed: 1 }

function termsOf(precondition: readonly Condition[]): readonly (readonly [number, number])[] {
  return precondition.flatMap((one) =>
    one.kind === 'budget-allows' ? [[one.needed, one.allowed] as const] : []
  )
}

function termsIn(
  list: readonly PlanStep[]
): Readonly<Record<string, readonly (readonly [number, number])[]>> {
  const entries = list.map((step) => [tellAction(step), termsOf(step.precondition)] as const)
  return Object.fromEntries(entries.filter(([, terms]) => terms.length > 0))
}

t.test(
  '[PLAN32] a step needs of a budget all that are down before the next one is back, first the one that cordons the node',
  (t) => {
    const { steps: made, needs } = withBudgets(steps, [budget])

    t.strictSame(termsIn(made), {
      'cordon m': [[2, 1]],
      'move r from m/a/1g.10gb@2 to n/b/1g.10gb@0': [[2, 1]],
      'park p from m/a/1g.10gb@0 until m/a/1g.10gb@0 is there': [[2, 1]],
      'park q from m/a/1g.10gb@1 until m/a/1g.10gb@1 is there': [[1, 0]]
    })
    t.strictSame(needs, [{ budget: 'w', needed: 2, allowed: 1, node: 'm' }])
    t.end()
  }
)

t.test('[PLAN32] so does an undo that stops a pod', (t) => {
  const undos = withBudgets(steps, [budget]).steps.flatMap(({ undo }) =>
    undo.kind === 'steps' ? undo.steps : []
  )

  t.strictSame(termsIn(undos), {
    'move r from n/b/1g.10gb@0 to m/a/1g.10gb@2': [[1, 1]],
    'park p from m/a/1g.10gb@0 until m/a/1g.10gb@0 is there': [[1, 0]],
    'park q from m/a/1g.10gb@1 until m/a/1g.10gb@1 is there': [[1, 1]]
  })
  t.end()
})

t.test('[PLAN32] budgets come by id, and one of which no pod stops is needed for nothing', (t) => {
  const others = [
    budget,
    { id: 'v', pods: ['r'], disruptionsAllowed: 0 },
    { id: 'x', pods: ['gone'], disruptionsAllowed: 0 }
  ]

  t.strictSame(
    withBudgets(steps, others).needs.map(({ budget: id, needed, allowed }) => [id, needed, allowed]),
    [
      ['v', 1, 0],
      ['w', 2, 1]
    ]
  )
  t.strictSame(withBudgets(steps, []), { steps, needs: [] })
  t.end()
})

t.test('[PLAN32] a plan is made though a budget does not allow it, and says so', (t) => {
  const { notices } = aPlan({ ...state, budgets: [budget] }, short)

  t.strictSame(
    notices.map(({ kind, node, pods }) => [kind, node, pods]),
    [
      ['budget', 'm', 2],
      ['lay-out', 'm', 2]
    ]
  )
  t.strictSame(
    aPlan({ ...state, budgets: [{ ...budget, disruptionsAllowed: 2 }] }, short).notices.map(
      ({ kind }) => kind
    ),
    ['lay-out']
  )
  t.end()
})
