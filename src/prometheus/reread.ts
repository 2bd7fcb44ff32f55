import {
  type DayPeak,
  type DeviceLabels,
  type DiscardReason,
  seriesKey
} from '../core/usage/dialect-series.ts'
import { readValue } from '../core/usage/dialect-value.ts'
import type { VectorRow } from './api-answer.ts'
import type { Asking } from './asking.ts'
import { mergePeaks } from './day-store.ts'
import { faultOf } from './fault.ts'
import type { FoundMetric } from './find-metrics.ts'
import type { JudgedSuspects } from './judged-suspects.ts'
import { type Matcher, rawQuery, type Stretch, selector } from './promql.ts'
import { noteUnsplit, queryMatrix } from './query.ts'

/** A series whose maximum on a day no GPU can have. */
export interface Suspect {
  readonly labels: DeviceLabels
  readonly row: VectorRow
  /** Labels that were asked for: the row lacks those that it does not name. */
  readonly by: readonly string[]
}

interface RereadMeans {
  readonly asking: Asking
  readonly discard: (reason: DiscardReason, count?: number) => void
  readonly rereads: { left: number }
  readonly judged: JudgedSuspects
  readonly nowMs: number
}

interface RereadQuestion {
  readonly metric: FoundMetric
  readonly dayMs: number
  readonly stretch: Stretch
  /** From when on the day changes no more, ms since the epoch. */
  readonly settledMs: number
}

/**
 * The highest believable value of a suspect, from memory or by reading its day sample by sample.
 * @returns undefined when there is none; `unknown` when it could not be read, or when too many series of this reading need it
 */
export async function rereadSuspect(
  means: RereadMeans,
  question: RereadQuestion,
  suspect: Suspect
): Promise<DayPeak | undefined | 'unknown'> {
  const { metric, dayMs, settledMs } = question
  const { nowMs } = means
  const key = `${dayMs} ${metric.dialect.name} ${seriesKey(suspect.labels, metric.dialect.metric)}`
  const known = means.judged.recall(key, { nowMs, settledMs })
  if (known !== undefined) return known.peak
  const peak = await readSamples(means, question, suspect)
  if (peak !== 'unknown') means.judged.note(key, { atMs: nowMs, dayMs, peak })
  return peak
}

/**
 * Reads a day of one series sample by sample, to find the highest believable value below the unbelievable ones.
 * @returns undefined when there is none; `unknown` when it could not be read, or when too many series of this reading need it
 */
async function readSamples(
  { asking, discard, rereads }: RereadMeans,
  { metric, dayMs, stretch }: RereadQuestion,
  { labels, row, by }: Suspect
): Promise<DayPeak | undefined | 'unknown'> {
  const first = readValue(row.value, metric.dialect.unit, labels.model)
  if (rereads.left <= 0 || asking.ended) {
    if (first.kind === 'discard') discard(first.why)
    asking.faults.add(faultOf('budget', 'too many series with impossible values to read each one by one'))
    return 'unknown'
  }
  rereads.left -= 1
  const query = rawQuery(selector(metric.dialect.name, exactly(by, row)), stretch)
  const result = await queryMatrix(asking, query, stretch.endMs)
  if (result.kind === 'fault') {
    if (first.kind === 'discard') discard(first.why)
    noteUnsplit(asking, result.fault)
    return 'unknown'
  }
  const peaks = result.rows.rows.flatMap(({ samples }) => peakOf(samples) ?? [])
  return peaks.length === 0 ? undefined : peaks.reduce(mergePeaks)

  function peakOf(samples: readonly { timeMs: number; value: number }[]): DayPeak | undefined {
    let peak: Required<DayPeak> | undefined
    for (const { timeMs, value } of samples) {
      const read = readValue(value, metric.dialect.unit, labels.model)
      if (read.kind === 'discard') discard(read.why)
      else
        peak = extend(peak, {
          dayMs,
          max: read.value,
          maxAtMs: timeMs,
          samples: 1,
          firstMs: timeMs,
          lastMs: timeMs
        })
    }
    return peak
  }
}

function extend(peak: Required<DayPeak> | undefined, next: Required<DayPeak>): Required<DayPeak> {
  if (peak === undefined) return next
  const high = next.max > peak.max ? next : peak
  return { ...high, samples: peak.samples + 1, firstMs: peak.firstMs, lastMs: next.lastMs }
}

/** The labels that a row has, and none of the other ones that were asked for. */
function exactly(by: readonly string[], { labels }: VectorRow): readonly Matcher[] {
  return by.map((label) => ({ label, is: labels[label] ?? '' }))
}
