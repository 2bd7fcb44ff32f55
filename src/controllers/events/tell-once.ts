import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics, EventOutcome } from '../../ports/controller-metrics.ts'
import type { EventMessage, EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import { RateLimit } from './rate-limit.ts'

/** What telling needs. */
export interface TellingParts {
  readonly sink: EventSink
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<ControllerMetrics, 'event'>
}

/** A case and the Events that tell of it; none where there is nothing to say. */
export interface Telling {
  /** What makes it the same case as another one. */
  readonly key: string
  readonly messages: readonly EventMessage[]
  /** Limit besides that of the whole cluster. */
  readonly limit?: RateLimit | undefined
  /** Whether what is over a limit is told later, because it will be come upon again; default false: it is dropped. */
  readonly waits?: boolean
}

/** A burst of so many Events, and one more every so many ms, for the whole cluster. */
const EVENT_LIMIT = { burst: 50, refillMs: 1_000 }

/** Cases that are remembered as told. */
const MOST_TOLD = 20_000

/** Tells of each case once, at a limited rate. */
export class OnceTeller {
  readonly #parts: TellingParts
  readonly #limit = new RateLimit(EVENT_LIMIT)
  readonly #told = new Set<string>()

  constructor(parts: TellingParts) {
    this.#parts = parts
  }

  /** Whether the case was told of. */
  knows(key: string): boolean {
    return this.#told.has(key)
  }

  /** Tells of a case unless that was done; false when something is to be tried again later. */
  async tell({ key, messages, limit, waits = false }: Telling, signal: AbortSignal): Promise<boolean> {
    if (this.#told.has(key)) return true
    const outcomes: EventOutcome[] = []
    for (const message of messages) outcomes.push(await this.#write(message, limit, signal))
    for (const outcome of outcomes) this.#parts.metrics.event(outcome)
    if (outcomes.includes('failed') || (waits && outcomes.includes('limited'))) return false
    if (this.#told.size >= MOST_TOLD) this.#told.clear()
    this.#told.add(key)
    return true
  }

  /** An Event over the limit is not written now, and counted: the objects themselves say the same. */
  async #write(
    message: EventMessage,
    limit: RateLimit | undefined,
    signal: AbortSignal
  ): Promise<EventOutcome> {
    const { sink, clock, log } = this.#parts
    const nowMs = clock.nowMs()
    if (limit?.take(nowMs) === false || !this.#limit.take(nowMs)) return 'limited'
    try {
      return (await sink.tell(message, signal)) ? 'told' : 'known'
    } catch (err) {
      const { namespace, name, kind } = message.subject
      if (!signal.aborted) log.warn({ subject: `${kind} ${namespace}/${name}`, err }, 'event not written')
      return 'failed'
    }
  }
}
