import type { CandidateGroup } from './candidate.ts'

/** Hours of a month in every price: 365 × 24 / 12. */
export const HOURS_PER_MONTH = 730

/** What all groups come to. */
export interface CandidateSummary {
  /** Pods that fit a share. */
  readonly pods: number
  readonly gpusNow: number
  readonly gpusAfter: number
  readonly gpusFreed: number
  /** USD a month; undefined when the price of a freed GPU is not known. */
  readonly monthlyUsd: number | undefined
}

/** GPUs that packing a group would free; never below 0. */
export function freedGpus({ gpusNow, gpusAfter }: Pick<CandidateGroup, 'gpusNow' | 'gpusAfter'>): number {
  return Math.max(0, gpusNow - gpusAfter)
}

/** Price of what a group would free, USD a month; undefined where it is not known. */
export function monthlyUsd(group: CandidateGroup): number | undefined {
  return group.priceUsdPerHour === undefined
    ? undefined
    : freedGpus(group) * group.priceUsdPerHour * HOURS_PER_MONTH
}

/** Sums the groups. */
export function summarize(groups: readonly CandidateGroup[]): CandidateSummary {
  const freeing = groups.filter((group) => freedGpus(group) > 0)
  const prices = freeing.map(monthlyUsd)
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const known = prices.filter((price) => price !== undefined)
  return {
    pods: sum(groups.flatMap(({ rows }) => rows.map(({ fit, pods }) => (fit.kind === 'none' ? 0 : pods)))),
    gpusNow: sum(groups.map(({ gpusNow }) => gpusNow)),
    gpusAfter: sum(groups.map((group) => group.gpusNow - freedGpus(group))),
    gpusFreed: sum(groups.map(freedGpus)),
    monthlyUsd: known.length === prices.length && prices.length > 0 ? sum(known) : undefined
  }
}
