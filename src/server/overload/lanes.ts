import { webhookNames } from '../../core/api/names.ts'
import { ADVICE_PATH } from '../routes/admission/advice.ts'
import { ISOLATION_PATH } from '../routes/admission/isolation.ts'
import { REWRITE_PATH } from '../routes/admission/rewrite.ts'

/** Reviews of one webhook that wait together. */
export interface Lane {
  readonly path: string
  /** Name under which the webhook is registered. */
  readonly webhook: string
  /**
   * How long a review may have to wait, by what is known when it comes, ms. Whoever is sent back comes again after a second at the
   * earliest, so that sending back pays only for longer waits than could be borne; the last try that a timeout has room for,
   * after 1 s of 2 and after 2 s of 3, still has to be answered in time.
   */
  readonly waitMs: number
}

/**
 * The lanes, first served first: a pod that is not judged does not start, one that is not rewritten keeps its whole GPU, and advice
 * is only advice.
 */
export const lanes = [
  { path: ISOLATION_PATH, webhook: webhookNames.isolation, waitMs: 800 },
  { path: REWRITE_PATH, webhook: webhookNames.rewrite, waitMs: 250 },
  { path: ADVICE_PATH, webhook: webhookNames.advice, waitMs: 100 }
] as const satisfies readonly Lane[]

/** The lane of a request; what is none of the paths waits with the rewriting ones. */
export function laneAt(url: string): Lane {
  const [path] = url.split('?', 1)
  return lanes.find((lane) => lane.path === path) ?? lanes[1]
}

/** One that was let in and has waited longer than any may have to is served before all others, ms: in time for every webhook. */
const OVERDUE_MS = 800

interface Place<T> {
  readonly item: T
  readonly sinceMs: number
}

/** Since when the first one of a queue waits; in an empty one nobody ever did. */
function sinceOf([first]: readonly Place<unknown>[] = []): number {
  return first?.sinceMs ?? Number.POSITIVE_INFINITY
}

/** What waits, first served first: what is overdue, the oldest of it first; then by lane, then by time of arrival. */
export class WaitingLine<T> {
  readonly #waiting = new Map<Lane, Place<T>[]>(lanes.map((lane) => [lane, []]))

  push(lane: Lane, item: T, nowMs: number): void {
    this.#waiting.get(lane)?.push({ item, sinceMs: nowMs })
  }

  /** The next one, undefined when nobody waits. */
  take(nowMs: number): T | undefined {
    let first: Place<T>[] | undefined
    let oldest: Place<T>[] | undefined
    for (const queue of this.#waiting.values()) {
      if (queue.length === 0) continue
      first ??= queue
      if (sinceOf(queue) < sinceOf(oldest)) oldest = queue
    }
    const isOverdue = nowMs - sinceOf(oldest) > OVERDUE_MS
    return (isOverdue ? oldest : first)?.shift()?.item
  }

  /** How many would be served before one that comes now. */
  ahead(lane: Lane): number {
    const rank = lanes.findIndex((other) => other === lane)
    return lanes.slice(0, rank + 1).reduce((sum, other) => sum + this.#queue(other).length, 0)
  }

  /** How long the first one of a lane has waited, ms; 0 when nobody waits there. */
  waitedMs(lane: Lane, nowMs: number): number {
    const [first] = this.#queue(lane)
    return first === undefined ? 0 : nowMs - first.sinceMs
  }

  isEmpty(): boolean {
    return lanes.every((lane) => this.#queue(lane).length === 0)
  }

  #queue(lane: Lane): readonly Place<T>[] {
    return this.#waiting.get(lane) ?? []
  }
}
