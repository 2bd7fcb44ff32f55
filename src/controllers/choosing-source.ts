import type { ReadRequest, SourceFault, UsageReading, UsageSource } from '../ports/usage-source.ts'

/** A source that was found and is not open yet. */
export interface FoundSource {
  /** Its address; the same for the same source. */
  readonly name: string
  readonly open: () => UsageSource
}

/** How a source is found. */
export interface SourceChoice {
  /** Looks for the source that is wanted; undefined while it is not there. Asked before each reading while none is trusted. */
  readonly find: (signal: AbortSignal | undefined) => Promise<FoundSource | undefined>
  /** Read in the meantime; absent: then a reading tells what is wrong with the one that was found, or that there is none. */
  readonly fallback?: UsageSource
}

const DAY_MS = 86_400_000

/** Readings in a row that fail, or name no metric, before another source is looked for: at 300 s some ten minutes. */
const MOST_FAILURES = 3

/**
 * A source that need not be there yet when the process begins. It is trusted once a reading of it names a metric, since a Service with
 * the right label may be of a server that holds nothing of GPUs, and no longer when it fails again and again.
 */
export class ChoosingSource implements UsageSource {
  readonly #choice: SourceChoice
  #current: { readonly name: string; readonly source: UsageSource } | undefined
  #isTrusted = false
  #failures = 0
  /** When a source that was trusted was given up; its days are missing from then on. */
  #lostMs: number | undefined

  constructor(choice: SourceChoice) {
    this.#choice = choice
  }

  /** Whether the wanted source was found and is trusted. */
  get isFound(): boolean {
    return this.#isTrusted
  }

  async read(request: ReadRequest): Promise<UsageReading> {
    if (!this.#isTrusted) await this.#search(request.signal)
    const reading = await this.#current?.source.read(request)
    this.#judge(reading, request.nowMs)
    const { fallback } = this.#choice
    if (fallback === undefined) return reading ?? noSource(request.nowMs)
    const own = await fallback.read(request)
    return reading !== undefined && this.#isTrusted
      ? withEarlierDays(reading, own)
      : this.#withoutLost(own, request)
  }

  async close(): Promise<void> {
    await Promise.all([this.#current?.source.close(), this.#choice.fallback?.close()])
  }

  /** One that stays where it was keeps what it has read. */
  async #search(signal: AbortSignal | undefined): Promise<void> {
    const found = await this.#choice.find(signal)
    if (found !== undefined && found.name === this.#current?.name) return
    await this.#current?.source.close()
    this.#current = found === undefined ? undefined : { name: found.name, source: found.open() }
  }

  #judge(reading: UsageReading | undefined, nowMs: number): void {
    if (reading !== undefined && reading.status !== 'failed' && reading.metricNames.length > 0) {
      this.#isTrusted = true
      this.#failures = 0
      this.#lostMs = undefined
      return
    }
    this.#failures += 1
    if (!this.#isTrusted || this.#failures < MOST_FAILURES) return
    this.#isTrusted = false
    this.#lostMs = nowMs
  }

  /** What only the lost source knows makes a reading partial until its days are over. */
  #withoutLost(reading: UsageReading, { nowMs, lookbackDays }: ReadRequest): UsageReading {
    if (this.#lostMs === undefined || nowMs - this.#lostMs >= lookbackDays * DAY_MS) return reading
    const { missingNodes: _nodes, missingNamespaces: _namespaces, ...rest } = reading
    const status = reading.status === 'complete' ? 'partial' : reading.status
    return { ...rest, status, faults: [...reading.faults, lostSource] }
  }
}

const lostSource: SourceFault = {
  kind: 'no-target',
  message: 'the metrics server that was read before gives nothing any more, and its days are missing',
  count: 1
}

/**
 * A reading with what another source gathered before: the days up to the first that the reading knows, of which it may have seen only
 * the end.
 */
function withEarlierDays(reading: UsageReading, { series: earlier }: UsageReading): UsageReading {
  const firstMs = reading.series
    .flatMap(({ days }) => days)
    .reduce((first, { dayMs }) => Math.min(first, dayMs), Number.POSITIVE_INFINITY)
  const kept = earlier
    .map((series) => ({ ...series, days: series.days.filter(({ dayMs }) => dayMs <= firstMs) }))
    .filter(({ days }) => days.length > 0)
  return kept.length === 0 ? reading : { ...reading, series: [...kept, ...reading.series] }
}

function noSource(nowMs: number): UsageReading {
  const message = 'no server with GPU metrics was found; set prometheusUrl'
  return {
    status: 'failed',
    nowMs,
    series: [],
    days: [],
    metricNames: [],
    newestSampleMs: undefined,
    faults: [{ kind: 'no-target', message, count: 1 }],
    discarded: {},
    cost: { queries: 0, bytes: 0, elapsedMs: 0 }
  }
}
