import type { UsageBlock } from '../../../src/core/usage/block.ts'

/** From this many replicas on, what the others showed says something about each of them. */
const POOL_FROM_REPLICAS = 3

/** Replicas of unlike roles are sized by the peak that nine in ten of them stay below. */
const UNLIKE_QUANTILE = 0.9

/**
 * What a pod of unlike replicas has to hold at least, because its fellows needed it: nine in ten of them stay at or
 * below it. The size of such a pod is the larger of this and its own peak; replicas that are alike take the highest.
 * @returns undefined for fewer than three replicas
 * @example peaks 10, 11, …, 19 GiB: 18 GiB
 */
export function unlikeReplicaFloorMiB(blocks: readonly UsageBlock[]): number | undefined {
  const byPod = new Map<string, number>()
  for (const { pod, peakMiB } of blocks) {
    if (Number.isFinite(peakMiB)) byPod.set(pod, Math.max(byPod.get(pod) ?? 0, peakMiB))
  }
  const peaks = [...byPod.values()].sort((a, b) => a - b)
  return peaks.length < POOL_FROM_REPLICAS ? undefined : peaks[Math.ceil(peaks.length * UNLIKE_QUANTILE) - 1]
}
