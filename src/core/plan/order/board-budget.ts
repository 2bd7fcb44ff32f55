import { byId } from '../by-id.ts'
import { countingByPod, type PlanBudget } from '../plan-state.ts'
import type { Board, BoardBudget } from './board.ts'

/** A budget that has no room for more pods before others are back. */
export interface FullBudget {
  readonly budget: string
  /** Those others, by id. */
  readonly waiting: readonly string[]
}

/** By pod: the budgets that count it. */
export function budgetsByPod(budgets: readonly PlanBudget[]): ReadonlyMap<string, readonly BoardBudget[]> {
  return countingByPod(
    byId(budgets).map(({ id, pods, disruptionsAllowed: allowed }) => {
      return { id, pods, allowed, waiting: new Set<string>() }
    })
  )
}

/** By how many pods some budget is exceeded when one more is stopped. */
export function strainOf(board: Board, pod: string): number {
  return Math.max(0, ...budgetsOf(board, pod).map(({ allowed, waiting }) => waiting.size + 1 - allowed))
}

/** The first budget that does not let all these pods be stopped at one time, but will let more once others are back. */
export function fullBudget(board: Board, pods: readonly string[]): FullBudget | undefined {
  if (board.budgets.size === 0) return undefined
  const counts = new Map<BoardBudget, number>()
  for (const pod of pods)
    for (const budget of budgetsOf(board, pod)) counts.set(budget, (counts.get(budget) ?? 0) + 1)
  const full = [...counts].filter(
    ([{ allowed, waiting }, count]) => waiting.size > 0 && waiting.size + count > allowed
  )
  const [first] = byId(full.map(([budget]) => budget))
  return first === undefined ? undefined : { budget: first.id, waiting: [...first.waiting].toSorted() }
}

/** Those of the pods, in their order, that are more than budgets let be stopped at one time. */
export function overBudget(board: Board, pods: readonly string[]): readonly string[] {
  const counts = new Map<BoardBudget, number>()
  return pods.filter((pod) => {
    const own = budgetsOf(board, pod)
    const countOf = (budget: BoardBudget): number => counts.get(budget) ?? budget.waiting.size
    if (own.some((budget) => countOf(budget) >= budget.allowed)) return true
    for (const budget of own) counts.set(budget, countOf(budget) + 1)
    return false
  })
}

function budgetsOf(board: Board, pod: string): readonly BoardBudget[] {
  return board.budgets.get(pod) ?? []
}
