import type { BlockPeak } from './block-peaks.ts'

/**
 * Shares of the device that programs take whatever they need.
 * @source documentation of JAX (0.75), vLLM (0.9, since 2025 0.92), TensorFlow (all but a remainder)
 */
const KNOWN_SHARES = [0.75, 0.9, 0.92, 0.98] as const

/** Reserve and contexts move a share by this much: 0.88 to 0.92 looks like vLLM's 0.9. */
const SHARE_WITHIN = 0.02

/** A reservation does not move from day to day: 72,000 and 72,500 MiB are the same, 72,000 and 73,000 are not. */
const SPREAD_BELOW_RATIO = 0.01

/**
 * The known share of its device that a program holds, day after day; undefined when the use moves, or lies elsewhere, or a
 * limit is not known. Such use is a reservation and tells nothing of the need. A slice that is full day after day may as
 * well be too small, so only a whole card counts there.
 */
export function selfSizedShareOf(peaks: readonly BlockPeak[]): number | undefined {
  const shares = peaks.flatMap(({ fillRatio }) => fillRatio ?? [])
  if (shares.length === 0 || shares.length < peaks.length) return undefined
  if (peaks.some(({ cutOffMiB, onWholeGpu }) => cutOffMiB !== undefined && !onWholeGpu)) return undefined
  const most = Math.max(...shares)
  const least = Math.min(...shares)
  if (most - least >= most * SPREAD_BELOW_RATIO) return undefined
  return KNOWN_SHARES.find(
    (share) => Math.abs(most - share) <= SHARE_WITHIN && Math.abs(least - share) <= SHARE_WITHIN
  )
}
