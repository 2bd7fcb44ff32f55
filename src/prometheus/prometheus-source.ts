import { addDiscards, type DiscardCounts, type DiscardReason } from '../core/usage/dialect-series.ts'
import type { DayState, ReadRequest, UsageReading, UsageSource } from '../ports/usage-source.ts'
import { Access } from './access.ts'
import { Asking } from './asking.ts'
import { DayStore } from './day-store.ts'
import { faultOf } from './fault.ts'
import { type FoundMetric, findMetrics } from './find-metrics.ts'
import { JudgedSuspects } from './judged-suspects.ts'
import { type Stretch, selector, stretchOfDay } from './promql.ts'
import { queryVector } from './query.ts'
import { type DayMeans, readDay } from './read-day.ts'
import { readSpans } from './read-spans.ts'
import {
  checkNames,
  defaultLimits,
  type PrometheusOptions,
  readBaseUrl,
  type SourceLimits
} from './source-options.ts'

const DAY_MS = 86_400_000

/** Longest lookback, days. */
const MAX_LOOKBACK_DAYS = 28

/** How long after its end a day may still change, ms: samples that arrive late, stores that upload by the hour. */
const SETTLED_AFTER_MS = 3_600_000

/** Series that one reading reads sample by sample because their maximum is impossible; shared by the days that it asks. */
const REREADS = 200

/**
 * Reads GPU use from a server that speaks the HTTP API of Prometheus (Prometheus, Thanos, Mimir, VictoriaMetrics).
 * A day that is over and was answered in full is never asked again; nothing is asked before the first `read`.
 * @throws AppError CONFIG_INVALID for an address, metric or label name that cannot be used
 */
export function openPrometheus(options: PrometheusOptions): UsageSource {
  checkNames(options)
  const limits: SourceLimits = { ...defaultLimits, ...options.limits }
  return new PrometheusSource(options, limits, readBaseUrl(options.url))
}

class PrometheusSource implements UsageSource {
  readonly #options: PrometheusOptions
  readonly #limits: SourceLimits
  readonly #baseUrl: URL
  readonly #access: Access
  readonly #store: DayStore
  /** Days on which a metric needs not be asked again, by `name day`. */
  readonly #settled = new Set<string>()
  readonly #judged = new JudgedSuspects()
  /** Days that were answered in full the last time and held nothing; they are asked again, and need no room for more. */
  readonly #empty = new Set<number>()
  readonly #closing = new AbortController()
  #metrics: readonly FoundMetric[] = []

  constructor(options: PrometheusOptions, limits: SourceLimits, baseUrl: URL) {
    this.#options = options
    this.#limits = limits
    this.#baseUrl = baseUrl
    this.#access = new Access(options.access ?? {}, limits.concurrency)
    this.#store = new DayStore(limits.series)
  }

