import type { Placement } from '../gpu/placement.ts'
import { WHOLE_CARD } from '../pack/card-class.ts'
import type { Seat } from './target.ts'

/** Name of a slot on its card: `1g.10gb@4`, or `whole` for the uncut card. */
export function slotKey(placement: Placement | undefined): string {
  return placement === undefined ? WHOLE_CARD : `${placement.profile}@${placement.start}`
}

/** A seat in words, the same for the same seat: `node-a/GPU-1/1g.10gb@4`. */
export function tellSeat({ node, card, placement }: Seat): string {
  return `${node}/${card}/${slotKey(placement)}`
}

/** True when both are the same slot of the same card. */
export function isSameSeat(a: Seat, b: Seat): boolean {
  return tellSeat(a) === tellSeat(b)
}

/** Instances of a card in words, by start; `uncut` where there are none. */
export function tellInstances(instances: readonly Placement[]): string {
  return instances.length === 0 ? 'uncut' : instances.map(slotKey).join(' + ')
}

/** True when both lists, each by start, are the same instances. */
export function isSameLayout(a: readonly Placement[], b: readonly Placement[]): boolean {
  return a === b || tellInstances(a) === tellInstances(b)
}
