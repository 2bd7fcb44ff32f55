import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics, EventOutcome } from '../../ports/controller-metrics.ts'
import type { EventMessage, EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import { RateLimit } from './rate-limit.ts'

/** A burst of so many Events, and one more every so many ms, for the whole cluster. */
const EVENT_LIMIT = { burst: 50, refillMs: 1_000 }

/** What writing Events needs. */
export interface EventParts {
  readonly sink: EventSink
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<ControllerMetrics, 'event'>
}

/** Writes Events, no more than the limit allows, and counts what becomes of them; it never throws. */
export class LimitedEvents {
  readonly #parts: EventParts
  readonly #limit = new RateLimit(EVENT_LIMIT)

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  /** An Event over the limit is dropped and counted. */
  async tell(message: EventMessage, signal: AbortSignal): Promise<EventOutcome> {
    const outcome = await this.#write(message, signal)
    this.#parts.metrics.event(outcome)
    return outcome
  }

  async #write(message: EventMessage, signal: AbortSignal): Promise<EventOutcome> {
    const { sink, clock, log } = this.#parts
    if (!this.#limit.take(clock.nowMs())) return 'limited'
    try {
      return (await sink.tell(message, signal)) ? 'told' : 'known'
    } catch (err) {
      const { namespace, name, kind } = message.subject
      if (!signal.aborted) log.warn({ subject: `${kind} ${namespace}/${name}`, err }, 'event not written')
      return 'failed'
    }
  }
}
