import type { UsageReading } from '../../ports/usage-source.ts'
import type { Claim } from '../conditions.ts'
import { isoTime } from '../workloads/iso-time.ts'

/** How the source of history is, over several readings. */
export interface SourceHealth {
  readonly reading: Pick<UsageReading, 'status' | 'faults' | 'newestSampleMs' | 'nowMs' | 'metricNames'>
  /** Since when no reading was whole, ms since the epoch; undefined while they are. */
  readonly troubledSinceMs: number | undefined
}

/** A newest sample older than this means that nothing is measured any more, though everything answers, ms. */
const SILENT_AFTER_MS = 3_600_000

/** Trouble that lasts as long as this is told on every workload, ms; before that on the policies alone. */
const TOLD_AFTER_MS = 3_600_000

/** The health after one more reading. */
export function nextHealth(before: SourceHealth | undefined, reading: SourceHealth['reading']): SourceHealth {
  const isWhole = reading.status === 'complete'
  return {
    reading,
    troubledSinceMs: isWhole ? undefined : (before?.troubledSinceMs ?? reading.nowMs)
  }
}

/** A sentence about trouble that has lasted for long, the same for as long as it lasts; undefined where there is none. */
export function longTrouble({ reading, troubledSinceMs }: SourceHealth): string | undefined {
  if (troubledSinceMs === undefined || reading.nowMs - troubledSinceMs < TOLD_AFTER_MS) return undefined
  return `GPU metrics have not been read in full since ${isoTime(troubledSinceMs)}`
}

/** Whether there is history to decide on. */
export function historyClaim({ reading }: SourceHealth): Claim {
  const type = 'HistoryAvailable'
  const [fault] = reading.faults
  if (reading.status !== 'complete') {
    const reason = reading.status === 'partial' ? 'PartlyRead' : 'NotRead'
    const message = fault === undefined ? 'the source of GPU metrics did not answer' : fault.message
    return { type, status: 'False', reason, message: `${message}; what is known is kept, nothing shrinks` }
  }
  const { newestSampleMs, nowMs } = reading
  if (newestSampleMs === undefined || nowMs - newestSampleMs > SILENT_AFTER_MS) {
    const message = 'the source answers, but holds no GPU memory value of the last hour'
    return { type, status: 'False', reason: 'NoRecentSamples', message }
  }
  const message = `GPU memory is read from ${reading.metricNames.join(', ') || 'no metric'}`
  return { type, status: 'True', reason: 'Read', message }
}
