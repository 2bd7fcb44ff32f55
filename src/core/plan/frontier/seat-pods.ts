import { compareText } from '../../compare-text.ts'
import { AppError } from '../../errors.ts'
import type { Placement } from '../../gpu/placement.ts'
import { type Ask, mergeAsks } from '../../pack/ask.ts'
import { assignSlots } from '../../pack/assign-slots.ts'
import type { SlotUse } from '../../pack/packing.ts'
import type { PlanPod, PlanPool, PlanState } from '../plan-state.ts'
import type { Seat } from '../target.ts'
import { type AskedSlot, isSlotFor } from './card-ways.ts'
import { Hosts } from './hosts.ts'
import type { CardRef } from './state-classes.ts'

/** A seat that a pod may take. */
export interface OpenSeat {
  readonly ref: CardRef
  readonly pool: string
  readonly tenant: string | undefined
  /** Profile of its instance, or `WHOLE_CARD`. */
  readonly slot: string
  /** `as-is`: it is there; `beside`: created beside what runs, its place to be found; `fill`: on a card that is laid out anew. */
  readonly kind: 'as-is' | 'beside' | 'fill'
  readonly placement: Placement | undefined
  /** All instances of the card's way. */
  readonly layout: readonly Placement[]
}

/** Who comes, to which seats, and who leaves. */
export interface Seating {
  readonly arrivals: readonly { readonly pool: string; readonly pod: PlanPod }[]
  readonly seats: readonly OpenSeat[]
  readonly leaving: ReadonlyMap<string, Seat>
}

/** By id of the pod its seat; or a pod for which no seat was found on a node that has the CPU and memory. */
export type Seated =
  | { readonly kind: 'seated'; readonly seats: ReadonlyMap<string, OpenSeat> }
  | { readonly kind: 'no-host'; readonly pod: string; readonly pool: string }

/**
 * Gives every pod that comes a seat that serves it, on a node that has what it needs: the pods that need most first. Slots are dealt
 * as kinds fit best; where a node then lacks CPU or memory, each pod is tried on every kind that leaves enough for the others.
 * @throws AppError PLAN_INVALID where there are too few seats
 */
export function seatPods(state: PlanState, { arrivals, seats, leaving }: Seating): Seated {
  let hosts = Hosts.of(state, leaving)
  const taken = new Map<string, OpenSeat>()
  const open = Map.groupBy(seats, ({ pool, tenant }) => keyOf(pool, tenant))
  for (const [key, group] of Map.groupBy(arrivals, ({ pool, pod }) => keyOf(pool, pod.tenant))) {
    const pool = state.pools.find(({ id }) => id === group[0]?.pool)
    if (pool === undefined) throw new AppError('PLAN_INVALID', `no pool for ${key}`)
    const pods = largestFirst(group.map(({ pod }) => pod))
    const own: Group = { pool, pods, seats: open.get(key) ?? [] }
    const table = seatBySlot(own, hosts.copy()) ?? seatByHost(own, hosts.copy())
    if ('without' in table) return { kind: 'no-host', pod: table.without.id, pool: pool.id }
    hosts = table.hosts
    for (const [pod, seat] of table.seats) taken.set(pod, seat)
  }
  return { kind: 'seated', seats: taken }
}

function keyOf(pool: string, tenant: string | undefined): string {
  return JSON.stringify([pool, tenant ?? null])
}

/** Pods of one tenant that come to one pool, largest first, and its seats there. */
interface Group {
  readonly pool: PlanPool
  readonly pods: readonly PlanPod[]
  readonly seats: readonly OpenSeat[]
}

/** Who sits where, and what nodes have left then. */
interface Table {
  readonly seats: Map<string, OpenSeat>
  readonly hosts: Hosts
}

/** Deals slots by kind alone; undefined where some node has no room for what it was dealt. */
function seatBySlot(group: Group, hosts: Hosts): Table | undefined {
  const table: Table = { seats: new Map(), hosts }
  const free = Map.groupBy(group.seats, ({ slot }) => slot)
  const uses = usesOf(group, countsOf(free), asksOf(group))
  if (uses === undefined)
    throw new AppError('PLAN_INVALID', `the slots in ${group.pool.id} do not serve all who come`)
  const places = new Map([...free].map(([slot, same]) => [slot, new Places(same)] as const))
  const waiting = Map.groupBy(group.pods, (pod) => textOf(askedBy(group, pod)))
  for (const { slot, ask, count } of uses) {
    for (const pod of waiting.get(textOf(ask))?.splice(0, count) ?? []) {
      if (!sit(table, pod, places.get(slot)?.take(pod, hosts))) return undefined
    }
  }
  return table
}

