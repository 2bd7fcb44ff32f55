import type { PlanCard } from '../plan-state.ts'

/** Ids of the pods of a card, by start. */
export function podsOn({ instances, wholePod }: PlanCard): readonly string[] {
  return [...instances.map(({ pod }) => pod), wholePod].filter((pod) => pod !== undefined)
}
