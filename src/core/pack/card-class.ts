import type { GpuModel } from '../gpu/catalog.ts'
import type { Layout } from '../gpu/geometry.ts'
import type { PlacedSet } from '../gpu/placed-sets.ts'
import { countSlots, findPatterns, type Pattern, type Patterns } from './patterns.ts'

/** Cards that are alike for the plan: the same ways to use them, the same cost. */
export interface CardClass {
  readonly id: string
  /** What one card of them counts: 1 for one that is taken into use, 0 for one that stays in use anyway. */
  readonly cost: 0 | 1
  /** How many there are; undefined where there are as many as wanted. */
  readonly supply?: number
  /** Ways to use one of them that no other way replaces; one card is used in one way. */
  readonly patterns: readonly Pattern[]
  /** Ways to use one of them where workloads are pinned: a larger slot is then no replacement. */
  readonly full: readonly Pattern[]
}

/** How a class of cards is made from the patterns of a model. */
type ClassOfPatterns =
  | Exclude<Patterns, { readonly kind: 'patterns' }>
  | { readonly kind: 'class'; readonly cards: CardClass }

/**
 * Empty cards that may be cut into these profiles; each that is used counts.
 * @param uncut ways to use one of them uncut instead, such as `{ [WHOLE_CARD]: 1 }` or so many replicas of a group
 */
export function emptyCards(
  model: GpuModel,
  profiles: readonly string[],
  {
    id,
    supply,
    uncut = []
  }: { readonly id: string; readonly supply?: number; readonly uncut?: readonly Layout[] }
): ClassOfPatterns {
  const found = findPatterns(model, profiles)
  if (found.kind !== 'patterns') return found
  const more = uncutPatterns(uncut)
  return {
    kind: 'class',
    cards: {
      id,
      cost: 1,
      patterns: [...found.patterns, ...more],
      full: [...found.full, ...more],
      ...(supply === undefined ? {} : { supply })
    }
  }
}

/** Cards whose instances stay where they are, while more may be created beside them; they are in use either way. */
export function keptCards(
  model: GpuModel,
  profiles: readonly string[],
  { id, supply, live }: { readonly id: string; readonly supply: number; readonly live: PlacedSet }
): ClassOfPatterns {
  const found = findPatterns(model, profiles, live)
  return found.kind === 'patterns'
    ? { kind: 'class', cards: { id, cost: 0, supply, patterns: found.patterns, full: found.full } }
    : found
}

/** Cards whose layout stays as it is: only the instances that nobody uses, `free`, can be given away. */
export function frozenCards({
  id,
  supply,
  free
}: {
  readonly id: string
  readonly supply: number
  readonly free: PlacedSet
}): CardClass {
  const patterns: readonly Pattern[] =
    free.length === 0 ? [] : [{ slots: countSlots(free), placements: free }]
  return { id, cost: 0, supply, patterns, full: patterns }
}

/** Name of the only slot of a card that is not cut. */
export const WHOLE_CARD = 'whole'

/** Empty cards that are given away whole, such as those of models that cannot be cut. */
export function wholeCards({ id, supply }: { readonly id: string; readonly supply: number }): CardClass {
  return uncutCards({ id, supply, uncut: [{ [WHOLE_CARD]: 1 }] })
}

/**
 * Empty cards that replicas share by time-slicing or MPS.
 * @param replicas how many of the group's pods any card holds by their joint peak, a whole number; below 1 no card can be used
 * @param slot name of a replica of this group
 */
export function sharedCards({
  id,
  supply,
  slot,
  replicas
}: {
  readonly id: string
  readonly supply: number
  readonly slot: string
  readonly replicas: number
}): CardClass {
  return uncutCards({ id, supply, uncut: [{ [slot]: replicas }] })
}

/**
 * Empty cards that are not cut, each used in one of these ways; each that is used counts. What is not a whole number is
 * refused where the cards are planned.
 * @param uncut slots of a card by way: `WHOLE_CARD` once, or replicas of groups by name
 */
export function uncutCards({
  id,
  supply,
  uncut
}: {
  readonly id: string
  readonly supply: number
  readonly uncut: readonly Layout[]
}): CardClass {
  const patterns = uncutPatterns(uncut)
  return { id, cost: 1, supply, patterns, full: patterns }
}

/** A way for each layout with a slot; slots of which there is less than one are left out. */
function uncutPatterns(uncut: readonly Layout[]): readonly Pattern[] {
  return uncut
    .map((slots) => Object.entries(slots).filter(([, count]) => !(count < 1)))
    .filter((slots) => slots.length > 0)
    .map((slots) => ({ slots: Object.fromEntries(slots), placements: [] }))
}