/** Tries each pod on every kind of slot, its own first, that leaves enough for those after it. */
function seatByHost(group: Group, hosts: Hosts): Table | { readonly without: PlanPod } {
  const table: Table = { seats: new Map(), hosts }
  const free = Map.groupBy(group.seats, ({ slot }) => slot)
  const left = new Map(asksOf(group).map((ask) => [textOf(ask), ask]))
  for (const pod of group.pods) {
    const asked = askedBy(group, pod)
    const text = textOf(asked)
    left.set(text, { ...asked, count: (left.get(text)?.count ?? 1) - 1 })
    const kinds = [...free.keys()]
      .filter((slot) => isSlotFor(group.pool.model, slot, asked))
      .toSorted((a, b) => Number(b === asked.profile) - Number(a === asked.profile) || compareText(a, b))
    const kind = kinds.find((slot) => {
      const counts = countsOf(free)
      counts.set(slot, (counts.get(slot) ?? 0) - 1)
      return hasRoomIn(free.get(slot), pod, hosts) && usesOf(group, counts, [...left.values()]) !== undefined
    })
    const seats = kind === undefined ? [] : (free.get(kind) ?? [])
    const place = seats.findIndex(({ ref }) => hosts.hasRoom(ref.node.id, pod))
    if (!sit(table, pod, seats.splice(place, 1)[0])) return { without: pod }
  }
  return table
}

function countsOf(free: ReadonlyMap<string, readonly OpenSeat[]>): Map<string, number> {
  return new Map([...free].map(([slot, same]) => [slot, same.length]))
}

function asksOf(group: Group): readonly Ask[] {
  return mergeAsks(group.pods.map((pod) => ({ ...askedBy(group, pod), count: 1 })))
}

function hasRoomIn(seats: readonly OpenSeat[] | undefined, pod: PlanPod, hosts: Hosts): boolean {
  return seats?.some(({ ref }) => hosts.hasRoom(ref.node.id, pod)) ?? false
}

function sit({ seats, hosts }: Table, pod: PlanPod, seat: OpenSeat | undefined): boolean {
  if (seat === undefined) return false
  hosts.take(seat.ref.node.id, pod)
  seats.set(pod.id, seat)
  return true
}

/** How many of each kind of slot go to whom; undefined where they are too few. */
function usesOf(
  { pool }: Group,
  slots: ReadonlyMap<string, number>,
  asks: readonly Ask[]
): readonly SlotUse[] | undefined {
  return assignSlots({ slots, asks, mayServe: (slot, ask) => isSlotFor(pool.model, slot, ask) })
}

function askedBy({ pool }: Group, { slots, isExact = false }: PlanPod): AskedSlot {
  return { profile: slots[pool.id] ?? '', isExact }
}

function textOf({ profile, isExact }: AskedSlot): string {
  return `${profile} ${isExact}`
}

function largestFirst(pods: readonly PlanPod[]): readonly PlanPod[] {
  const size = ({ cpuMilli = 0, memoryMiB = 0 }: PlanPod): readonly [number, number] => [cpuMilli, memoryMiB]
  return pods.toSorted((a, b) => {
    const [[cpuA, memoryA], [cpuB, memoryB]] = [size(a), size(b)]
    return cpuB - cpuA || memoryB - memoryA || compareText(a.id, b.id)
  })
}

/** Seats of one slot, taken in their order; who needs as much as the one before looks on from where that one sits. */
class Places {
  readonly #seats: readonly OpenSeat[]
  readonly #taken = new Set<OpenSeat>()
  #needs = ''
  #next = 0

  constructor(seats: readonly OpenSeat[]) {
    this.#seats = seats
  }

  /** The first seat on a node that has room for the pod. */
  take(pod: PlanPod, hosts: Hosts): OpenSeat | undefined {
    const needs = `${pod.cpuMilli} ${pod.memoryMiB}`
    if (needs !== this.#needs) this.#next = 0
    this.#needs = needs
    while (this.#next < this.#seats.length) {
      const seat = this.#seats[this.#next++]
      if (seat === undefined || this.#taken.has(seat) || !hosts.hasRoom(seat.ref.node.id, pod)) continue
      this.#taken.add(seat)
      return seat
    }
    return undefined
  }
}
