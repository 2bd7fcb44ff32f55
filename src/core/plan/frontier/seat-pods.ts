import { AppError } from '../../errors.ts'
import type { Placement } from '../../gpu/placement.ts'
import { mergeAsks } from '../../pack/ask.ts'
import { assignSlots } from '../../pack/assign-slots.ts'
import type { PlanPod, PlanPool, PlanState } from '../plan-state.ts'
import type { Seat } from '../target.ts'
import { type AskedSlot, isSlotFor } from './card-ways.ts'
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

/** By id of the pod its seat; or the pod for which no node has the CPU or memory. */
export type Seated =
  | { readonly kind: 'seated'; readonly seats: ReadonlyMap<string, OpenSeat> }
  | { readonly kind: 'no-host'; readonly pod: string; readonly pool: string }

/**
 * Gives every pod that comes a seat that serves it, on a node that has what it needs: the pods that need most first.
 * @throws AppError PLAN_INVALID where there are too few seats
 */
export function seatPods(state: PlanState, { arrivals, seats, leaving }: Seating): Seated {
  const hosts = new Hosts(state, leaving)
  const taken = new Map<string, OpenSeat>()
  const open = Map.groupBy(seats, ({ pool, tenant }) => keyOf(pool, tenant))
  for (const [key, group] of Map.groupBy(arrivals, ({ pool, pod }) => keyOf(pool, pod.tenant))) {
    const pool = state.pools.find(({ id }) => id === group[0]?.pool)
    if (pool === undefined) throw new AppError('PLAN_INVALID', `no pool for ${key}`)
    const pods = group.map(({ pod }) => pod)
    const without = seatGroup({ pool, pods, seats: open.get(key) ?? [] }, hosts, taken)
    if (without !== undefined) return { kind: 'no-host', pod: without.id, pool: pool.id }
  }
  return { kind: 'seated', seats: taken }
}

function keyOf(pool: string, tenant: string | undefined): string {
  return JSON.stringify([pool, tenant ?? null])
}

/** Pods of one tenant that come to one pool, and its seats there. */
interface Group {
  readonly pool: PlanPool
  readonly pods: readonly PlanPod[]
  readonly seats: readonly OpenSeat[]
}

/** @returns the first pod for which no node has room; undefined where all sit */
function seatGroup(
  { pool, pods, seats }: Group,
  hosts: Hosts,
  taken: Map<string, OpenSeat>
): PlanPod | undefined {
  const asked = ({ slots, isExact = false }: PlanPod): AskedSlot => ({
    profile: slots[pool.id] ?? '',
    isExact
  })
  const free = Map.groupBy(seats, ({ slot }) => slot)
  const uses = assignSlots({
    slots: new Map([...free].map(([slot, same]) => [slot, same.length])),
    asks: mergeAsks(pods.map((pod) => ({ ...asked(pod), count: 1 }))),
    mayServe: (slot, ask) => isSlotFor(pool.model, slot, ask)
  })
  if (uses === undefined)
    throw new AppError('PLAN_INVALID', `the slots in ${pool.id} do not serve all who come`)
  const places = new Map([...free].map(([slot, same]) => [slot, new Places(same)] as const))
  const waiting = Map.groupBy(largestFirst(pods), (pod) => textOf(asked(pod)))
  for (const { slot, ask, count } of uses) {
    for (const pod of waiting.get(textOf(ask))?.splice(0, count) ?? []) {
      const seat = places.get(slot)?.take(pod, hosts)
      if (seat === undefined) return pod
      hosts.take(seat.ref.node.id, pod)
      taken.set(pod.id, seat)
    }
  }
  return undefined
}

function textOf({ profile, isExact }: AskedSlot): string {
  return `${profile} ${isExact}`
}

function largestFirst(pods: readonly PlanPod[]): readonly PlanPod[] {
  const size = ({ cpuMilli = 0, memoryMiB = 0 }: PlanPod): readonly [number, number] => [cpuMilli, memoryMiB]
  return pods.toSorted((a, b) => {
    const [[cpuA, memoryA], [cpuB, memoryB]] = [size(a), size(b)]
    return cpuB - cpuA || memoryB - memoryA || Number(a.id > b.id) - Number(a.id < b.id)
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

/** What nodes have left of CPU and memory once the pods that leave have left. */
class Hosts {
  readonly #free: Map<string, { cpuMilli: number; memoryMiB: number }>

  constructor({ nodes, pods }: PlanState, leaving: ReadonlyMap<string, Seat>) {
    this.#free = new Map(
      nodes.map(({ id, freeCpuMilli = Infinity, freeMemoryMiB = Infinity }) => [
        id,
        { cpuMilli: freeCpuMilli, memoryMiB: freeMemoryMiB }
      ])
    )
    for (const pod of pods) {
      const seat = leaving.get(pod.id)
      if (seat !== undefined) this.#change(seat.node, pod, 1)
    }
  }

  hasRoom(node: string, { cpuMilli = 0, memoryMiB = 0 }: PlanPod): boolean {
    const free = this.#free.get(node)
    return free !== undefined && free.cpuMilli >= cpuMilli && free.memoryMiB >= memoryMiB
  }

  take(node: string, pod: PlanPod): void {
    this.#change(node, pod, -1)
  }

  #change(node: string, { cpuMilli = 0, memoryMiB = 0 }: PlanPod, sign: 1 | -1): void {
    const free = this.#free.get(node)
    if (free === undefined) return
    free.cpuMilli += sign * cpuMilli
    free.memoryMiB += sign * memoryMiB
  }
}
