import type { PlanState } from './plan-state.ts'

/** A state, and what besides is true while a plan is carried out. */
export interface PlanWorld {
  readonly state: PlanState
  /** Nodes that take no new pods, sorted. */
  readonly cordoned: readonly string[]
  /** Pods that were evicted and have no slot yet, sorted. */
  readonly waiting: readonly string[]
}

/** The world before the first step: every node takes pods but those that somebody cordoned before, and nobody waits. */
export function startWorld(state: PlanState): PlanWorld {
  const cordoned = state.nodes.filter(({ isCordoned = false }) => isCordoned).map(({ id }) => id)
  return { state, cordoned: cordoned.toSorted(), waiting: [] }
}
