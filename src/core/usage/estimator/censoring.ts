import type { BlockPeak } from './block-peaks.ts'

/** A share that is no fuller than this fits with room: 8,870 of 9,856 MiB. */
const FITS_BELOW_RATIO = 0.9

/**
 * The blocks that are still cut off. A cut-off block becomes a normal one when later blocks of a whole season ran at
 * 90 % of their limit or less, in a share at least as large; after an out-of-memory exit the share must be larger.
 */
export function censoredBlocks(peaks: readonly BlockPeak[], seasonBlocks: number): ReadonlySet<BlockPeak> {
  const censored = new Set<BlockPeak>()
  for (const peak of peaks) {
    if (peak.cutOffMiB === undefined) continue
    const proofs = peaks.filter((later) => later.dayMs > peak.dayMs && showsFit(later, peak))
    if (new Set(proofs.map(({ dayMs }) => dayMs)).size < seasonBlocks) censored.add(peak)
  }
  return censored
}

function showsFit(
  later: BlockPeak,
  { cutOffMiB = Number.POSITIVE_INFINITY, outOfMemory }: BlockPeak
): boolean {
  const { limitMiB, fillRatio } = later
  if (limitMiB === undefined || fillRatio === undefined || later.cutOffMiB !== undefined) return false
  const isLargeEnough = outOfMemory ? limitMiB > cutOffMiB : limitMiB >= cutOffMiB
  return isLargeEnough && fillRatio <= FITS_BELOW_RATIO
}

/** Least need that a block proves, MiB: its peak, and of a cut-off block also the limit at which it was cut. */
export function provenNeedMiB(peak: BlockPeak, isCensored: boolean): number {
  const { cutOffMiB, peakMiB } = peak
  return isCensored && cutOffMiB !== undefined && Number.isFinite(cutOffMiB)
    ? Math.max(peakMiB, cutOffMiB)
    : peakMiB
}
