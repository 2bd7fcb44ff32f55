import { toMicros } from '../../pack/to-micros.ts'
import type { PlanCard, PlanNode, PlanState } from '../plan-state.ts'
import { hasPods, podsOnCard } from '../pods-on-card.ts'
import type { Target } from '../target.ts'
import type { DrainObjective } from './gains.ts'

/** GPUs, nodes, or USD an hour that are in use in the state and not in the target, less what comes into use. */
export function freedBy(state: PlanState, target: Target, objective: DrainObjective): number {
  const moved = new Set(target.moves.map(({ pod }) => pod))
  const taken = new Set(target.moves.map(({ to }) => to.card))
  const isUsedAfter = (card: PlanCard): boolean =>
    taken.has(card.id) || podsOnCard(card).some((pod) => !moved.has(pod))
  const count = (card: PlanCard): number => Number(hasPods(card)) - Number(isUsedAfter(card))
  if (objective === 'gpus')
    return state.nodes.reduce((sum, { cards }) => sum + cards.reduce((own, card) => own + count(card), 0), 0)
  const worth = ({ priceUsdPerHour = 0 }: PlanNode): number => (objective === 'nodes' ? 1 : priceUsdPerHour)
  const change = (node: PlanNode): number =>
    Number(node.cards.some(hasPods)) - Number(node.cards.some(isUsedAfter))
  return toMicros(state.nodes.reduce((sum, node) => sum + worth(node) * change(node), 0))
}
