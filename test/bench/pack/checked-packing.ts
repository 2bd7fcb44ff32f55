import { isDeepStrictEqual } from 'node:util'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { layOutCards } from '../../../src/core/pack/layouts.ts'
import { packModel } from '../../../src/core/pack/pack-model.ts'
import type { Packing } from '../../../src/core/pack/packing.ts'
import { holdsByHand, isValidCard } from '../../core/pack/card-by-hand.ts'
import type { Site } from '../../core/pack/instances.ts'
import { faultsOf } from '../../core/pack/proof-by-hand.ts'

/** Workloads that need slots of these profiles, counted. */
export function asksOf(workloads: readonly string[]): readonly Ask[] {
  return [...Map.groupBy(workloads, (name) => name)].map(([profile, same]) => ({
    profile,
    count: same.length,
    isExact: false
  }))
}

/** Packs the asks on empty cards of the site, unchecked. @throws when there is no packing */
export function packOn({ model, cards }: Site, asks: readonly Ask[]): Packing {
  const found = packModel({ model, cards, asks })
  if (found.kind !== 'packed') throw new Error(`no packing on ${model.id}: ${found.kind}`)
  return found
}

/** How long a packing takes, unchecked, ms. */
export function timePacking(site: Site, asks: readonly Ask[]): number {
  const startMs = performance.now()
  packOn(site, asks)
  return performance.now() - startMs
}

/**
 * Packs and checks the answer by rules written down twice.
 * @returns the packing, and how long it took without the checks
 * @throws when a workload has no slot that holds it, a card cannot be cut so, or the certificate does not hold
 */
export function packChecked(
  site: Site,
  asks: readonly Ask[]
): { readonly packing: Packing; readonly timeMs: number } {
  const startMs = performance.now()
  const packing = packOn(site, asks)
  const timeMs = performance.now() - startMs
  const faults = [...faultsOfProof(site, asks, packing), ...faultsOfLayout(site, asks, packing)]
  if (faults.length > 0) throw new Error(`packing on ${site.model.id} does not hold: ${faults.join('; ')}`)
  return { packing, timeMs }
}

function faultsOfProof(
  { card, byHand }: Site,
  asks: readonly Ask[],
  { proof, bound, gpus }: Packing
): readonly string[] {
  if (gpus < bound) return [`${gpus} cards are fewer than the bound of ${bound}`]
  if (proof.kind !== 'prices') return ['the proof is a search, which nobody can check']
  return faultsOf(proof, { card, cards: byHand, asks, bound })
}

/** Writes out every card: is it one that exists, and is every workload once in a slot that holds it? */
export function faultsOfLayout(
  { card }: Pick<Site, 'card'>,
  asks: readonly Ask[],
  packing: Pick<Packing, 'cards' | 'uses' | 'gpus'>
): readonly string[] {
  const named = asks.map(({ count, ...ask }, index) => ({
    ...ask,
    workloads: Array.from({ length: count }, (_, number) => `${index}-${number}`)
  }))
  const planned = layOutCards(packing, named)
  const faults = planned.length === packing.gpus ? [] : [`${planned.length} cards for ${packing.gpus}`]
  const placed: string[] = []
  for (const { slots } of planned) {
    const placements = slots.map(({ placement }) => placement)
    if (!isValidCard(card, placements))
      faults.push(
        `no card is cut into ${placements.map(({ profile, start }) => `${profile} at ${start}`).join()}`
      )
    for (const { placement, workload } of slots) {
      if (workload === undefined) continue
      placed.push(workload)
      const ask = asks[Number(workload.split('-')[0])]
      if (ask === undefined || !holdsByHand(card, placement.profile, ask))
        faults.push(`${placement.profile} does not hold ${ask?.profile}`)
    }
  }
  const all = named.flatMap(({ workloads }) => workloads).toSorted()
  if (!isDeepStrictEqual(placed.toSorted(), all))
    faults.push(`${placed.length} of ${all.length} workloads are placed`)
  return faults
}
