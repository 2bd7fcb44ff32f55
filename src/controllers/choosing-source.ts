import type { ReadRequest, UsageReading, UsageSource } from '../ports/usage-source.ts'

/** How a source is found. */
export interface SourceChoice {
  /** Looks for the source that is wanted; undefined while it is not there. Asked before each reading until it is found. */
  readonly find: (signal: AbortSignal | undefined) => Promise<UsageSource | undefined>
  /** Read in the meantime; absent: then a reading says that there is no source. */
  readonly fallback?: UsageSource
}

/** A source that need not be there yet when the process begins. */
export class ChoosingSource implements UsageSource {
  readonly #choice: SourceChoice
  #found: UsageSource | undefined

  constructor(choice: SourceChoice) {
    this.#choice = choice
  }

  /** Whether the wanted source was found. */
  get isFound(): boolean {
    return this.#found !== undefined
  }

  async read(request: ReadRequest): Promise<UsageReading> {
    const source = await this.#source(request.signal)
    return source === undefined ? noSource(request.nowMs) : source.read(request)
  }

  async close(): Promise<void> {
    await Promise.all([this.#found?.close(), this.#choice.fallback?.close()])
  }

  async #source(signal: AbortSignal | undefined): Promise<UsageSource | undefined> {
    this.#found ??= await this.#choice.find(signal)
    return this.#found ?? this.#choice.fallback
  }
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
