import type { GpuWorkload } from '../../core/api/gpu-workload.ts'
import { isoTime, timeOf } from '../workloads/iso-time.ts'

/** What a GpuWorkload says of a share that was given up. */
export type FallbackStatus = NonNullable<NonNullable<GpuWorkload['status']>['fallback']>

const HOUR_MS = 3_600_000

/** So long a workload keeps whole GPUs the first time, ms; each time that follows it is twice as long: 1, 2, 4, 8, 16, 24, 24 hours. */
const FIRST_HOLD_MS = HOUR_MS
const LONGEST_HOLD_MS = 24 * HOUR_MS

/** A fallback this long after the end of the last one is a first one again, ms. */
const FORGOTTEN_AFTER_MS = 7 * 24 * HOUR_MS

/** The fallback of a workload whose pods wait for `share` now. */
export function nextFallback(
  before: FallbackStatus | undefined,
  { share, nowMs }: { readonly share: string; readonly nowMs: number }
): FallbackStatus {
  const endedMs = timeOf(before?.until)
  const isKnown = before !== undefined && endedMs !== undefined && nowMs - endedMs < FORGOTTEN_AFTER_MS
  const times = isKnown ? Math.min(before.times + 1, 1000) : 1
  const holdMs = Math.min(FIRST_HOLD_MS * 2 ** (times - 1), LONGEST_HOLD_MS)
  return { share, since: isoTime(nowMs), until: isoTime(nowMs + holdMs), times }
}

/** Since when a fallback acts, ms since the epoch; undefined when none does. */
export function activeSinceMs(fallback: FallbackStatus | undefined, nowMs: number): number | undefined {
  const untilMs = timeOf(fallback?.until)
  return untilMs === undefined || untilMs <= nowMs ? undefined : timeOf(fallback?.since)
}
