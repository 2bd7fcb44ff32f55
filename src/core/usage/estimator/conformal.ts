/** What became of one past decision: later need over the peak known at the time. */
export interface Ratio {
  readonly ratio: number
  /** The later need was cut off by a limit, so the true ratio may be larger. */
  readonly isLowerBound: boolean
}

/** Rounding errors of the survival product stay far below this. */
const TOLERANCE = 1e-9

/** Order in which `conformalFactor` reads: by ratio, a measured one before a lower bound of the same value. */
export function byRatio(a: Ratio, b: Ratio): number {
  return a.ratio - b.ratio || Number(a.isLowerBound) - Number(b.isLowerBound)
}

/**
 * Factor that the next decision's ratio stays at or below with probability 1 − `riskRatio`, whatever the distribution,
 * as long as decisions are exchangeable. Kaplan-Meier survival over the m ratios and one more at infinity: without
 * lower bounds that is the ⌈(m + 1)(1 − risk)⌉-th smallest, the split conformal quantile.
 * @param sorted ratios in the order of `byRatio`
 * @returns undefined when there are too few: 19 are needed for a risk of 5 %, 99 for 1 %
 * @source Vovk et al., Algorithmic Learning in a Random World; Kaplan and Meier 1958
 */
export function conformalFactor(sorted: readonly Ratio[], riskRatio: number): number | undefined {
  let atRisk = sorted.length + 1
  let survival = 1
  for (const { ratio, isLowerBound } of sorted) {
    if (!isLowerBound) survival *= 1 - 1 / atRisk
    atRisk -= 1
    if (survival <= riskRatio + TOLERANCE) return ratio
  }
  return undefined
}
