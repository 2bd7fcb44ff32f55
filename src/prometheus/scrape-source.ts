import {
  chooseOwnerFamily,
  findMetricDialect,
  type MetricDialect,
  metricDialects
} from '../core/usage/dialect.ts'
import { readLabels } from '../core/usage/dialect-labels.ts'
import { addDiscards, type DeviceLabels, type DiscardCounts } from '../core/usage/dialect-series.ts'
import { parseSampleValue, readValue } from '../core/usage/dialect-value.ts'
import type { DayState, ReadRequest, UsageReading, UsageSource } from '../ports/usage-source.ts'
import { Access } from './access.ts'
import { exchange } from './exchange.ts'
import { FaultBook, faultOf } from './fault.ts'
import { Limiter } from './limiter.ts'
import { KEPT_DAYS, type ScrapeState, ScrapeStore } from './scrape-state.ts'
import type { AccessFiles } from './source-options.ts'
import { parseTextFormat, type TextSample } from './text-format.ts'

/** One dcgm-exporter. */
export interface ExporterTarget {
  /** Address of its page, `http://10.0.0.7:9400/metrics`. */
  readonly url: string
  /** Node that it runs on; the exporter itself may know only the name of its pod. */
  readonly node: string
}

/** How exporters are scraped. */
export interface ScrapeOptions {
  /** The exporters of this moment; at most 5,000 are scraped. */
  readonly targets: () => readonly ExporterTarget[]
  /** Nodes whose GPUs are in use at this moment: one without an exporter is missed. Default none. */
  readonly nodes?: () => readonly string[]
  readonly access?: AccessFiles
  /** For one page, ms. Default 5000. */
  readonly timeoutMs?: number
  /** Largest page, bytes; one of a node with 8 GPUs has some 50 000. Default 4 MiB. */
  readonly pageBytes?: number
  /** Pages at the same time. Default 16. */
  readonly concurrency?: number
  /** Metrics under names of the user's own, tried before the known ones. */
  readonly metrics?: readonly MetricDialect[]
  /** Series that are kept. Default 20 000. */
  readonly series?: number
}

/** How one round of scraping went. */
export interface ScrapeRound {
  readonly scraped: number
  readonly failed: number
}

/** A source that keeps the maxima itself, for clusters without Prometheus. */
export interface ScrapeSource extends UsageSource {
  /**
   * Reads every exporter once; call it every 30 s, the exporters' own interval. `read` asks nobody, it gives what the rounds saw
   * since the last `read`, and all maxima.
   */
  scrape(nowMs: number, signal?: AbortSignal): Promise<ScrapeRound>
  /** Maxima of the chosen series as JSON, to survive a restart; see MAX_SERIES_BYTES for its bound. */
  export(isWanted?: (labels: DeviceLabels) => boolean): ScrapeState
  /** Takes up what was exported before; returns how many series of it could not be read. */
  restore(raw: unknown): number
}

const DAY_MS = 86_400_000

/** Exporters that are scraped at most. */
const MAX_TARGETS = 5_000

/** Silence of all exporters after which a reading says that it is not whole, ms. */
const STALE_AFTER_MS = 300_000

/** Prepares direct scraping; nothing is asked yet. */
export function openScraping(options: ScrapeOptions): ScrapeSource {
  return new DirectScraping(options)
}

class DirectScraping implements ScrapeSource {
  readonly #options: ScrapeOptions
  readonly #access: Access
  readonly #limiter: Limiter
  readonly #store: ScrapeStore
  readonly #wanted: ReadonlySet<string>
  readonly #closing = new AbortController()
  readonly #names = new Set<string>()
  #faults = new FaultBook()
  /** Nodes whose exporter was not read since the last reading; undefined once something else went wrong as well. */
  #missingNodes: Set<string> | undefined = new Set()
  #discarded: DiscardCounts = {}
  #cost = { queries: 0, bytes: 0, elapsedMs: 0 }
  #newestSampleMs: number | undefined

  constructor(options: ScrapeOptions) {
    this.#options = options
    this.#access = new Access(options.access ?? {}, 1)
    this.#limiter = new Limiter(options.concurrency ?? 16)
    this.#store = new ScrapeStore(options.series)
    this.#wanted = new Set([...(options.metrics ?? []), ...metricDialects].map(({ name }) => name))
  }

