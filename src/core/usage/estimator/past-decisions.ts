import { compareText } from '../../compare-text.ts'
import { type BlockPeak, blockPeaksOf } from './block-peaks.ts'
import { censoredBlocks, provenNeedMiB } from './censoring.ts'
import type { Ratio } from './conformal.ts'
import type { EstimatorInput } from './input.ts'
import { peakOf } from './peak.ts'
import type { EstimatorSettings } from './settings.ts'

/** A decision that could have been made at the end of a past block, and what came after it. */
export interface PastDecision extends Ratio {
  /** When it was made: end of its last block, ms since the epoch. */
  readonly atMs: number
  /** Clean history that it stood on, in blocks. */
  readonly cleanBlocks: number
}

/**
 * Every past decision of one container whose horizon is over: at most one a block of the lookback (28), four numbers
 * each. Made again from the blocks each time, so nothing has to be kept and nothing is lost by a restart. Decisions on
 * a peak that was cut off are left out; outcomes that were cut off are lower bounds.
 */
export function pastDecisionsOf(
  input: EstimatorInput,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: EstimatorSettings }
): readonly PastDecision[] {
  const peaks = allPeaksOf(input, { nowMs, settings })
  const censored = censoredBlocks(peaks, settings.seasonBlocks)
  const horizonMs = settings.horizonBlocks * settings.blockMs
  const decisions: PastDecision[] = []
  for (const atMs of new Set(peaks.map(({ dayMs }) => dayMs + settings.blockMs))) {
    if (atMs + horizonMs > nowMs) continue
    const later = peaks.filter(({ dayMs }) => dayMs >= atMs && dayMs < atMs + horizonMs)
    const before = peaks.filter(({ dayMs }) => dayMs < atMs)
    const decision = judge({ before, later, censored, atMs }, settings)
    if (decision !== undefined) decisions.push(decision)
  }
  return decisions
}

/**
 * Block peaks of the current image and of the earlier ones, oldest first. The lookback ends with the newest block and not
 * with the clock, so that silence forgets nothing.
 */
export function allPeaksOf(
  { current, earlier }: EstimatorInput,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: EstimatorSettings }
): readonly BlockPeak[] {
  const histories = [current, ...earlier]
  const newestMs = histories
    .flatMap(({ blocks }) => blocks)
    .reduce(
      (newest, { dayMs }) => (dayMs <= nowMs ? Math.max(newest, dayMs) : newest),
      Number.NEGATIVE_INFINITY
    )
  const sinceMs = newestMs - (settings.lookbackBlocks - 1) * settings.blockMs
  return histories
    .flatMap(({ key, blocks }) => blockPeaksOf(blocks, key.image, { sinceMs, nowMs, settings }))
    .sort((a, b) => a.dayMs - b.dayMs || compareText(a.image, b.image))
}

interface Outcome {
  readonly before: readonly BlockPeak[]
  readonly later: readonly BlockPeak[]
  readonly censored: ReadonlySet<BlockPeak>
  readonly atMs: number
}

function judge(
  { before, later, censored, atMs }: Outcome,
  settings: EstimatorSettings
): PastDecision | undefined {
  const [next] = later
  if (next === undefined) return undefined
  const known = peakOf(before, { image: next.image, nowMs: atMs, settings })
  if (known === undefined || known.censored > 0 || known.peakMiB <= 0) return undefined
  const needMiB = later.reduce((most, peak) => Math.max(most, provenNeedMiB(peak, censored.has(peak))), 0)
  return {
    atMs,
    cleanBlocks: known.cleanBlocks,
    ratio: needMiB / known.peakMiB,
    isLowerBound: later.some((peak) => censored.has(peak))
  }
}
