import { compareText } from '../../compare-text.ts'
import { AppError } from '../../errors.ts'
import type { GpuModel } from '../../gpu/catalog.ts'
import { comparePlacements, type Placement } from '../../gpu/placement.ts'
import type { PlanCard, PlanNode, PlanState } from '../plan-state.ts'
import { hasPods, podsOnCard } from '../pods-on-card.ts'
import { isSameLayout, isSameSeat } from '../seat.ts'
import type { Seat, Target } from '../target.ts'
import { layOutBeside } from './lay-out-beside.ts'
import type { OpenSeat } from './seat-pods.ts'

/** Who leaves from where, and who takes which seat. */
export interface Change {
  readonly leaving: ReadonlyMap<string, Seat>
  readonly taken: ReadonlyMap<string, OpenSeat>
}

/**
 * What is to be reached when these pods leave and take these seats. Who would come back to the same seat stays, unless
 * everything stops there.
 */
export function targetOf({ pools, nodes }: PlanState, { leaving, taken }: Change): Target {
  const models = new Map(pools.map(({ id, model }) => [id, model]))
  const byCard = Map.groupBy(taken, ([, { ref }]) => ref.card.id)
  const filled = [...byCard.values()].flatMap((own) => {
    const [first] = own
    const model = first && models.get(first[1].pool)
    return first === undefined || model === undefined ? [] : [fillCard(model, first[1], own)]
  })
  const seats = new Map(filled.flatMap((card) => card.seats))
  const isLeft = (card: PlanCard): boolean =>
    !byCard.has(card.id) && (!hasPods(card) || podsOnCard(card).every((pod) => leaving.has(pod)))
  const layouts = filled.flatMap(({ layout }) => layout ?? [])
  const stopped = stoppedBy(nodes, layouts)
  const moves = [...leaving].flatMap(([pod, from]) => {
    const to = seats.get(pod)
    return to === undefined || (isSameSeat(from, to) && !stopped.has(to.card)) ? [] : [{ pod, from, to }]
  })
  return {
    moves: moves.toSorted((a, b) => compareText(a.pod, b.pod)),
    layouts: layouts.toSorted((a, b) => compareText(a.card, b.card)),
    freedCards: nodes
      .flatMap(({ cards }) => cards.filter((card) => hasPods(card) && isLeft(card)))
      .map(({ id }) => id)
      .toSorted(),
    freedNodes: nodes
      .filter(({ cards }) => cards.some(hasPods) && cards.every(isLeft))
      .map(({ id }) => id)
      .toSorted()
  }
}

/** Cards on which everything stops when these are laid out. */
function stoppedBy(nodes: readonly PlanNode[], layouts: Target['layouts']): ReadonlySet<string> {
  const changed = new Set(layouts.map(({ card }) => card))
  const cards = nodes.flatMap(({ unit, cards: all }) => {
    if (unit === 'instance') return []
    const own = all.filter(({ id }) => changed.has(id))
    return unit === 'node' && own.length > 0 ? all : own
  })
  return new Set(cards.map(({ id }) => id))
}

/** A card that pods come to: the seat of each, and its instances where they change. */
interface FilledCard {
  readonly seats: readonly (readonly [pod: string, seat: Seat])[]
  readonly layout: Target['layouts'][number] | undefined
}

function fillCard(
  model: GpuModel,
  first: OpenSeat,
  own: readonly (readonly [string, OpenSeat])[]
): FilledCard {
  const { ref, kind, layout } = first
  const at = { node: ref.node.id, card: ref.card.id }
  const isByInstance = kind === 'beside' || (kind === 'fill' && mayStay(first, own))
  const placed = isByInstance ? placeEach(model, first, own) : undefined
  const instances = placed?.instances ?? (kind === 'fill' ? layout.toSorted(comparePlacements) : undefined)
  return {
    seats: own.map(([pod, { placement: fixed }]) => {
      const placement = placed === undefined ? fixed : placed.seats.get(pod)
      return [pod, placement === undefined ? at : { ...at, placement }] as const
    }),
    layout: instances === undefined || isLaidOut(ref.card, instances) ? undefined : { ...at, instances }
  }
}

/** Whether some of the pods were on the card before, and its instances are made one by one. */
function mayStay(
  { ref: { node, card }, layout }: OpenSeat,
  own: readonly (readonly [string, OpenSeat])[]
): boolean {
  const pods = new Set(own.map(([pod]) => pod))
  return node.unit === 'instance' && layout.length > 0 && card.instances.some(({ pod = '' }) => pods.has(pod))
}

/** Where each pod sits on a card whose instances are made one by one, and all of its instances. */
interface Placed {
  readonly seats: ReadonlyMap<string, Placement>
  readonly instances: readonly Placement[]
}

/**
 * Who has an instance of the card already keeps it where it can be kept, though a larger one was meant for it; on a card that is
 * filled anew nobody else runs.
 */
function placeEach(
  model: GpuModel,
  { ref, kind }: OpenSeat,
  own: readonly (readonly [string, OpenSeat])[]
): Placed {
  const before = new Map(ref.card.instances.map(({ pod, placement }) => [pod, placement]))
  const bare =
    kind === 'fill' ? ref.card.instances.map(({ placement }) => ({ placement })) : ref.card.instances
  const card = { ...ref.card, instances: bare }
  const meant = own.map(([pod, { slot }]): Guest => ({ pod, slot, place: before.get(pod) }))
  const kept = meant.map((guest) => ({ ...guest, slot: guest.place?.profile ?? guest.slot }))
  const placed = placeGuests(model, card, kept) ?? placeGuests(model, card, meant)
  if (placed === undefined) throw new AppError('PLAN_INVALID', `what comes does not fit on card ${card.id}`)
  return placed
}

/** A pod that comes to a card, the slot that it gets, and the instance of the card in which it was. */
interface Guest {
  readonly pod: string
  readonly slot: string
  readonly place: Placement | undefined
}

function placeGuests(model: GpuModel, card: PlanCard, guests: readonly Guest[]): Placed | undefined {
  const isOwn = ({ slot, place }: Guest, seat: Placement): boolean =>
    seat.profile === slot && seat.profile === place?.profile && seat.start === place.start
  const laidOut = layOutBeside(model, {
    card,
    slots: guests.map(({ slot }) => slot),
    wanted: guests.flatMap(({ slot, place }) => (place?.profile === slot ? [place] : []))
  })
  if (laidOut === undefined) return undefined
  const free = [...laidOut.seats]
  const seats = new Map<string, Placement>()
  const first = guests.filter((guest) => laidOut.seats.some((seat) => isOwn(guest, seat)))
  for (const guest of [...first, ...guests.filter((other) => !first.includes(other))]) {
    const own = free.findIndex((seat) => isOwn(guest, seat))
    const index = own < 0 ? free.findIndex((seat) => seat.profile === guest.slot) : own
    for (const seat of free.splice(index, 1)) seats.set(guest.pod, seat)
  }
  return { seats, instances: laidOut.instances }
}

function isLaidOut({ instances }: PlanCard, wanted: readonly Placement[]): boolean {
  return isSameLayout(
    instances.map(({ placement }) => placement),
    wanted
  )
}
