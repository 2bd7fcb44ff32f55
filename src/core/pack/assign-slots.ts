import { type Ask, compareAsks } from './ask.ts'
import type { SlotUse } from './packing.ts'

/** Slots by profile and what may run in them. */
export interface SlotSupply {
  readonly slots: ReadonlyMap<string, number>
  readonly asks: readonly Ask[]
  readonly mayServe: (slot: string, ask: Omit<Ask, 'count'>) => boolean
}

/** The flow that is being built: counts by slot and ask, and what is left of each. */
interface Flow {
  readonly slots: readonly string[]
  readonly asks: readonly Ask[]
  readonly free: number[]
  readonly open: number[]
  readonly used: number[][]
  readonly allowed: readonly (readonly boolean[])[]
}

/**
 * Gives every workload a slot that serves it, by augmenting paths over kinds of slots and asks; a slot of exactly the
 * profile comes first.
 * @returns undefined when the slots do not do
 */
export function assignSlots({ slots, asks, mayServe }: SlotSupply): readonly SlotUse[] | undefined {
  const names = [...slots.keys()].toSorted()
  const sorted = asks.toSorted(compareAsks)
  const flow: Flow = {
    slots: names,
    asks: sorted,
    free: names.map((name) => slots.get(name) ?? 0),
    open: sorted.map(({ count }) => count),
    used: names.map(() => sorted.map(() => 0)),
    allowed: names.map((name) => sorted.map((ask) => mayServe(name, ask)))
  }
  for (const [index, { profile }] of sorted.entries()) giveFirst(flow, names.indexOf(profile), index)
  for (const index of sorted.keys()) {
    while ((flow.open[index] ?? 0) > 0) if (!augment(flow, index)) return undefined
  }
  return usesOf(flow)
}

function usesOf({ slots, asks, used }: Flow): readonly SlotUse[] {
  return slots.flatMap((slot, from) =>
    asks.flatMap(({ profile, isExact }, to) => {
      const count = used[from]?.[to] ?? 0
      return count === 0 ? [] : [{ slot, ask: { profile, isExact }, count }]
    })
  )
}

function giveFirst(flow: Flow, slot: number, ask: number): void {
  if (slot < 0) return
  move(flow, [{ slot, ask, isGiven: true }], Math.min(flow.free[slot] ?? 0, flow.open[ask] ?? 0))
}

/** One change of the flow: a slot is given to an ask, or taken from it. */
interface Hop {
  readonly slot: number
  readonly ask: number
  readonly isGiven: boolean
}

/** A way from the ask that wants more to one that would have to give up a slot. */
interface Way {
  readonly ask: number
  readonly hops: readonly Hop[]
}

/** Finds the shortest way to serve more of an ask: a free slot, or one that another ask can do without. */
function augment(flow: Flow, ask: number): boolean {
  const ways: Way[] = [{ ask, hops: [] }]
  const seen = new Set<number>()
  for (const way of ways) {
    for (const slot of slotsFor(flow, way.ask)) {
      if (seen.has(slot)) continue
      seen.add(slot)
      const hops: readonly Hop[] = [...way.hops, { slot, ask: way.ask, isGiven: true }]
      const free = flow.free[slot] ?? 0
      if (free > 0) {
        move(flow, hops, Math.min(free, flow.open[ask] ?? 0, leastTakenBack(flow, hops)))
        return true
      }
      for (const holder of holdersOf(flow, slot))
        ways.push({ ask: holder, hops: [...hops, back(slot, holder)] })
    }
  }
  return false
}

function slotsFor({ slots, allowed }: Flow, ask: number): readonly number[] {
  return [...slots.keys()].filter((slot) => allowed[slot]?.[ask] === true)
}

function holdersOf({ asks, used }: Flow, slot: number): readonly number[] {
  return [...asks.keys()].filter((ask) => (used[slot]?.[ask] ?? 0) > 0)
}

function back(slot: number, ask: number): Hop {
  return { slot, ask, isGiven: false }
}

/** The fewest that an ask has of the slots that it gives up on this way. */
function leastTakenBack(flow: Flow, hops: readonly Hop[]): number {
  const taken = hops.filter(({ isGiven }) => !isGiven).map(({ slot, ask }) => flow.used[slot]?.[ask] ?? 0)
  return taken.reduce((least, count) => Math.min(least, count), Infinity)
}

/** Carries out a way: the ask that it begins with gets `count`, taken from the free slots that it ends at. */
function move(flow: Flow, hops: readonly Hop[], count: number): void {
  for (const { slot, ask, isGiven } of hops) {
    const row = flow.used[slot]
    if (row !== undefined) row[ask] = (row[ask] ?? 0) + (isGiven ? count : -count)
  }
  const first = hops[0]
  const last = hops.at(-1)
  if (first !== undefined) flow.open[first.ask] = (flow.open[first.ask] ?? 0) - count
  if (last !== undefined) flow.free[last.slot] = (flow.free[last.slot] ?? 0) - count
}
