import type { BlockPeak } from './block-peaks.ts'
import type { EstimatorSettings } from './settings.ts'

/**
 * Length of the clean history in blocks. A block that lies between others counts whole, since the workload was there
 * before and after; the first one and the running one count by what samples cover; blocks with a cut-off do not count.
 * @example a pod since yesterday 18:00, now 06:00: 0.25 + 0.25 = 0.5 days
 */
export function cleanBlocksOf(
  peaks: readonly BlockPeak[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: EstimatorSettings }
): number {
  const cutDays = new Set(peaks.flatMap(({ dayMs, cutOffMiB }) => (cutOffMiB === undefined ? [] : dayMs)))
  const clean = peaks.filter(({ dayMs }) => !cutDays.has(dayMs))
  const firstMs = clean.reduce((least, { dayMs }) => Math.min(least, dayMs), Number.POSITIVE_INFINITY)
  const lengths = new Map<number, number>()
  for (const { dayMs, coveredRatio } of clean) {
    const isInside = dayMs > firstMs && dayMs + settings.blockMs <= nowMs
    lengths.set(dayMs, Math.max(lengths.get(dayMs) ?? 0, isInside ? 1 : coveredRatio))
  }
  return [...lengths.values()].reduce((sum, length) => sum + length, 0)
}
