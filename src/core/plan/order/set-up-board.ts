import { AppError } from '../../errors.ts'
import { comparePlacements, type Placement } from '../../gpu/placement.ts'
import { byId } from '../by-id.ts'
import type { PlanCard, PlanNode, PlanPod, PlanPool, PlanState } from '../plan-state.ts'
import { seatsInState } from '../pods-on-card.ts'
import { isSameLayout, slotKey } from '../seat.ts'
import type { Seat, Target } from '../target.ts'
import { type Block, type Board, type BoardCard, type BoardNode, cardOn, podOn } from './board.ts'
import { budgetsByPod } from './board-budget.ts'

/**
 * The board of a state that is to reach a target.
 * @throws AppError PLAN_INVALID where one names what the other does not have
 */
export function setUpBoard(state: PlanState, target: Target): Board {
  const layouts = new Map(target.layouts.map(({ card, instances }) => [card, byStart(instances)]))
  const nodes = byId(state.nodes).map((node) => boardNode(node, poolOf(state, node), layouts))
  const seats = seatsIn(state)
  const board: Board = {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    cards: new Map(nodes.flatMap(({ cards }) => cards).map((card) => [card.id, card])),
    pods: new Map(podsIn(state).map((pod) => [pod.id, pod])),
    goals: new Map([...seats, ...target.moves.map(({ pod, to }) => [pod, copyOf(to)] as const)]),
    seats,
    waiting: new Set(),
    budgets: budgetsByPod(state.budgets ?? []),
    blocks: new Map(nodes.flatMap(blocksOf).flatMap(byCard))
  }
  for (const [pod, { card, placement }] of seats) {
    cardOn(board, card).pods.set(slotKey(placement), podOn(board, pod).id)
  }
  for (const [pod, { card, placement }] of board.goals) {
    cardOn(board, card).incoming.set(slotKey(placement), podOn(board, pod).id)
  }
  return board
}

/** All pods; who shares a card, or has several, stays. */
function podsIn({ nodes, pods }: PlanState): readonly PlanPod[] {
  const shared = new Set(nodes.flatMap(({ cards }) => cards.flatMap(({ sharedPods = [] }) => sharedPods)))
  if (shared.size === 0) return pods
  return pods.map((pod) => (shared.has(pod.id) ? { stays: 'it shares a card or has several', ...pod } : pod))
}

function poolOf({ pools }: PlanState, node: PlanNode): PlanPool {
  const pool = pools.find(({ id }) => id === node.pool)
  if (pool === undefined) throw new AppError('PLAN_INVALID', `the state has no pool ${node.pool}`)
  return pool
}

function boardNode(
  node: PlanNode,
  pool: PlanPool,
  layouts: ReadonlyMap<string, readonly Placement[]>
): BoardNode {
  return {
    id: node.id,
    unit: node.unit,
    pool,
    stays: node.stays,
    cards: byId(node.cards).map((card) => boardCard(node.id, card, layouts.get(card.id))),
    free: { cpuMilli: node.freeCpuMilli ?? Infinity, memoryMiB: node.freeMemoryMiB ?? Infinity },
    staysCordoned: node.isCordoned ?? false,
    isCordoned: node.isCordoned ?? false
  }
}

function boardCard(
  node: string,
  { id, instances, sharedPods = [], stays }: PlanCard,
  wanted: readonly Placement[] | undefined
): BoardCard {
  const first = byStart(instances.map(({ placement }) => placement))
  return {
    id,
    node,
    first,
    wanted: wanted ?? first,
    stays: stays ?? whyShared(sharedPods),
    shared: sharedPods.toSorted(),
    incoming: new Map(),
    pods: new Map(),
    live: first
  }
}

function whyShared(pods: readonly string[]): string | undefined {
  return pods.length === 0 ? undefined : `${pods.toSorted().join(', ')} share it or have several cards`
}

/** Where every pod of a state runs; who shares a card has no seat. */
function seatsIn(state: PlanState): Map<string, Seat> {
  return new Map(seatsInState(state).map(([pod, seat]) => [pod, copyOf(seat)]))
}

function blocksOf(node: BoardNode): readonly Block[] {
  const changed = node.cards.filter(({ first, wanted }) => !isSameLayout(first, wanted))
  if (node.unit === 'instance' || changed.length === 0) return []
  if (node.unit === 'node') return [{ id: node.id, node, cards: node.cards, changed }]
  return changed.map((card) => ({ id: `${node.id}/${card.id}`, node, cards: [card], changed: [card] }))
}

function byCard(block: Block): readonly (readonly [string, Block])[] {
  return block.cards.map(({ id }) => [id, block])
}

/** Placements with their fields in one order, so that a plan does not depend on that of its input. */
function byStart(placements: readonly Placement[]): readonly Placement[] {
  return placements.toSorted(comparePlacements).map(({ profile, start, size }) => ({ profile, start, size }))
}

function copyOf({ node, card, placement }: Seat): Seat {
  const [copy] = placement === undefined ? [] : byStart([placement])
  return { node, card, ...(copy === undefined ? {} : { placement: copy }) }
}
