import type { Placement } from '../gpu/placement.ts'
import type { LiveInstance, PlanCard, PlanNode, PlanPod, PlanState } from './plan-state.ts'
import { slotKey } from './seat.ts'
import type { Seat } from './target.ts'

/** A state, and what besides is true while a plan is carried out. */
export interface PlanWorld {
  readonly state: PlanState
  /** Nodes that take no new pods, sorted. */
  readonly cordoned: readonly string[]
  /** Pods that were evicted and have no slot yet, sorted. */
  readonly waiting: readonly string[]
}

/** The world before the first step: every node takes pods, and nobody waits. */
export function startWorld(state: PlanState): PlanWorld {
  return { state, cordoned: [], waiting: [] }
}

/** One node of a state. */
export function findNode(state: PlanState, id: string): PlanNode | undefined {
  return state.nodes.find((node) => node.id === id)
}

/** One card of a state, on the node where it should be. */
export function findCard(state: PlanState, seat: Pick<Seat, 'node' | 'card'>): PlanCard | undefined {
  return findNode(state, seat.node)?.cards.find(({ id }) => id === seat.card)
}

/** Everybody on a card, by start. */
export function podsOnCard({ instances, wholePod }: PlanCard): readonly string[] {
  return [...(wholePod === undefined ? [] : [wholePod]), ...instances.flatMap(({ pod }) => pod ?? [])]
}

/** Who runs in a seat. */
export function podInSeat(state: PlanState, seat: Seat): string | undefined {
  const card = findCard(state, seat)
  if (seat.placement === undefined) return card?.wholePod
  return card?.instances.find(({ placement }) => slotKey(placement) === slotKey(seat.placement))?.pod
}

/** The state with a pod in a seat; what it takes of the node is no longer free. */
export function withPodIn(state: PlanState, seat: Seat, pod: string): PlanState {
  const seated = changeCard(state, seat, (card) => {
    if (seat.placement === undefined) return { ...card, wholePod: pod }
    const key = slotKey(seat.placement)
    return {
      ...card,
      instances: card.instances.map((live) => (slotKey(live.placement) === key ? { ...live, pod } : live))
    }
  })
  return changeRoom(seated, seat.node, { pod, sign: -1 })
}

/** The state with nobody in a seat; what the pod took of the node is free again. */
export function withoutPodIn(state: PlanState, seat: Seat, pod: string): PlanState {
  const left = changeCard(state, seat, ({ wholePod, ...card }) => ({
    ...card,
    ...(wholePod === undefined || wholePod === pod ? {} : { wholePod }),
    instances: card.instances.map((live) => (live.pod === pod ? { placement: live.placement } : live))
  }))
  return changeRoom(left, seat.node, { pod, sign: 1 })
}

/** The state with a card that holds these instances; who runs in one that was there stays in it. */
export function withLayout(
  state: PlanState,
  place: Pick<Seat, 'node' | 'card'>,
  placements: readonly Placement[]
): PlanState {
  return changeCard(state, place, (card) => {
    const live = new Map(card.instances.map((instance) => [slotKey(instance.placement), instance]))
    const instances = placements.map(
      (placement): LiveInstance => live.get(slotKey(placement)) ?? { placement }
    )
    return { ...card, instances }
  })
}

function changeCard(
  state: PlanState,
  place: Pick<Seat, 'node' | 'card'>,
  change: (card: PlanCard) => PlanCard
): PlanState {
  return changeNode(state, place.node, (node) => {
    return { ...node, cards: node.cards.map((card) => (card.id === place.card ? change(card) : card)) }
  })
}

function changeRoom(
  state: PlanState,
  node: string,
  { pod, sign }: { readonly pod: string; readonly sign: 1 | -1 }
): PlanState {
  const { cpuMilli = 0, memoryMiB = 0 }: Partial<PlanPod> = state.pods.find(({ id }) => id === pod) ?? {}
  return changeNode(state, node, ({ freeCpuMilli, freeMemoryMiB, ...rest }) => ({
    ...rest,
    ...(freeCpuMilli === undefined ? {} : { freeCpuMilli: freeCpuMilli + sign * cpuMilli }),
    ...(freeMemoryMiB === undefined ? {} : { freeMemoryMiB: freeMemoryMiB + sign * memoryMiB })
  }))
}

function changeNode(state: PlanState, id: string, change: (node: PlanNode) => PlanNode): PlanState {
  return { ...state, nodes: state.nodes.map((node) => (node.id === id ? change(node) : node)) }
}
