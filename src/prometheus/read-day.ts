import { chooseOwnerFamily, type OwnerLabels } from '../core/usage/dialect.ts'
import { readLabels } from '../core/usage/dialect-labels.ts'
import {
  type DayPeak,
  type DeviceLabels,
  type DiscardReason,
  seriesKey
} from '../core/usage/dialect-series.ts'
import { readValue } from '../core/usage/dialect-value.ts'
import type { VectorRow } from './api-answer.ts'
import type { Asking } from './asking.ts'
import type { DayStore } from './day-store.ts'
import { type Fault, faultOf } from './fault.ts'
import type { FoundMetric } from './find-metrics.ts'
import type { JudgedSuspects } from './judged-suspects.ts'
import { firstPages, type Page, pageMatchers, splitPage } from './page.ts'
import { countQuery, maxQuery, type Stretch, selector } from './promql.ts'
import { isSplittable, noteUnsplit, type QueryResult, queryVector } from './query.ts'
import { rereadSuspect, type Suspect } from './reread.ts'

/** Where a reading puts what it finds. */
export interface DayMeans {
  readonly asking: Asking
  readonly store: DayStore
  readonly discard: (reason: DiscardReason, count?: number) => void
  /** Namespaces in one query; smaller once a server has refused more. */
  readonly pageSize: { namespaces: number }
  /** Pages that were answered. */
  readonly pages: { read: number }
  /** How many more series of the day may be read sample by sample in this reading. */
  readonly rereads: { left: number }
  readonly judged: JudgedSuspects
  readonly nowMs: number
}

/** One metric on one day. */
export interface DayQuestion {
  readonly metric: FoundMetric
  readonly dayMs: number
  readonly stretch: Stretch
  /** From when on the day changes no more, ms since the epoch. */
  readonly settledMs: number
}

/** How a day's reading went. */
interface DayOutcome {
  /** Everything asked was answered. */
  whole: boolean
  /** Rows under the family that tells owners, or unknown because an answer is missing. */
  owned: boolean
}

/**
 * Reads the highest value of each series of a metric on one day, page by page, and for memory how many samples it had.
 * @returns whether every page was answered in full
 */
export async function readDay(means: DayMeans, question: DayQuestion): Promise<boolean> {
  const { family, namespaces } = question.metric
  const pages = firstPages(family, namespaces, means.pageSize.namespaces)
  const outcome: DayOutcome = { whole: true, owned: false }
  const owned = pages.filter((page) => !isRest(page))
  const rest = pages.filter(isRest)
  await Promise.all(owned.map((page) => readPage(means, { ...question, page, outcome })))
  for (const page of rest) await readPage(means, { ...question, page, outcome })
  return outcome.whole
}

interface PageQuestion extends DayQuestion {
  readonly page: Page
  readonly outcome: DayOutcome
}

async function readPage(means: DayMeans, question: PageQuestion): Promise<void> {
  const { metric, page, stretch } = question
  const matchers = pageMatchers(page, metric.family, metric.uuidLabel)
  const select = selector(metric.dialect.name, matchers)
  const by = labelsOf(question)
  const [maxima, counts] = await Promise.all([
    queryVector(means.asking, maxQuery(select, by, stretch), stretch.endMs),
    metric.dialect.metric.startsWith('memory')
      ? queryVector(means.asking, countQuery(select, by, stretch), stretch.endMs)
      : undefined
  ])
  if (maxima.kind === 'fault') return splitOrGiveUp(means, question, maxima.fault)
  if (counts?.kind === 'fault') return splitOrGiveUp(means, question, counts.fault)
  return takeUp(means, question, { maxima, counts })
}

/** Asks for less when that may help, and else leaves a gap. */
async function splitOrGiveUp(means: DayMeans, question: PageQuestion, fault: Fault): Promise<void> {
  const { page, metric, outcome } = question
  const maySplit = isSplittable(fault) && !means.asking.ended
  const parts = maySplit ? splitPage(page, metric.uuidLabel !== undefined) : []
  if (parts.length === 0) {
    noteUnsplit(means.asking, fault)
    outcome.whole = false
    outcome.owned ||= !isRest(page) // what is not known may have had owners
    return
  }
  const size = page.namespaces?.length ?? 0
  if (size > 1) means.pageSize.namespaces = Math.min(means.pageSize.namespaces, Math.ceil(size / 2))
  for (const part of parts) await readPage(means, { ...question, page: part })
}

type VectorAnswer = Extract<QueryResult<VectorRow>, { kind: 'rows' }>

