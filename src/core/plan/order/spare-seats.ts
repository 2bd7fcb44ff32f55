import { placeLayout } from '../../gpu/geometry.ts'
import type { Placement } from '../../gpu/placement.ts'
import { WHOLE_CARD } from '../../pack/card-class.ts'
import { dealPlaces } from '../deal-places.ts'
import type { PlanPod } from '../plan-state.ts'
import type { Seat } from '../target.ts'
import {
  type Board,
  type BoardCard,
  type BoardNode,
  cardOn,
  isEmpty,
  nodeOn,
  podOn,
  seatOf
} from './board.ts'

/** A spare card as it has to be for some pods, and where each of them goes. */
export interface SpareSeats {
  readonly card: BoardCard
  /** The card's instances, by start. */
  readonly layout: readonly Placement[]
  readonly seats: readonly { readonly pod: string; readonly to: Seat }[]
}

/** The first spare that holds all of these pods at one time; undefined where none does. */
export function findSpareSeats(
  board: Board,
  spares: readonly string[],
  pods: readonly string[]
): SpareSeats | undefined {
  const known = pods.map((pod) => podOn(board, pod))
  const pools = new Set(pods.map((pod) => nodeOn(board, seatOf(board, pod).node).pool.id))
  const areTogether = pools.size === 1 && new Set(known.map(({ tenant }) => tenant)).size === 1
  if (!areTogether) return undefined
  for (const id of spares) {
    const card = cardOn(board, id)
    const node = nodeOn(board, card.node)
    const isOpen = pools.has(node.pool.id) && isIdle(board, card) && hasRoom(node, known)
    const seats = isOpen ? seatsOn(board, card, known) : undefined
    if (seats !== undefined) return seats
  }
  return undefined
}

function isIdle(board: Board, card: BoardCard): boolean {
  return isEmpty(card) && !board.blocks.has(card.id)
}

function hasRoom({ free }: BoardNode, pods: readonly PlanPod[]): boolean {
  const sum = (of: (pod: PlanPod) => number | undefined): number =>
    pods.reduce((total, pod) => total + (of(pod) ?? 0), 0)
  return (
    sum(({ cpuMilli }) => cpuMilli) <= free.cpuMilli && sum(({ memoryMiB }) => memoryMiB) <= free.memoryMiB
  )
}

/** A pod that is to go to a spare, and the slot that it needs there. */
interface Guest {
  readonly pod: string
  readonly slot: string
}

/** As the card is where that will do, or else laid out for them where nobody else has to stop for it. */
function seatsOn(board: Board, card: BoardCard, pods: readonly PlanPod[]): SpareSeats | undefined {
  const { pool } = nodeOn(board, card.node)
  const guests = pods.flatMap(({ id: pod, slots }): readonly Guest[] => {
    const slot = slots[pool.id]
    return slot === undefined ? [] : [{ pod, slot }]
  })
  if (guests.length < pods.length) return undefined
  const slots = guests.map(({ slot }) => slot)
  for (const layout of [card.live, ...(mayLayOut(board, card) ? madeFor(board, card, slots) : [])]) {
    const seats = seatsIn(card, layout, guests)
    if (seats.length === guests.length) return { card, layout, seats }
  }
  return undefined
}

/** A seat of its own for each guest, as far as these are there. */
function seatsIn(
  { node, id: card }: BoardCard,
  layout: readonly Placement[],
  guests: readonly Guest[]
): SpareSeats['seats'] {
  if (layout.length > 0)
    return dealPlaces(layout, guests, ({ slot }) => slot).map(([{ pod }, placement]) => {
      return { pod, to: { node, card, placement } }
    })
  return guests
    .filter(({ slot }) => slot === WHOLE_CARD)
    .slice(0, 1)
    .map(({ pod }) => ({ pod, to: { node, card } }))
}

/** True where no pod that runs on the node, or that ends there, has to stop for the card now or later. */
function mayLayOut(board: Board, card: BoardCard): boolean {
  const { unit, cards } = nodeOn(board, card.node)
  return unit !== 'node' || cards.every((other) => isEmpty(other) && other.incoming.size === 0)
}

function madeFor(board: Board, card: BoardCard, slots: readonly string[]): readonly (readonly Placement[])[] {
  const { model, profiles } = nodeOn(board, card.node).pool
  if (slots.every((slot) => slot === WHOLE_CARD)) return [[]]
  if (!slots.every((slot) => profiles.includes(slot))) return []
  const counts = [...Map.groupBy(slots, (slot) => slot)].map(([slot, { length }]) => [slot, length] as const)
  const placed = placeLayout(model, Object.fromEntries(counts))
  return placed.fits ? [placed.placements] : []
}
