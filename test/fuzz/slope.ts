/** Share of a series that is warm-up and does not count. */
const WARM_UP = 0.2

/** Least number of samples after the warm-up that says anything. */
const LEAST = 10

/**
 * How much a series changes from end to end of what follows its warm-up, along the straight line that fits it best, as a ratio of its
 * mean: 0.05 for one that grew by 5 %. undefined for a series that is too short.
 */
export function relativeSlope(series: readonly number[]): number | undefined {
  const warm = series.slice(Math.ceil(series.length * WARM_UP))
  if (warm.length < LEAST) return undefined
  const count = warm.length
  const middle = (count - 1) / 2
  const mean = warm.reduce((sum, value) => sum + value, 0) / count
  let [covariance, variance] = [0, 0]
  for (const [place, value] of warm.entries()) {
    covariance += (place - middle) * (value - mean)
    variance += (place - middle) ** 2
  }
  return ((covariance / variance) * (count - 1)) / mean
}
