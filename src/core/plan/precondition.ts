import { comparePlacements, type Placement } from '../gpu/placement.ts'
import type { PlanState } from './plan-state.ts'
import { findCard, findNode, type PlanWorld, podInSeat, podsOnCard } from './plan-world.ts'
import { isSameLayout, slotKey } from './seat.ts'
import type { Seat } from './target.ts'

interface Place {
  readonly node: string
  readonly card: string
}

/** One thing that has to be so before a step is taken. */
export type Condition =
  | { readonly kind: 'pod-runs-in'; readonly pod: string; readonly seat: Seat }
  | { readonly kind: 'pod-waits'; readonly pod: string }
  /** The instance is there and idle; for an uncut card, there are no instances and nobody has it. */
  | { readonly kind: 'seat-is-free'; readonly seat: Seat }
  /** Nobody on the card is of another tenant; without one, nobody there has one. */
  | ({ readonly kind: 'no-other-tenant'; readonly tenant?: string } & Place)
  /** Exactly these instances, by start, and nobody has the card uncut. */
  | ({ readonly kind: 'card-holds'; readonly instances: readonly Placement[] } & Place)
  | ({ readonly kind: 'slots-are-idle'; readonly placements: readonly Placement[] } & Place)
  | ({ readonly kind: 'card-has-no-pods' } & Place)
  | { readonly kind: 'node-has-no-gpu-pods'; readonly node: string }
  | { readonly kind: 'node-is-cordoned'; readonly node: string }
  | { readonly kind: 'node-takes-pods'; readonly node: string }
  | {
      readonly kind: 'node-has-room'
      readonly node: string
      readonly cpuMilli: number
      readonly memoryMiB: number
    }

/** True when the condition is met in the world as it is; of a node or card that is not there, none is. */
export function holds(condition: Condition, world: PlanWorld): boolean {
  const { state } = world
  switch (condition.kind) {
    case 'pod-runs-in':
      return podInSeat(state, condition.seat) === condition.pod
    case 'pod-waits':
      return world.waiting.includes(condition.pod)
    case 'seat-is-free':
      return isFree(state, condition.seat)
    case 'node-is-cordoned':
      return world.cordoned.includes(condition.node)
    case 'node-takes-pods':
      return !world.cordoned.includes(condition.node)
    case 'node-has-no-gpu-pods':
      return findNode(state, condition.node)?.cards.every((card) => podsOnCard(card).length === 0) ?? false
    case 'node-has-room':
      return hasRoom(state, condition)
    default:
      return holdsOnCard(condition, state)
  }
}

type OnCard = Extract<Condition, Place>

function holdsOnCard(condition: OnCard, state: PlanState): boolean {
  const card = findCard(state, condition)
  if (card === undefined) return false
  const pods = podsOnCard(card)
  switch (condition.kind) {
    case 'no-other-tenant':
      return state.pods.every(({ id, tenant }) => !pods.includes(id) || tenant === condition.tenant)
    case 'card-holds': {
      const live = card.instances.map(({ placement }) => placement).toSorted(comparePlacements)
      return card.wholePod === undefined && isSameLayout(live, condition.instances)
    }
    case 'slots-are-idle':
      return condition.placements.every(
        (placement) => podInSeat(state, { ...condition, placement }) === undefined
      )
    case 'card-has-no-pods':
      return pods.length === 0
  }
}

function hasRoom(
  state: PlanState,
  { node, cpuMilli, memoryMiB }: Extract<Condition, { readonly kind: 'node-has-room' }>
): boolean {
  const found = findNode(state, node)
  if (found === undefined) return false
  const { freeCpuMilli = cpuMilli, freeMemoryMiB = memoryMiB } = found
  return freeCpuMilli >= cpuMilli && freeMemoryMiB >= memoryMiB
}

function isFree(state: PlanState, seat: Seat): boolean {
  const card = findCard(state, seat)
  if (card === undefined || card.wholePod !== undefined) return false
  if (seat.placement === undefined) return card.instances.length === 0
  const key = slotKey(seat.placement)
  return card.instances.some(({ placement, pod }) => slotKey(placement) === key && pod === undefined)
}
