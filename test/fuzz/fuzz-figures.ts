import type { Figure } from '../bench/report.ts'
import type { FuzzState } from './fuzz-state.ts'
import { relativeSlope } from './slope.ts'
import { type Finding, MOST_MS } from './try-review.ts'

/** Greatest change of memory after the warm-up, ratio. */
const MOST_SLOPE = 0.05

/** What a run comes to; of memory the longest lives of as many processes as there were. */
export function fuzzFigures(state: FuzzState, workers: number): readonly Figure[] {
  const { tried, seconds, cpuSeconds, findings, slowest, memory } = state
  const longest = memory
    .map(({ rssMiB }) => rssMiB)
    .sort((one, other) => other.length - one.length)
    .slice(0, workers)
  return [
    { name: 'reviews', value: tried, unit: '' },
    { name: 'reviews per second of a process', value: tried / seconds, unit: '1/s' },
    { name: 'CPU for a review, made and checked', value: (cpuSeconds * 1000) / tried, unit: 'ms' },
    { name: 'findings', value: findings.length, unit: '', comparison: '<=', goal: 0 },
    { name: 'slowest answer, CPU', value: slowest.cpuMs, unit: 'ms', comparison: '<=', goal: MOST_MS },
    ...longest.flatMap((series, nth) => memoryFigures(`process ${nth + 1}: RSS`, series))
  ]
}

function memoryFigures(name: string, series: readonly number[]): readonly Figure[] {
  const at: Figure = { name: `${name} at the end`, value: series.at(-1) ?? 0, unit: 'MiB' }
  const slope = relativeSlope(series)
  if (slope === undefined) return [at]
  const change: Figure = { name: `${name} change after warm-up`, value: Math.abs(slope), unit: 'ratio' }
  return [at, { ...change, comparison: '<=', goal: MOST_SLOPE }]
}

/** A finding in one line, with what runs it again. */
export function tellFinding(seed: number, { index, path, law, steps }: Finding): string {
  return `FINDING seed ${seed} index ${index} ${path} (${steps.join(', ')}): ${law}; again: npm run test:fuzz -- --seed ${seed} --only ${index}`
}

/** Where a run stands, in one line. */
export function tellProgress(state: FuzzState, count: number, perSecond: number): string {
  const { tried, findings, slowest, memory } = state
  const sizes = memory.map(({ rssMiB }) => rssMiB.at(-1)?.toFixed(0)).join(' ')
  return `${tried} of ${count}, ${perSecond.toFixed(0)} 1/s, ${findings.length} findings, slowest ${slowest.cpuMs.toFixed(0)} ms, RSS ${sizes} MiB`
}
