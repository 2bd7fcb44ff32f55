import type { PriceProof } from '../../../src/core/pack/packing.ts'
import { type CardByHand, holdsByHand } from './card-by-hand.ts'
import type { AskByHand, CardsByHand } from './fewest-by-hand.ts'

/** What a proof is about: every way to use the cards, found without the solver, and all workloads. */
export interface Claim {
  readonly card: CardByHand
  readonly cards: readonly CardsByHand[]
  readonly asks: readonly (Omit<AskByHand, 'tenant'> & { readonly count: number })[]
  /** Cards that cost that are needed at least; undefined when the claim is that none are enough. */
  readonly bound: number | undefined
}

/**
 * Goes through a certificate as a reader would: what can a card earn at most, what do all workloads pay? In exact
 * whole numbers.
 * @returns what does not hold; empty for a proof
 */
export function faultsOf(proof: PriceProof, { card, cards, asks, bound }: Claim): readonly string[] {
  const price = (ask: Omit<AskByHand, 'tenant'>): bigint =>
    BigInt(
      proof.prices.find(({ profile, isExact }) => profile === ask.profile && isExact === ask.isExact)
        ?.price ?? 0
    )
  const rent = (id: string): bigint =>
    BigInt(proof.rents.find(({ cardClass }) => cardClass === id)?.rent ?? 0)
  const best = (slot: string): bigint =>
    asks
      .filter((ask) => holdsByHand(card, slot, ask))
      .map(price)
      .reduce((most, next) => (next > most ? next : most), 0n)
  const faults: string[] = []
  for (const { id, cost, ways } of cards) {
    if (rent(id) < 0n) faults.push(`rent of ${id} below zero`)
    for (const way of ways) {
      const earned = way.map(best).reduce((sum, value) => sum + value, 0n)
      const most = BigInt(proof.perCard) * BigInt(cost) + rent(id)
      if (earned > most) faults.push(`${id} cut into ${way.join()} earns ${earned}, more than ${most}`)
    }
  }
  const paid = asks.map((ask) => price(ask) * BigInt(ask.count)).reduce((sum, value) => sum + value, 0n)
  const rents = cards
    .filter(({ supply }) => Number.isFinite(supply))
    .map(({ id, supply }) => rent(id) * BigInt(supply))
    .reduce((sum, value) => sum + value, 0n)
  const fewer = bound === undefined ? 0n : BigInt(proof.perCard) * BigInt(bound - 1)
  if (bound !== 0 && paid <= fewer + rents)
    faults.push(`all asks earn ${paid}, and fewer cards could pay ${fewer + rents}`)
  return faults
}
