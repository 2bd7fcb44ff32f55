import { comparePlacements, type Placement } from '../gpu/placement.ts'
import type { PlanCard, PlanNode } from './plan-state.ts'
import { hasPods, podsOnCard } from './pods-on-card.ts'
import { isSameLayout, slotKey } from './seat.ts'
import type { Place, Seat } from './target.ts'
import type { WorldIndex } from './world-index.ts'

/** One thing that has to be so before a step is taken. */
export type Condition =
  | { readonly kind: 'pod-runs-in'; readonly pod: string; readonly seat: Seat }
  | { readonly kind: 'pod-waits'; readonly pod: string }
  /** The instance is there and idle; for an uncut card, there are no instances; and nobody has or shares the card. */
  | { readonly kind: 'seat-is-free'; readonly seat: Seat }
  /** Nobody on the card is of another tenant; without one, nobody there has one. */
  | ({ readonly kind: 'no-other-tenant'; readonly tenant?: string } & Place)
  /** Exactly these instances, by start, and nobody has the card uncut or shares it. */
  | ({ readonly kind: 'card-holds'; readonly instances: readonly Placement[] } & Place)
  | ({ readonly kind: 'slots-are-idle'; readonly placements: readonly Placement[] } & Place)
  | ({ readonly kind: 'card-has-no-pods' } & Place)
  | { readonly kind: 'node-has-no-gpu-pods'; readonly node: string }
  | { readonly kind: 'node-is-cordoned'; readonly node: string }
  | { readonly kind: 'node-takes-pods'; readonly node: string }
  /**
   * The budget lets so many more of its pods be stopped, all those that are down before the next one is back; a budget that is
   * not there lets all. `allowed` is what it let when the plan was made, those counted that are down by then.
   */
  | {
      readonly kind: 'budget-allows'
      readonly budget: string
      readonly needed: number
      readonly allowed: number
    }
  | {
      readonly kind: 'node-has-room'
      readonly node: string
      readonly cpuMilli: number
      readonly memoryMiB: number
    }

/** True when the condition is met in the world as it is; of a node or card that is not there, none is. */
export function holds(condition: Condition, world: WorldIndex): boolean {
  switch (condition.kind) {
    case 'pod-runs-in':
      return world.podIn(condition.seat) === condition.pod
    case 'pod-waits':
      return world.isWaiting(condition.pod)
    case 'seat-is-free':
      return isFree(world.card(condition.seat), condition.seat)
    case 'budget-allows':
      return (world.allowedBy(condition.budget) ?? Infinity) >= condition.needed
    default:
      return 'card' in condition ? holdsOnCard(condition, world) : holdsOnNode(condition, world)
  }
}

type OnCard = Extract<Condition, Place>
type OnNode = Exclude<Extract<Condition, { readonly node: string }>, Place>

function holdsOnNode(condition: OnNode, world: WorldIndex): boolean {
  switch (condition.kind) {
    case 'node-is-cordoned':
      return world.isCordoned(condition.node)
    case 'node-takes-pods':
      return !world.isCordoned(condition.node)
    case 'node-has-no-gpu-pods':
      return world.node(condition.node)?.cards.every((card) => !hasPods(card)) ?? false
    case 'node-has-room':
      return hasRoom(world.node(condition.node), condition)
  }
}

function holdsOnCard(condition: OnCard, world: WorldIndex): boolean {
  const card = world.card(condition)
  if (card === undefined) return false
  switch (condition.kind) {
    case 'no-other-tenant':
      return podsOnCard(card).every((id) => {
        const pod = world.pod(id)
        return pod === undefined || pod.tenant === condition.tenant
      })
    case 'card-holds': {
      const live = card.instances.map(({ placement }) => placement).toSorted(comparePlacements)
      return !isTaken(card) && isSameLayout(live, condition.instances)
    }
    case 'slots-are-idle':
      return condition.placements.every((placement) => world.podIn({ ...condition, placement }) === undefined)
    case 'card-has-no-pods':
      return !hasPods(card)
  }
}

function hasRoom(
  node: PlanNode | undefined,
  { cpuMilli, memoryMiB }: Extract<Condition, { readonly kind: 'node-has-room' }>
): boolean {
  if (node === undefined) return false
  const { freeCpuMilli = cpuMilli, freeMemoryMiB = memoryMiB } = node
  return freeCpuMilli >= cpuMilli && freeMemoryMiB >= memoryMiB
}

function isFree(card: PlanCard | undefined, { placement: asked }: Seat): boolean {
  if (card === undefined || isTaken(card)) return false
  if (asked === undefined) return card.instances.length === 0
  const key = slotKey(asked)
  return card.instances.some(({ placement, pod }) => slotKey(placement) === key && pod === undefined)
}

/** True where somebody has the card, not one of its instances. */
function isTaken({ wholePod, sharedPods = [] }: PlanCard): boolean {
  return wholePod !== undefined || sharedPods.length > 0
}
