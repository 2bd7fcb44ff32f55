import type { Ask } from './ask.ts'
import type { Pattern } from './patterns.ts'

/** Cards of one class that are all cut and used in the same way. */
export interface UsedCards {
  readonly cardClass: string
  readonly pattern: Pattern
  readonly cards: number
}

/** How many workloads of an ask run in slots of a profile, over all cards. */
export interface SlotUse {
  readonly slot: string
  readonly ask: Omit<Ask, 'count'>
  readonly count: number
}

/**
 * A certificate that a reader checks by hand. Give each ask its `price`. No card can earn more than `perCard` with what it
 * runs (a card that counts 0: nothing), and those of a class with limited supply at most its `rent` more. All asks
 * together earn more than `bound - 1` cards and all rents can pay, so fewer cards than `bound` hold them in no way.
 * With `perCard` 0 the asks earn more than all rents: no number of cards holds them.
 */
export interface PriceProof {
  readonly kind: 'prices'
  readonly perCard: number
  readonly prices: readonly (Omit<Ask, 'count'> & { readonly price: number })[]
  readonly rents: readonly { readonly cardClass: string; readonly rent: number }[]
}

/** What shows that a bound holds: prices, or that a search went through all that is left. */
export type Proof = PriceProof | { readonly kind: 'search'; readonly steps: number }

/** Why there is no packing. */
export type NoPacking =
  | { readonly kind: 'bad-count'; readonly detail: string }
  /** Two classes of cards of the same id. */
  | { readonly kind: 'twice'; readonly id: string }
  /** Not one card that could be cut. */
  | { readonly kind: 'no-cards' }
  /** No slot of any card serves the ask. */
  | { readonly kind: 'no-slot'; readonly ask: Omit<Ask, 'count'> }
  | { readonly kind: 'too-few-cards'; readonly proof: Proof }
  /** The search ended before it found a packing; at least `bound` cards are needed, if they are enough. */
  | { readonly kind: 'undecided'; readonly bound: number }

/** Cards on which all workloads run. */
export interface Packing {
  readonly kind: 'packed'
  readonly cards: readonly UsedCards[]
  readonly uses: readonly SlotUse[]
  /** Cards that are taken into use. */
  readonly gpus: number
  /** Nobody does with fewer; equal to `gpus` when the packing is the best there is. */
  readonly bound: number
  readonly proof: Proof
}

/** All slots of these cards, by profile. */
export function slotsOf(used: readonly UsedCards[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>()
  for (const { pattern, cards } of used) {
    for (const [profile, count] of Object.entries(pattern.slots)) {
      slots.set(profile, (slots.get(profile) ?? 0) + count * cards)
    }
  }
  return slots
}
