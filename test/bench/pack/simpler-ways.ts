import { findCatalogProfile, type GpuModel } from '../../../src/core/gpu/catalog.ts'
import { asksOf } from './checked-packing.ts'
import { type Greedy, GreedyCards } from './first-fit.ts'

/** Cards that workloads take, in their order, where nobody packs exactly. */
export function simplerWays(
  model: GpuModel,
  profiles: readonly string[],
  workloads: readonly string[]
): readonly (readonly [what: string, gpus: number])[] {
  const greedies: readonly Greedy[] = ['first fit', 'best fit', 'first fit decreasing']
  const single = asksOf(workloads).reduce((sum, { profile, count }) => {
    return sum + Math.ceil(count / (findCatalogProfile(model, profile)?.maxInstances ?? 1))
  }, 0)
  return [
    ...greedies.map((greedy) => [greedy, new GreedyCards(model, profiles).place(workloads, greedy)] as const),
    ['one profile a card', single],
    ['whole cards', workloads.length]
  ]
}