  async read(request: ReadRequest): Promise<UsageReading> {
    const { nowMs } = request
    const asking = this.#startAsking(request.signal)
    const days = daysOf(nowMs, request.lookbackDays)
    const fromMs = days[0] ?? nowMs
    this.#forgetBefore(Math.min(fromMs, daysOf(nowMs, MAX_LOOKBACK_DAYS)[0] ?? fromMs))
    const { metrics: own = [], ownerLabels } = this.#options
    const found = await findMetrics(asking, { own, ownerLabels, fromMs, toMs: nowMs })
    const indexWhole = asking.troubles().length === 0 // else namespaces or whole metrics may be missing from it
    this.#metrics = indexWhole ? found : joined(found, this.#metrics)
    const tally = new Tally()
    const dayStates: DayState[] = []
    const open = new Set(days.filter((dayMs) => !this.#isSettled(dayMs) && !this.#empty.has(dayMs)))
    for (const dayMs of days.toReversed()) {
      const ask = found.length > 0 && !this.#isSettled(dayMs)
      const whole = ask
        ? await this.#readDay(asking, tally, { dayMs, nowMs, indexWhole, openDays: open.size })
        : this.#isSettled(dayMs)
      open.delete(dayMs)
      dayStates.unshift({ dayMs, state: stateOf(whole, this.#store.hasDay(dayMs)) })
    }
    const newestSampleMs = await newestSample(asking, found, nowMs)
    const missing = this.#missing(asking, fromMs, dayStates)
    return {
      ...missing,
      status: statusOf(asking, dayStates, found.length > 0 && tally.pages.read > 0),
      nowMs,
      series: this.#store.list(fromMs),
      days: dayStates,
      metricNames: this.#metrics.map(({ dialect }) => dialect.name),
      newestSampleMs,
      faults: asking.troubles(),
      discarded: tally.discarded,
      cost: asking.cost()
    }
  }

  /** Of whom series are missing for want of room; where that is all, no node is missed. */
  #missing(
    asking: Asking,
    fromMs: number,
    days: readonly DayState[]
  ): Pick<UsageReading, 'missingNamespaces' | 'missingNodes'> {
    const missingNamespaces = this.#store.refusedSince(fromMs)
    if (missingNamespaces.length === 0) return {}
    const isElseWhole = asking.troubles().length === 0 && days.every(({ state }) => state !== 'partial')
    const message = `more series than usageSeries: days of ${missingNamespaces.length} namespaces are missing`
    asking.faults.add(faultOf('series-limit', message))
    return isElseWhole ? { missingNamespaces, missingNodes: [] } : { missingNamespaces }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#access.close()
  }

  #startAsking(signal: AbortSignal | undefined): Asking {
    return new Asking({
      baseUrl: this.#baseUrl,
      access: this.#access,
      limits: this.#limits,
      parameters: this.#options.parameters ?? {},
      random: this.#options.random ?? Math.random,
      signal: signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
    })
  }

  /** Reads what is not settled of one day; true when all of it is known. */
  async #readDay(asking: Asking, tally: Tally, time: DayTime): Promise<boolean> {
    const { dayMs, nowMs, indexWhole, openDays } = time
    const open = this.#metrics.filter(({ dialect }) => !this.#settled.has(`${dialect.name} ${dayMs}`))
    const stretch = stretchOfDay(dayMs, nowMs)
    if (stretch === undefined) return true
    const rereads = tally.rereadsFor(openDays)
    const own = { asking, store: this.#store, judged: this.#judged, nowMs, rereads }
    const means = { ...own, ...tally.means(this.#limits.namespacesPerPage) }
    const settledMs = dayMs + DAY_MS + SETTLED_AFTER_MS
    let whole = indexWhole
    for (const metric of open) whole = (await readDay(means, { metric, dayMs, stretch, settledMs })) && whole
    tally.giveBack(rereads)
    whole = (await this.#readSpans(asking, { dayMs, stretch })) && whole
    if (whole) this.#noteWhole(dayMs, { open, isOver: nowMs >= settledMs })
    else this.#empty.delete(dayMs)
    return whole
  }

  /** A day that is over and whole needs not be asked again, unless it is empty. */
  #noteWhole(
    dayMs: number,
    { open, isOver }: { readonly open: readonly FoundMetric[]; readonly isOver: boolean }
  ): void {
    if (!this.#store.hasDay(dayMs)) {
      this.#empty.add(dayMs)
      return
    }
    this.#empty.delete(dayMs)
    if (isOver) for (const { dialect } of open) this.#settled.add(`${dialect.name} ${dayMs}`)
  }

  #isSettled(dayMs: number): boolean {
    const names = this.#metrics.map(({ dialect }) => dialect.name)
    return names.length > 0 && names.every((name) => this.#settled.has(`${name} ${dayMs}`))
  }

  #readSpans(asking: Asking, { dayMs, stretch }: { dayMs: number; stretch: Stretch }): Promise<boolean> {
    const metric = mainMetric(this.#metrics)
    if (metric === undefined || asking.ended) return Promise.resolve(!asking.ended)
    this.#store.forgetSpans(dayMs)
    return readSpans({ asking, store: this.#store }, { metric, dayMs, stretch })
  }

  #forgetBefore(fromMs: number): void {
    this.#store.forgetBefore(fromMs)
    this.#judged.forgetBefore(fromMs)
    for (const dayMs of this.#empty) if (dayMs < fromMs) this.#empty.delete(dayMs)
    for (const key of this.#settled) {
      if (Number(key.slice(key.indexOf(' ') + 1)) < fromMs) this.#settled.delete(key)
    }
  }
}

interface DayTime {
  readonly dayMs: number
  readonly nowMs: number
  /** The server named all metrics and namespaces that it has. */
  readonly indexWhole: boolean
  /** Days that are still to be asked in this reading and may hold something, this one among them. */
  readonly openDays: number
}

/** What was found now, and what was found before and is not named now. */
function joined(found: readonly FoundMetric[], before: readonly FoundMetric[]): readonly FoundMetric[] {
  const names = new Set(found.map(({ dialect }) => dialect.name))
  return [...found, ...before.filter(({ dialect }) => !names.has(dialect.name))]
}

/** The metric that tells when a device was in use: memory where it is measured. */
function mainMetric(metrics: readonly FoundMetric[]): FoundMetric | undefined {
  return metrics.find(({ dialect }) => dialect.metric.startsWith('memory')) ?? metrics[0]
}

/** What one reading discarded, and the bounds that it shares between its days. */
class Tally {
  discarded: DiscardCounts = {}
  readonly pages = { read: 0 }
  #rereadsLeft = REREADS
  #pageSize: { namespaces: number } | undefined

  /** The part of one of so many days, so that no day waits for those before it. */
  rereadsFor(openDays: number): { left: number } {
    const left = Math.ceil(this.#rereadsLeft / Math.max(1, openDays))
    this.#rereadsLeft -= left
    return { left }
  }

  /** Takes back what a day did not need. */
  giveBack({ left }: { readonly left: number }): void {
    this.#rereadsLeft += left
  }

  means(namespaces: number): Pick<DayMeans, 'discard' | 'pages' | 'pageSize'> {
    this.#pageSize ??= { namespaces }
    const discard = (reason: DiscardReason, count = 1): void => {
      this.discarded = addDiscards(this.discarded, { [reason]: count })
    }
    return { discard, pages: this.pages, pageSize: this.#pageSize }
  }
}

/** Starts of the last days, today among them, oldest first. */
function daysOf(nowMs: number, lookbackDays: number): readonly number[] {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS
  const count = Math.min(MAX_LOOKBACK_DAYS, Math.max(1, Math.floor(lookbackDays)))
  return Array.from({ length: count }, (_, index) => today - (count - 1 - index) * DAY_MS)
}

function stateOf(whole: boolean, hasValues: boolean): DayState['state'] {
  if (!whole) return 'partial'
  return hasValues ? 'complete' : 'empty'
}

function statusOf(asking: Asking, days: readonly DayState[], answered: boolean): UsageReading['status'] {
  const missing = asking.troubles().length > 0 || days.some(({ state }) => state === 'partial')
  if (!missing) return 'complete'
  return answered ? 'partial' : 'failed'
}

/** Time of the newest value, from the last five minutes that an instant query looks back. */
async function newestSample(
  asking: Asking,
  metrics: readonly FoundMetric[],
  nowMs: number
): Promise<number | undefined> {
  const metric = mainMetric(metrics)
  if (metric === undefined || asking.ended) return undefined
  const query = `max(timestamp(${selector(metric.dialect.name, [])}))`
  const result = await queryVector(asking, query, nowMs)
  const seconds = result.kind === 'rows' ? result.rows.rows[0]?.value : undefined
  return seconds === undefined || !Number.isFinite(seconds) ? undefined : Math.round(seconds * 1000)
}
