import { applySteps } from './apply-step.ts'
import { type BudgetNeed, withBudgets } from './budget-terms.ts'
import { tellIsolation } from './isolation-text.ts'
import { orderSteps } from './order/order-steps.ts'
import { type PlanInputs, planInputText } from './plan-input-text.ts'
import { noticesOf, type PlanNotice } from './plan-notices.ts'
import type { PlanState } from './plan-state.ts'
import type { PlanStep } from './plan-step.ts'
import { startWorld } from './plan-world.ts'
import { isSameSeat } from './seat.ts'
import { seatByCounts } from './seat-by-counts.ts'
import type { Target } from './target.ts'

/** Steps of one node, as places in the list of all steps, counted from 0. */
export interface NodeSteps {
  readonly node: string
  readonly steps: readonly number[]
}

/** What a plan comes to. */
export interface PlanTotals {
  readonly steps: number
  /** Pods that end in another seat. */
  readonly podsMoved: number
  /** How often a pod is stopped: more than once where it goes to a spare card for a while. */
  readonly podStops: number
  /** Distinct pods that wait without a GPU for a while. */
  readonly podsWaiting: number
  /** For restarts alone, waiting not counted. */
  readonly costReplicaSeconds: number
  readonly gpusFreed: number
  readonly nodesFreed: number
}

/** What is done step by step to bring a state to a target, as a value. */
export interface Plan {
  /** Of all inputs: another hash means that the plan was made for something else. */
  readonly inputsHash: string
  /** In the order in which they are taken. */
  readonly steps: readonly PlanStep[]
  /** Which node is in hand when: a node comes again only where it had to wait for others. */
  readonly waves: readonly NodeSteps[]
  /** Every node that has steps, by id. */
  readonly nodes: readonly NodeSteps[]
  readonly totals: PlanTotals
  /** What is and what is not kept apart afterwards. */
  readonly isolation: readonly string[]
  readonly notices: readonly PlanNotice[]
}

/** What a plan is made with. */
export interface PlanOptions extends Pick<PlanInputs, 'spares' | 'settings'> {
  /** Hash of a text, such as SHA-256 in hexadecimal; the core has none. */
  readonly hashOf: (text: string) => string
}

/**
 * A plan that brings the state to the target, on nodes and cards that are laid out from empty by the counts of their instances
 * (`seatByCounts`). It has been gone through from the first step to the last: each one's conditions hold once those before it
 * are done, and budgets allow what notices say is needed of them.
 * @throws AppError PLAN_INVALID where no order of steps reaches the target
 */
export function makePlan(state: PlanState, target: Target, options: PlanOptions): Plan {
  const { spares, settings, hashOf } = options
  const reached = seatByCounts(state, target)
  const waves = orderSteps(state, reached, { spares })
  const { steps, needs } = withBudgets(
    waves.flatMap((wave) => wave.steps),
    state.budgets ?? []
  )
  const end = applySteps(startWorld(raiseBudgets(state, needs)), steps)
  return {
    inputsHash: hashOf(planInputText({ state, target, spares, settings })),
    steps,
    waves: numbered(waves),
    nodes: byNode(steps),
    totals: totalsOf(steps, reached),
    isolation: tellIsolation(state, end.state),
    notices: noticesOf(steps, needs)
  }
}

/** The state with budgets that allow what a plan needs of them: where they do not, it says so, and waits until they do. */
function raiseBudgets(state: PlanState, needs: readonly BudgetNeed[]): PlanState {
  if (state.budgets === undefined) return state
  const most = new Map(needs.map(({ budget, needed }) => [budget, needed]))
  const budgets = state.budgets.map((budget) => {
    const { id, disruptionsAllowed } = budget
    return { ...budget, disruptionsAllowed: Math.max(disruptionsAllowed, most.get(id) ?? 0) }
  })
  return { ...state, budgets }
}

function numbered(waves: ReturnType<typeof orderSteps>): readonly NodeSteps[] {
  let next = 0
  return waves.map(({ node, steps }) => ({ node, steps: steps.map(() => next++) }))
}

function byNode(steps: readonly PlanStep[]): readonly NodeSteps[] {
  const groups = Map.groupBy(steps.entries(), ([, { node }]) => node)
  return [...groups]
    .map(([node, own]) => ({ node, steps: own.map(([index]) => index) }))
    .toSorted((a, b) => (a.node < b.node ? -1 : 1))
}

function totalsOf(steps: readonly PlanStep[], target: Target): PlanTotals {
  const costs = steps.map(({ cost }) => cost)
  return {
    steps: steps.length,
    podsMoved: target.moves.filter(({ from, to }) => !isSameSeat(from, to)).length,
    podStops: costs.reduce((sum, { pods }) => sum + pods, 0),
    podsWaiting: new Set(steps.flatMap((step) => (step.kind === 'park' ? [step.pod] : []))).size,
    costReplicaSeconds: costs.reduce((sum, { replicaSeconds }) => sum + replicaSeconds, 0),
    gpusFreed: target.freedCards.length,
    nodesFreed: target.freedNodes.length
  }
}