  async scrape(nowMs: number, signal?: AbortSignal): Promise<ScrapeRound> {
    const targets = this.#options.targets().slice(0, MAX_TARGETS)
    const startedMs = performance.now()
    this.#forgetOld(nowMs)
    if (targets.length === 0) this.#miss('', faultOf('no-target', 'no dcgm-exporter was found'))
    this.#missNodesBut(targets)
    const signals =
      signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
    const results = await Promise.all(
      targets.map((target) => this.#limiter.run(() => this.#scrapeOne(target, nowMs, signals)))
    )
    this.#cost.elapsedMs += Math.round(performance.now() - startedMs)
    const scraped = results.filter(Boolean).length
    return { scraped, failed: results.length - scraped }
  }

  read({ nowMs, lookbackDays }: ReadRequest): Promise<UsageReading> {
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS
    this.#forgetOld(nowMs) // nothing may be scraped any more
    const count = Math.min(KEPT_DAYS, Math.max(1, Math.floor(lookbackDays)))
    const fromMs = today - (count - 1) * DAY_MS
    if (nowMs - (this.#newestSampleMs ?? 0) > STALE_AFTER_MS) {
      this.#miss('', faultOf('unreachable', 'no exporter gave a memory value in the last five minutes'))
    }
    const missingNamespaces = this.#store.droppedSince(fromMs)
    if (missingNamespaces.length > 0) {
      const message = `more series than usageSeries: days of ${missingNamespaces.length} namespaces are missing`
      this.#faults.add(faultOf('series-limit', message))
    }
    const series = this.#store.list(fromMs)
    const known = new Set(series.flatMap(({ days }) => days.map(({ dayMs }) => dayMs)))
    const faults = this.#faults.list()
    const isWhole = faults.length === 0
    const days = Array.from({ length: count }, (_, index): DayState => {
      const dayMs = fromMs + index * DAY_MS
      if (dayMs === today && !isWhole) return { dayMs, state: 'partial' }
      return { dayMs, state: known.has(dayMs) ? 'complete' : 'empty' }
    })
    const reading: UsageReading = {
      status: isWhole ? 'complete' : lesserStatus(series.length),
      ...(isWhole || this.#missingNodes === undefined
        ? {}
        : { missingNodes: [...this.#missingNodes].sort() }),
      ...(missingNamespaces.length === 0 ? {} : { missingNamespaces }),
      nowMs,
      series,
      days,
      metricNames: [...this.#names].sort(),
      newestSampleMs: this.#newestSampleMs,
      faults,
      discarded: this.#discarded,
      cost: this.#cost
    }
    this.#faults = new FaultBook()
    this.#missingNodes = new Set()
    this.#discarded = {}
    this.#cost = { queries: 0, bytes: 0, elapsedMs: 0 }
    return Promise.resolve(reading)
  }

  export(isWanted?: (labels: DeviceLabels) => boolean): ScrapeState {
    return this.#store.export(isWanted)
  }

  restore(raw: unknown): number {
    return this.#store.restore(raw)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#access.close()
  }

  async #scrapeOne({ url, node }: ExporterTarget, nowMs: number, signal: AbortSignal): Promise<boolean> {
    if (!URL.canParse(url)) {
      this.#miss(node, faultOf('unreachable', `${url}: not an address`))
      return false
    }
    const exchanged = await exchange(this.#access, {
      url: new URL(url),
      method: 'GET',
      accept: 'text/plain; version=0.0.4, application/openmetrics-text; version=1.0.0; q=0.5',
      timeoutMs: this.#options.timeoutMs ?? 5_000,
      maxBytes: this.#options.pageBytes ?? 4 * 1024 * 1024,
      signal
    })
    this.#cost.queries += 1
    this.#cost.bytes += exchanged.bytes
    if (exchanged.kind === 'fault') {
      this.#miss(node, exchanged.fault)
      return false
    }
    const { samples, malformed } = parseTextFormat(exchanged.text, this.#wanted)
    if (malformed > 0) this.#count({ malformed })
    if (samples.length === 0)
      this.#miss(node, faultOf('no-metric', `${url}: has none of the metrics that are read`))
    const family = chooseOwnerFamily(new Set(samples.flatMap(({ labels }) => Object.keys(labels))))
    for (const sample of samples) this.#takeUp(sample, family, { node, nowMs })
    return samples.length > 0
  }

  #takeUp(
    sample: TextSample,
    family: ReturnType<typeof chooseOwnerFamily>,
    { node, nowMs }: { readonly node: string; readonly nowMs: number }
  ): void {
    const dialect = findMetricDialect(sample.name, this.#options.metrics)
    if (dialect === undefined) return
    const read = readLabels(sample.labels, dialect.metric, family)
    if (read.kind === 'discard') return this.#count({ [read.why]: 1 })
    const labels = { ...read.labels, node }
    const value = readValue(parseSampleValue(sample.value), dialect.unit, labels.model)
    if (value.kind === 'discard') return this.#count({ [value.why]: 1 })
    const { name: metricName, metric } = dialect
    this.#names.add(metricName)
    if (metric.startsWith('memory')) this.#newestSampleMs = nowMs
    const dropped = this.#store.observe({ labels, metric, metricName, timeMs: nowMs, value: value.value })
    if (dropped > 0) this.#count({ 'series-limit': dropped })
  }

  #forgetOld(nowMs: number): void {
    this.#store.forgetBefore(Math.floor(nowMs / DAY_MS) * DAY_MS - (KEPT_DAYS - 1) * DAY_MS)
  }

  /** What runs on a node without an exporter is not measured, and nothing else would say so. */
  #missNodesBut(targets: readonly ExporterTarget[]): void {
    const scraped = new Set(targets.map(({ node }) => node))
    for (const node of this.#options.nodes?.() ?? []) {
      if (!scraped.has(node))
        this.#miss(node, faultOf('no-target', `node ${node}: no dcgm-exporter is ready there`))
    }
  }

  /** Notes what went wrong, and on which node; '' where no node can be named. */
  #miss(node: string, fault: ReturnType<typeof faultOf>): void {
    this.#faults.add(fault)
    if (node === '') this.#missingNodes = undefined
    else this.#missingNodes?.add(node)
  }

  #count(more: DiscardCounts): void {
    this.#discarded = addDiscards(this.#discarded, more)
  }
}

function lesserStatus(seriesCount: number): UsageReading['status'] {
  return seriesCount > 0 ? 'partial' : 'failed'
}
