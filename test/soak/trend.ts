/** One value at a time. */
export interface Sample {
  readonly atMs: number
  readonly value: number
}

/**
 * How much a value rises along its line of best fit from the first sample to the last, as a share of its mean: 0.05 means 5 % more
 * in the end than in the beginning. 0 for fewer than two samples.
 */
export function riseRatio(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || first === last) return 0
  const meanMs = meanOf(samples.map(({ atMs }) => atMs))
  const mean = meanOf(samples.map(({ value }) => value))
  const square = samples.reduce((sum, { atMs }) => sum + (atMs - meanMs) ** 2, 0)
  const product = samples.reduce((sum, { atMs, value }) => sum + (atMs - meanMs) * (value - mean), 0)
  if (square === 0 || mean === 0) return 0
  return ((product / square) * (last.atMs - first.atMs)) / mean
}

/** By how much the median of the last quarter of the samples is above that of the first quarter. */
export function riseOfMedians(samples: readonly Sample[]): number {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  return medianOf(samples.slice(-quarter)) - medianOf(samples.slice(0, quarter))
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function medianOf(samples: readonly Sample[]): number {
  const sorted = samples.map(({ value }) => value).toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
