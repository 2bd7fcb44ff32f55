import { comparePlacements, type Placement } from '../gpu/placement.ts'
import { dealPlaces } from './deal-places.ts'
import type { PlanCard, PlanState } from './plan-state.ts'
import { isSameLayout, slotKey } from './seat.ts'
import type { CardLayout, Move, Target } from './target.ts'

/**
 * The same target by what can be asked of nodes and cards that are laid out from empty: there the MIG manager is told how many
 * instances of each profile, the driver picks their places, and a card that holds them already is left alone. Such a card is not
 * laid out: its pods stay in instances of the profile that they have, and those that come take live ones of theirs, idle ones first.
 * A layout that its pods do not fit by counts stays as it is, to be refused with what is wrong with it.
 * @source https://github.com/NVIDIA/mig-parted (profiles are compared and created without positions)
 */
export function seatByCounts({ nodes }: PlanState, target: Target): Target {
  const cards = new Map(
    nodes.flatMap(({ unit, cards: own }) => (unit === 'instance' ? [] : own.map((card) => [card.id, card])))
  )
  const layouts = Map.groupBy(target.layouts, ({ card }) => card)
  const arrivals = Map.groupBy(target.moves, ({ to }) => to.card)
  const leaving = new Set(target.moves.map(({ pod }) => pod))
  const seated = new Map(
    [...layouts].flatMap(([id, [layout, ...more]]) => {
      const card = cards.get(id)
      if (card === undefined || layout === undefined || more.length > 0) return []
      const seats = liveSeats({ card, layout, arrivals: arrivals.get(id) ?? [], leaving })
      return seats === undefined ? [] : [[id, seats] as const]
    })
  )
  if (seated.size === 0) return target
  return {
    ...target,
    moves: target.moves.map((move) => {
      const placement = seated.get(move.to.card)?.get(move.pod)
      return placement === undefined ? move : { ...move, to: { ...move.to, placement } }
    }),
    layouts: target.layouts.filter(({ card }) => !seated.has(card))
  }
}

/** True when both lists have the same number of instances of each profile, wherever these are. */
export function hasSameCounts(a: readonly Placement[], b: readonly Placement[]): boolean {
  const names = (placements: readonly Placement[]): string =>
    placements
      .map(({ profile }) => profile)
      .toSorted()
      .join(' ')
  return names(a) === names(b)
}

interface Arriving {
  readonly card: PlanCard
  readonly layout: CardLayout
  /** Moves that end on the card. */
  readonly arrivals: readonly Move[]
  /** All pods that move. */
  readonly leaving: ReadonlySet<string>
}

/** Where on the card as it is each arriving pod ends; undefined where the card has to change, or does not take them. */
function liveSeats({
  card,
  layout,
  arrivals,
  leaving
}: Arriving): ReadonlyMap<string, Placement> | undefined {
  const live = card.instances.map(({ placement }) => placement).toSorted(comparePlacements)
  const wanted = layout.instances.toSorted(comparePlacements)
  if (isSameLayout(live, wanted) || !hasSameCounts(live, wanted)) return undefined
  const open = new Set(wanted.map(slotKey))
  const coming = arrivals.toSorted((a, b) => (slotKey(a.to.placement) < slotKey(b.to.placement) ? -1 : 1))
  if (!coming.every(({ to }) => open.delete(slotKey(to.placement)))) return undefined
  const staying = new Map(coming.flatMap((move) => stayOf(card, move)))
  const isHeld = (pod: string | undefined): boolean =>
    pod !== undefined && (staying.has(pod) || !leaving.has(pod))
  const free = [false, true].flatMap((isUsed) =>
    card.instances
      .filter(({ pod }) => !isHeld(pod) && (pod !== undefined) === isUsed)
      .map(({ placement }) => placement)
      .toSorted(comparePlacements)
  )
  const others = coming.filter(({ pod }) => !staying.has(pod))
  const dealt = dealPlaces(free, others, ({ to }) => to.placement?.profile)
  if (dealt.length < others.length) return undefined
  return new Map([...staying, ...dealt.map(([{ pod }, placement]) => [pod, placement] as const)])
}

/** The instance of a pod that would only go to another of the same profile on its card. */
function stayOf(card: PlanCard, { pod, from, to }: Move): readonly (readonly [string, Placement])[] {
  const isThere = from.card === to.card && from.placement?.profile === to.placement?.profile
  const own = card.instances.find((live) => live.pod === pod)
  const isTrue = own !== undefined && slotKey(own.placement) === slotKey(from.placement)
  return isThere && isTrue ? [[pod, own.placement]] : []
}