interface PageRows {
  readonly maxima: VectorAnswer
  readonly counts: VectorAnswer | undefined
}

async function takeUp(means: DayMeans, question: PageQuestion, { maxima, counts }: PageRows): Promise<void> {
  const { metric } = question
  const { rows } = maxima.rows
  noteWhole(means, question, { maxima, counts })
  const family = isRest(question.page) ? familyOfRest(metric, rows, question.outcome) : metric.family
  const samplesOf = readCounts(metric, family, counts)
  const by = labelsOf(question)
  const suspects: Suspect[] = []
  for (const row of rows) {
    const read = readLabels(row.labels, metric.dialect.metric, family)
    if (read.kind === 'discard') means.discard(read.why)
    else {
      const suspect = takeUpRow(means, question, { labels: read.labels, row, by, samplesOf })
      if (suspect !== undefined) suspects.push(suspect)
    }
  }
  await rereadAll(means, question, suspects)
}

function noteWhole(means: DayMeans, { page, outcome }: PageQuestion, { maxima, counts }: PageRows): void {
  const { rows, malformed } = maxima.rows
  means.pages.read += 1
  if (malformed > 0) {
    means.discard('malformed', malformed)
    means.asking.faults.add(faultOf('bad-answer', `${malformed} rows of an answer cannot be read`))
  }
  if (malformed > 0 || !maxima.whole || counts?.whole === false) outcome.whole = false
  if (!isRest(page) && rows.length > 0) outcome.owned = true
}

interface ReadRow extends Suspect {
  readonly samplesOf: ReadonlyMap<string, number>
}

/** Keeps a believable maximum, and returns a row whose maximum may hide believable values. */
function takeUpRow(
  means: DayMeans,
  question: PageQuestion,
  { labels, row, by, samplesOf }: ReadRow
): Suspect | undefined {
  const { dialect } = question.metric
  const value = readValue(row.value, dialect.unit, labels.model)
  if (value.kind === 'discard') {
    if (hidesOthers(value.why)) return { labels, row, by }
    means.discard(value.why)
    return undefined
  }
  const samples = samplesOf.get(seriesKey(labels, dialect.metric))
  const peak = { dayMs: question.dayMs, max: value.value, ...(samples !== undefined && { samples }) }
  keep(means, question, labels, peak)
  return undefined
}

/** Whether believable values may lie below such a maximum. */
function hidesOthers(why: DiscardReason): boolean {
  return why === 'blank' || why === 'infinite' || why === 'impossible'
}

/** Series without the labels of the chosen family are nobody's, unless nobody had those labels on that day. */
function familyOfRest(
  metric: FoundMetric,
  rows: readonly VectorRow[],
  outcome: DayOutcome
): OwnerLabels | undefined {
  if (outcome.owned) return undefined
  return chooseOwnerFamily(new Set(rows.flatMap(({ labels }) => Object.keys(labels))), metric.otherFamilies)
}

function readCounts(
  metric: FoundMetric,
  family: OwnerLabels | undefined,
  counts: VectorAnswer | undefined
): ReadonlyMap<string, number> {
  const samplesOf = new Map<string, number>()
  for (const { labels: raw, value } of counts?.rows.rows ?? []) {
    const read = readLabels(raw, metric.dialect.metric, family)
    if (read.kind !== 'labels' || !Number.isSafeInteger(value) || value < 0) continue
    const key = seriesKey(read.labels, metric.dialect.metric)
    samplesOf.set(key, Math.max(value, samplesOf.get(key) ?? 0))
  }
  return samplesOf
}

function keep(means: DayMeans, { metric }: PageQuestion, labels: DeviceLabels, peak: DayPeak): void {
  const { name, metric: kind } = metric.dialect
  if (means.store.put({ labels, metric: kind, metricName: name, peak })) return
  means.discard('series-limit') // the store knows of whom; asking again would find no more room
}

async function rereadAll(
  means: DayMeans,
  question: PageQuestion,
  suspects: readonly Suspect[]
): Promise<void> {
  for (const suspect of suspects) {
    const peak = await rereadSuspect(means, question, suspect)
    if (peak === 'unknown') question.outcome.whole = false
    else if (peak !== undefined) keep(means, question, suspect.labels, peak)
  }
}

function isRest({ namespaces }: Page): boolean {
  return namespaces?.length === 0
}

function labelsOf({ metric, page }: PageQuestion): readonly string[] {
  return isRest(page) ? metric.byOfRest : metric.by
}
