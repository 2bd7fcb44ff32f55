import type { Placement } from '../gpu/placement.ts'

/** One card, on the node where it is. */
export interface Place {
  readonly node: string
  readonly card: string
}

/** Where a pod runs: an instance of a card, or the card uncut where there is no placement. */
export interface Seat extends Place {
  readonly placement?: Placement
}

/** A pod that goes elsewhere; `from` and `to` may be on one card that is laid out anew, and it starts anew all the same. */
export interface Move {
  readonly pod: string
  readonly from: Seat
  readonly to: Seat
}

/**
 * Instances of a card once all is done, by start; none where it stays empty or is given away uncut. By counts of profiles on nodes
 * and cards that are laid out from empty, where the driver picks the places.
 */
export interface CardLayout extends Place {
  readonly instances: readonly Placement[]
}

/** What is to be reached from a state. Cards and pods that are not named stay as they are. */
export interface Target {
  readonly moves: readonly Move[]
  /** Cards whose instances change. */
  readonly layouts: readonly CardLayout[]
  /** Cards that hold a pod now and none afterwards. */
  readonly freedCards: readonly string[]
  /** Nodes on which no pod with a GPU is left. */
  readonly freedNodes: readonly string[]
}
