import { byId } from './by-id.ts'
import { countingByPod, type PlanBudget } from './plan-state.ts'
import type { PlanStep, Undo } from './plan-step.ts'
import type { Condition } from './precondition.ts'

/** How many pods of a budget are down at one time at most: one that moves until it is back, one that waits all along. */
export interface BudgetNeed {
  readonly budget: string
  readonly needed: number
  readonly allowed: number
  /** The node of the first step by which so many are down. */
  readonly node: string
}

/** Steps with the conditions that budgets put on them, and what budgets are needed for, by id. */
export interface BudgetedSteps {
  readonly steps: readonly PlanStep[]
  readonly needs: readonly BudgetNeed[]
}

type Allows = Extract<Condition, { readonly kind: 'budget-allows' }>

/** Conditions by place of their step in the list. */
type Terms = Map<number, Allows[]>

/** A step that counts for a budget: it stops a pod of it, or brings one back, or cordons a node before it stops some there. */
interface Event {
  readonly at: number
  readonly kind: PlanStep['kind']
  /** Pods that are down before it, while it is taken, and after it. */
  readonly before: number
  readonly during: number
  readonly after: number
}

/**
 * Puts on each step that stops a pod how many of its budget have to be let stop, all that are down until the next one is back;
 * the same on a step that cordons a node for that, and one on each undo that stops a pod.
 */
export function withBudgets(steps: readonly PlanStep[], budgets: readonly PlanBudget[]): BudgetedSteps {
  const counting = budgetsByStep(steps, budgets)
  const [terms, undoTerms]: readonly [Terms, Terms] = [new Map(), new Map()]
  const needs = byId(budgets).flatMap((budget) => {
    const events = eventsOf(steps, counting.get(budget.id) ?? [])
    addTerms(terms, budget, events)
    for (const { at, kind, after } of events)
      if (kind === 'move' || kind === 'resume') addTo(undoTerms, at, allows(budget, 1, after))
    return needOf(steps, budget, events)
  })
  return {
    steps: steps.map((step, at) => ({
      ...step,
      precondition: [...step.precondition, ...(terms.get(at) ?? [])],
      undo: withTerms(step.undo, undoTerms.get(at) ?? [])
    })),
    needs
  }
}

/** By id of the budget: places of the steps that count for it, in order. */
function budgetsByStep(
  steps: readonly PlanStep[],
  budgets: readonly PlanBudget[]
): ReadonlyMap<string, readonly number[]> {
  const byPod = countingByPod(budgets)
  const places = new Map<string, number[]>()
  const stopping = new Stopping()
  for (const [at, step] of [...steps.entries()].toReversed()) {
    const own = 'pod' in step ? (byPod.get(step.pod) ?? []).map(({ id }) => id) : []
    for (const id of stopping.see(step, own)) addTo(places, id, at)
  }
  return new Map([...places].map(([id, list]) => [id, list.toReversed()]))
}

/** From the last step back: budgets of pods that stop on a node until it is uncordoned. */
class Stopping {
  readonly #byNode = new Map<string, Set<string>>()

  /** Budgets that a step counts for: of its own pod, or where it cordons a node, of those that stop there then. */
  see({ kind, node }: PlanStep, own: readonly string[]): Iterable<string> {
    const there = this.#byNode.get(node) ?? new Set<string>()
    if (kind === 'cordon' || kind === 'uncordon') this.#byNode.delete(node)
    else if (kind === 'move' || kind === 'park') {
      for (const id of own) there.add(id)
      this.#byNode.set(node, there)
    }
    return kind === 'cordon' ? there : own
  }
}

function eventsOf(steps: readonly PlanStep[], places: readonly number[]): readonly Event[] {
  let down = 0
  return places.flatMap((at) => {
    const kind = steps[at]?.kind
    if (kind === undefined) return []
    const before = down
    if (kind === 'park') down += 1
    if (kind === 'resume') down -= 1
    return [{ at, kind, before, during: before + (kind === 'move' || kind === 'park' ? 1 : 0), after: down }]
  })
}

function addTerms(terms: Terms, budget: PlanBudget, events: readonly Event[]): void {
  let most = 0
  for (const { at, kind, before, during } of events.toReversed()) {
    most = kind === 'resume' ? 0 : Math.max(most, during)
    if (most > before) addTo(terms, at, allows(budget, most - before, before))
  }
}

function allows({ id, disruptionsAllowed }: PlanBudget, needed: number, down: number): Allows {
  return { kind: 'budget-allows', budget: id, needed, allowed: Math.max(0, disruptionsAllowed - down) }
}

function needOf(
  steps: readonly PlanStep[],
  { id, disruptionsAllowed }: PlanBudget,
  events: readonly Event[]
): readonly BudgetNeed[] {
  const needed = events.reduce((most, { during }) => Math.max(most, during), 0)
  const node = steps[events.find(({ during }) => during === needed)?.at ?? -1]?.node
  if (needed === 0 || node === undefined) return []
  return [{ budget: id, needed, allowed: disruptionsAllowed, node }]
}

function withTerms(undo: Undo, terms: readonly Allows[]): Undo {
  if (undo.kind === 'none' || terms.length === 0) return undo
  const steps = undo.steps.map((step) =>
    step.kind === 'move' || step.kind === 'park'
      ? { ...step, precondition: [...step.precondition, ...terms] }
      : step
  )
  return { ...undo, steps }
}

function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key) ?? []
  list.push(item)
  lists.set(key, list)
}
