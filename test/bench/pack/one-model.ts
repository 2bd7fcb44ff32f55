import { modelOf, siteOf } from '../../core/pack/instances.ts'
import { randomFrom } from '../estimator/random.ts'
import { type Figure, quantile } from '../report.ts'
import { asksOf, packChecked, timePacking } from './checked-packing.ts'
import { gapRatio } from './packed-list.ts'
import { simplerWays } from './simpler-ways.ts'

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

/** The six mixes on A100-80, beside what is done without: greedies, one profile a card, whole cards. */
export function benchOneModel(): readonly Figure[] {
  const site = siteOf(modelOf('a100-sxm4-80gb'), names, {})
  const { uniform } = randomFrom(SEED)
  return Object.entries(mixes).flatMap(([mix, parts]) =>
    SIZES.flatMap((size) => {
      const workloads = drawMix(parts, size, uniform)
      const { packing } = packChecked(site, asksOf(workloads))
      const name = (what: string): string => `one model, ${mix}, ${size}: ${what}`
      const others = Array.from({ length: (RUNS[size] ?? 0) + WARM_UP }, () =>
        asksOf(drawMix(parts, size, uniform))
      )
      const timesMs = others.map((asks) => timePacking(site, asks)).slice(WARM_UP)
      return [
        { name: name('exact'), value: packing.gpus, unit: 'GPUs' },
        {
          name: name('gap, certificate and every card checked'),
          value: gapRatio(packing.gpus, packing.bound) * 100,
          unit: '%',
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
        ...simplerWays(site.model, names, workloads).map(([what, gpus]) => {
          return { name: name(`${what} over exact`), value: (gpus / packing.gpus - 1) * 100, unit: '%' }
        })
      ]
    })
  )
}
