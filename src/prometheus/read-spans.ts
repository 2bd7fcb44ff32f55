import { readLabels } from '../core/usage/dialect-labels.ts'
import type { Asking } from './asking.ts'
import type { DayStore } from './day-store.ts'
import type { FoundMetric } from './find-metrics.ts'
import { type Stretch, selector, spanQuery } from './promql.ts'
import { noteUnsplit, queryVector } from './query.ts'

/** GPUs in one query: some 40 characters each, so that the query stays far below usual limits. */
const GPUS_PER_QUERY = 100

interface SpanMeans {
  readonly asking: Asking
  readonly store: DayStore
}

interface SpanQuestion {
  readonly metric: FoundMetric
  readonly dayMs: number
  readonly stretch: Stretch
}

/**
 * For the GPUs on which several pods were seen on a day, reads when each series began and ended on it, so that pods which
 * followed each other can be told from pods which shared.
 * @returns whether everything was answered
 */
export async function readSpans(means: SpanMeans, question: SpanQuestion): Promise<boolean> {
  const { uuidLabel: label, family, dialect } = question.metric
  if (label === undefined || family === undefined) return true
  const gpus = means.store.sharedGpus(question.dayMs)
  let whole = true
  for (let from = 0; from < gpus.length; from += GPUS_PER_QUERY) {
    const oneOf = gpus.slice(from, from + GPUS_PER_QUERY)
    const select = selector(dialect.name, [{ label, oneOf, anyCase: true }])
    for (const which of ['min', 'max'] as const) {
      whole = (await readEnds(means, question, { which, select })) && whole
    }
  }
  return whole
}

async function readEnds(
  { asking, store }: SpanMeans,
  { metric, dayMs, stretch }: SpanQuestion,
  { which, select }: { readonly which: 'min' | 'max'; readonly select: string }
): Promise<boolean> {
  const result = await queryVector(asking, spanQuery(which, select, metric.by, stretch), stretch.endMs)
  if (result.kind === 'fault') {
    noteUnsplit(asking, result.fault)
    return false
  }
  for (const { labels: raw, value } of result.rows.rows) {
    const read = readLabels(raw, metric.dialect.metric, metric.family)
    if (read.kind !== 'labels' || !Number.isFinite(value)) continue
    const timeMs = Math.min(stretch.endMs, Math.max(dayMs, Math.round(value * 1000)))
    store.putSpan(read.labels, dayMs, which === 'min' ? { firstMs: timeMs } : { lastMs: timeMs })
  }
  return result.whole
}
