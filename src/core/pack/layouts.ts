import type { Placement } from '../gpu/placement.ts'
import { type Ask, compareAsks } from './ask.ts'
import type { Packing, SlotUse } from './packing.ts'

/** One instance of a card and what runs in it; nothing where the slot is left free. */
export interface FilledSlot {
  readonly placement: Placement
  readonly workload: string | undefined
}

/** One card of a plan. */
export interface PlannedCard {
  readonly cardClass: string
  readonly slots: readonly FilledSlot[]
}

/** Workloads by name that ask alike. */
export interface NamedAsk extends Omit<Ask, 'count'> {
  readonly workloads: readonly string[]
}

/** What is still to be handed out: names of workloads by kind of slot, in the order of the asks. */
type Queues = ReadonlyMap<string, { readonly names: string[]; next: number }>

/**
 * A packing written out card by card: each instance at its place, each workload in one slot that serves it. Workloads of
 * one ask are taken in the order of their names, cards in the order of the packing.
 */
export function layOutCards(
  { cards, uses }: Pick<Packing, 'cards' | 'uses'>,
  asks: readonly NamedAsk[]
): readonly PlannedCard[] {
  const queues = queuesOf(uses, asks)
  return cards.flatMap(({ cardClass, pattern, cards: count }) =>
    Array.from({ length: count }, () => ({
      cardClass,
      slots: pattern.placements.map((placement) => ({
        placement,
        workload: takeNext(queues, placement.profile)
      }))
    }))
  )
}

function queuesOf(uses: readonly SlotUse[], asks: readonly NamedAsk[]): Queues {
  const sources = new Map<string, { readonly names: readonly string[]; next: number }>(
    [...Map.groupBy(asks, keyOf)].map(([key, same]) => {
      return [key, { names: same.flatMap(({ workloads }) => workloads).toSorted(), next: 0 }] as const
    })
  )
  const queues = new Map<string, { readonly names: string[]; next: number }>()
  for (const { slot, ask, count } of uses.toSorted((a, b) => compareAsks(a.ask, b.ask))) {
    const source = sources.get(keyOf(ask))
    if (source === undefined) continue
    const queue = queues.get(slot) ?? { names: [], next: 0 }
    for (const name of source.names.slice(source.next, source.next + count)) queue.names.push(name)
    source.next += count
    queues.set(slot, queue)
  }
  return queues
}

function keyOf({ profile, isExact }: Omit<Ask, 'count'>): string {
  return `${profile} ${isExact}`
}

function takeNext(queues: Queues, profile: string): string | undefined {
  const queue = queues.get(profile)
  return queue?.names[queue.next++]
}
