import type { PlanCard, PlanNode, PlanState } from './plan-state.ts'
import type { Seat } from './target.ts'

/** Everybody on a card: who has it uncut, those in instances by start, then those who share it, by id. */
export function podsOnCard({ instances, wholePod, sharedPods = [] }: PlanCard): readonly string[] {
  const alone = [...(wholePod === undefined ? [] : [wholePod]), ...instances.flatMap(({ pod }) => pod ?? [])]
  return sharedPods.length === 0 ? alone : [...alone, ...sharedPods.toSorted()]
}

/** Whether anybody is on a card, uncut, in an instance or sharing it. */
export function hasPods({ instances, wholePod, sharedPods = [] }: PlanCard): boolean {
  return wholePod !== undefined || sharedPods.length > 0 || instances.some(({ pod }) => pod !== undefined)
}

/** Pods of a state that have a seat, and their seats. */
export function seatsInState({
  nodes
}: Pick<PlanState, 'nodes'>): readonly (readonly [pod: string, seat: Seat])[] {
  return nodes.flatMap((node) => node.cards.flatMap((card) => seatsOnCard(node, card)))
}

/** Pods of a card that have a seat there, and their seats; those who share the card have none. */
export function seatsOnCard(
  { id: node }: Pick<PlanNode, 'id'>,
  { id: card, instances, wholePod }: PlanCard
): readonly (readonly [pod: string, seat: Seat])[] {
  const cut = instances.flatMap(({ pod, placement }) =>
    pod === undefined ? [] : [[pod, { node, card, placement }] as const]
  )
  return wholePod === undefined ? cut : [[wholePod, { node, card }] as const, ...cut]
}
