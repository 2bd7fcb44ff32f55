import { comparePlacements } from '../../gpu/placement.ts'
import { byId } from '../by-id.ts'
import type { PlanCard, PlanState } from '../plan-state.ts'

/** The same state with pools, nodes, cards, pods and budgets by id and instances by start, so that the order in which it was read changes nothing. */
export function sortState({ pools, nodes, pods, budgets }: PlanState): PlanState {
  return {
    ...(budgets === undefined ? {} : { budgets: byId(budgets) }),
    pools: byId(pools),
    nodes: byId(nodes).map((node) => ({ ...node, cards: byId(node.cards).map(sortCard) })),
    pods: byId(pods)
  }
}

function sortCard(card: PlanCard): PlanCard {
  return {
    ...card,
    instances: card.instances.toSorted((a, b) => comparePlacements(a.placement, b.placement))
  }
}
