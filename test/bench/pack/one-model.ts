import { findCatalogProfile, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { emptyCards } from '../../../src/core/pack/card-class.ts'
import { packModel } from '../../../src/core/pack/pack-model.ts'
import type { Packing } from '../../../src/core/pack/packing.ts'
import { cardByHand } from '../../core/pack/card-by-hand.ts'
import { waysByHand } from '../../core/pack/fewest-by-hand.ts'
import { faultsOf } from '../../core/pack/proof-by-hand.ts'
import { randomFrom } from '../estimator/random.ts'
import { type Figure, quantile } from '../report.ts'
import { type Greedy, GreedyCards } from './first-fit.ts'

const names = ['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']

/** Parts of each profile in a mix, in the order of `names`. */
const mixes: Readonly<Record<string, readonly number[]>> = {
  uniform: [1, 1, 1, 1, 1, 1],
  small: [40, 15, 25, 15, 3, 2],
  'no 7g': [1, 1, 1, 1, 1, 0],
  '1g 60, 3g 40': [60, 0, 0, 40, 0, 0],
  '2g 40, 3g 30, 4g 30': [0, 0, 40, 30, 30, 0],
  '1g 50, 2g 30, 7g 20': [50, 0, 30, 0, 0, 20]
}
const SIZES = [1000, 10_000, 100_000]
/** Packings of one mix and size that are timed, after some that are not. */
const RUNS: Readonly<Record<number, number>> = { 1000: 300, 10_000: 300, 100_000: 50 }
const WARM_UP = 50
const SEED = 7

function drawMix(parts: readonly number[], count: number, uniform: () => number): readonly string[] {
  const total = parts.reduce((sum, part) => sum + part, 0)
  return Array.from({ length: count }, () => {
    let left = uniform() * total
    return names.find((_, index) => (left -= parts[index] ?? 0) < 0) ?? '1g.10gb'
  })
}

function asksOf(workloads: readonly string[]): readonly Ask[] {
  return [...Map.groupBy(workloads, (name) => name)].map(([profile, same]) => ({
    profile,
    count: same.length,
    isExact: false
  }))
}

/** What is wrong with a packing: a gap, or a certificate that does not hold. */
function faultCount(model: GpuModel, asks: readonly Ask[], packing: Packing): number {
  if (packing.proof.kind !== 'prices') return 1
  const card = cardByHand(model.id)
  const cards = [{ id: 'empty', cost: 1 as const, supply: Infinity, ways: waysByHand(card, names) }]
  return (
    faultsOf(packing.proof, { card, cards, asks, bound: packing.bound }).length + packing.gpus - packing.bound
  )
}

/** The six mixes on A100-80, beside what is done without: greedies, one profile a card, whole cards. */
export function benchOneModel(): readonly Figure[] {
  const model = gpuModels.find(({ id }) => id === 'a100-sxm4-80gb')
  const made = model && emptyCards(model, names, { id: 'empty' })
  if (model === undefined || made?.kind !== 'class') throw new Error('no cards')
  const { uniform } = randomFrom(SEED)
  const pack = (asks: readonly Ask[]): Packing => {
    const found = packModel({ model, cards: [made.cards], asks })
    if (found.kind !== 'packed') throw new Error(found.kind)
    return found
  }
  return Object.entries(mixes).flatMap(([mix, parts]) =>
    SIZES.flatMap((size) => {
      const workloads = drawMix(parts, size, uniform)
      const packing = pack(asksOf(workloads))
      const name = (what: string): string => `one model, ${mix}, ${size}: ${what}`
      const others = Array.from({ length: (RUNS[size] ?? 0) + WARM_UP }, () =>
        asksOf(drawMix(parts, size, uniform))
      )
      const timesMs = others.map((asks) => timed(() => pack(asks))).slice(WARM_UP)
      return [
        { name: name('exact'), value: packing.gpus, unit: 'GPUs' },
        {
          name: name('gap and faults of the certificate'),
          value: faultCount(model, asksOf(workloads), packing),
          unit: '',
          comparison: '<=' as const,
          goal: 0
        },
        { name: name('median'), value: quantile(timesMs, 0.5), unit: 'ms' },
        {
          name: name('p99'),
          value: quantile(timesMs, 0.99),
          unit: 'ms',
          ...(size === 10_000 ? { comparison: '<=' as const, goal: 5 } : {})
        },
        ...baselines(model, workloads).map(([what, gpus]) => {
          return { name: name(`${what} over exact`), value: (gpus / packing.gpus - 1) * 100, unit: '%' }
        })
      ]
    })
  )
}

function timed(work: () => unknown): number {
  const startMs = performance.now()
  work()
  return performance.now() - startMs
}

function baselines(
  model: GpuModel,
  workloads: readonly string[]
): readonly (readonly [what: string, gpus: number])[] {
  const greedies: readonly Greedy[] = ['first fit', 'best fit', 'first fit decreasing']
  const single = asksOf(workloads).reduce((sum, { profile, count }) => {
    return sum + Math.ceil(count / (findCatalogProfile(model, profile)?.maxInstances ?? 1))
  }, 0)
  return [
    ...greedies.map((greedy) => [greedy, new GreedyCards(model, names).place(workloads, greedy)] as const),
    ['one profile a card', single],
    ['whole cards', workloads.length]
  ]
}
