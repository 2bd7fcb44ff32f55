import type { DayPeak, DeviceSeries } from '../dialect-series.ts'
import { DAY_MS } from './known.ts'

/** Samples that are further apart than this prove no time between them, seconds. */
const LONGEST_SPACING_SECONDS = 60

/**
 * Time from sample to sample, seconds, told by the densest day of memory samples: a day that was measured throughout has the most.
 * At most 60, so that a source without such a day does not pass for more than it saw.
 */
export function sampleSpacingSeconds(series: readonly DeviceSeries[], nowMs: number): number {
  let spacing = LONGEST_SPACING_SECONDS
  for (const { metric, days } of series) {
    if (!metric.startsWith('memory')) continue
    for (const { dayMs, samples = 0 } of days) {
      const lengthSeconds = Math.min(DAY_MS, nowMs - dayMs) / 1000
      if (samples > 0 && lengthSeconds > 0) spacing = Math.min(spacing, lengthSeconds / samples)
    }
  }
  return spacing
}

/** Time that the samples of a day cover, whole seconds: as many as there are, and no more than from the first to the last. */
export function coverageSeconds({ samples, firstMs, lastMs }: DayPeak, spacingSeconds: number): number {
  const bySpan = firstMs === undefined || lastMs === undefined ? undefined : (lastMs - firstMs) / 1000
  const byCount = samples === undefined ? undefined : samples * spacingSeconds
  const found = byCount ?? bySpan ?? 0
  const most = bySpan === undefined ? DAY_MS / 1000 : bySpan + spacingSeconds
  return Math.max(0, Math.round(Math.min(found, most, DAY_MS / 1000)))
}
