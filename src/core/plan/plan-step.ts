import type { Placement } from '../gpu/placement.ts'
import type { Condition } from './precondition.ts'
import type { Seat } from './target.ts'

/** Why a pod has to wait without a slot: for its own cards, or in a cycle that no spare card breaks, or as before its step. */
export type WhyParked = 'lay-out' | 'no-spare' | 'no-spare-holds-it' | 'undo'

/**
 * One card laid out anew, both by start. On nodes and cards that are laid out from empty, `after` is wanted by the counts of its
 * profiles: the driver picks the places, and who takes the steps calls `remapSeats` for the steps that follow.
 */
export interface CardChange {
  readonly card: string
  readonly before: readonly Placement[]
  readonly after: readonly Placement[]
}

/** What one step does. `node` is the node that it changes; for a pod that leaves, the one that it leaves. */
export type Action =
  /** From here on the node takes no new pods. */
  | { readonly kind: 'cordon'; readonly node: string }
  | { readonly kind: 'uncordon'; readonly node: string }
  | {
      readonly kind: 'move'
      readonly node: string
      readonly pod: string
      readonly from: Seat
      readonly to: Seat
      /** `to-spare`: only for a while, and `from-spare` follows. */
      readonly purpose: 'target' | 'to-spare' | 'from-spare'
    }
  /** The pod is evicted and waits until `until` is there. */
  | {
      readonly kind: 'park'
      readonly node: string
      readonly pod: string
      readonly from: Seat
      readonly until: Seat
      readonly why: WhyParked
    }
  /** A pod that waited gets its slot. */
  | { readonly kind: 'resume'; readonly node: string; readonly pod: string; readonly to: Seat }
  | { readonly kind: 'lay-out'; readonly node: string; readonly cards: readonly CardChange[] }
  /** Says that the card, or where none is named the node, is free now; changes nothing. */
  | { readonly kind: 'release'; readonly node: string; readonly card?: string }

/** What a step costs. */
export interface StepCost {
  /** Seconds in which one replica does not serve, for restarts alone; how long a pod waits is not in it. */
  readonly replicaSeconds: number
  /** Pods that are stopped. */
  readonly pods: number
}

/** Steps that bring back what was before, in order, or why there is nothing to bring back. */
export type Undo =
  | { readonly kind: 'steps'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'none'; readonly why: string }

/** One step of a plan: taken only while all of `precondition` holds. */
export type PlanStep = Action & {
  readonly precondition: readonly Condition[]
  readonly cost: StepCost
  readonly undo: Undo
}
