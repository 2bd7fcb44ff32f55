import type { BlockPeak } from './block-peaks.ts'
import type { EstimatorSettings } from './settings.ts'

const BLOCKS_A_WEEK = 7

/** Blocks this close to the highest count as peaks: 9,500 MiB beside 10,000. */
const PEAK_FROM_RATIO = 0.95

/** Blocks between weekly peaks stay at or below this share of them: 8,000 MiB beside 10,000. */
const QUIET_BELOW_RATIO = 0.8

/**
 * Blocks of one season as the peaks show it: a week where they come once a week, seen at least twice, and the days between
 * stay clearly lower; else that of the settings. It explains and decides nothing, so that one sample more or less never
 * changes what counts; a week of checks stands before every shrink anyway.
 */
export function seasonBlocksOf(
  peaks: readonly BlockPeak[],
  { blockMs, seasonBlocks }: EstimatorSettings
): number {
  const highestMiB = peaks.reduce((most, { peakMiB }) => Math.max(most, peakMiB), 0)
  const weekdays = new Set<number>()
  const peakDays = new Set<number>()
  for (const { dayMs, peakMiB } of peaks) {
    if (peakMiB >= highestMiB * PEAK_FROM_RATIO) {
      const day = Math.floor(dayMs / blockMs)
      weekdays.add(day % BLOCKS_A_WEEK)
      peakDays.add(day)
    } else if (peakMiB > highestMiB * QUIET_BELOW_RATIO) return seasonBlocks
  }
  const isWeekly = weekdays.size === 1 && peakDays.size >= 2 && peaks.length > peakDays.size
  return isWeekly ? Math.max(seasonBlocks, BLOCKS_A_WEEK) : seasonBlocks
}
