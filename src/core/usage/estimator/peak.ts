import type { BlockPeak } from './block-peaks.ts'
import { censoredBlocks, provenNeedMiB } from './censoring.ts'
import { cleanBlocksOf } from './clean-history.ts'
import type { EstimatorSettings } from './settings.ts'

/** Highest need that the blocks prove for one image. */
export interface Peak {
  readonly peakMiB: number
  readonly peakAtMs: number | undefined
  /** Clean history behind it, in blocks. */
  readonly cleanBlocks: number
  /** Blocks that are still cut off, so that the need may be larger. */
  readonly censored: number
}

/**
 * Peak of `image`. Until it has been seen for a whole season, the peaks of earlier images stay as a floor and their
 * history counts; from then on they are forgotten.
 * @returns undefined when nothing is known
 */
export function peakOf(
  peaks: readonly BlockPeak[],
  scope: {
    readonly image: string
    readonly nowMs: number
    readonly settings: EstimatorSettings
  }
): Peak | undefined {
  const { seasonBlocks } = scope.settings
  const own = peaks.filter(({ image }) => image === scope.image)
  const ownBlocks = cleanBlocksOf(own, scope)
  const isSettled = ownBlocks >= seasonBlocks
  const counted = isSettled ? own : peaks
  const censored = censoredBlocks(counted, seasonBlocks)
  let highest: { needMiB: number; peakAtMs: number | undefined } | undefined
  for (const peak of counted) {
    const needMiB = provenNeedMiB(peak, censored.has(peak))
    if (highest === undefined || needMiB > highest.needMiB) highest = { needMiB, peakAtMs: peak.peakAtMs }
  }
  if (highest === undefined) return undefined
  return {
    peakMiB: highest.needMiB,
    peakAtMs: highest.peakAtMs,
    cleanBlocks: isSettled ? ownBlocks : cleanBlocksOf(peaks, scope),
    censored: censored.size
  }
}
