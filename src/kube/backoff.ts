import { AppError } from '../core/errors.ts'
import { KubeError } from './kube-error.ts'

/** Upper bound of the first pause, ms. */
const FIRST_PAUSE_MS = 500

/** Upper bound of every pause, ms. */
const LONGEST_PAUSE_MS = 30_000

/** Lower bound of every pause, ms: full jitter alone could draw nearly nothing many times in a row. */
const SHORTEST_PAUSE_MS = 50

/** Shortest pause after a 403, ms: rights come when a person grants them, so asking often helps nobody. */
const FORBIDDEN_PAUSE_MS = 20_000

/** Longest pause that a server may ask for, ms. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** Failures in a row and the pause after each: a random part of a bound that doubles from 0.5 s to 30 s. */
export class Backoff {
  readonly #random: () => number
  #failures = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Failures since the last `reset`. */
  get failures(): number {
    return this.#failures
  }

  /** Counts a failure; the pause to make after it, ms. */
  next(): number {
    const boundMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 16))
    this.#failures += 1
    return Math.max(SHORTEST_PAUSE_MS, Math.round(this.#random() * boundMs))
  }

  /** Ends the series of failures. */
  reset(): void {
    this.#failures = 0
  }
}

/** Kind of trouble a reader of the cluster is in; a fixed set, fit for a metric's label. */
export type TroubleKind = 'unreachable' | 'refused' | 'forbidden' | 'throttled' | 'expired'

/** Names the trouble behind an error of a list or watch. */
export function troubleOf(error: unknown): TroubleKind {
  if (error instanceof KubeError) return refusalTrouble(error)
  return error instanceof AppError && error.code === 'KUBE_REFUSED' ? 'refused' : 'unreachable'
}

function refusalTrouble(error: KubeError): TroubleKind {
  if (error.code === 'KUBE_EXPIRED') return 'expired'
  if (error.status === 403) return 'forbidden'
  return error.retryAfterMs === undefined ? 'refused' : 'throttled'
}

/**
 * Counts the failure and gives the pause before the next try, ms: none after a first expiry (the answer is a new list),
 * what the server asked for plus up to a second, 20 to 40 s after a 403, else the backoff's own.
 */
export function pauseAfter(error: unknown, backoff: Backoff, random: () => number): number {
  const first = backoff.failures === 0
  const pauseMs = backoff.next()
  if (!(error instanceof KubeError)) return pauseMs
  if (error.code === 'KUBE_EXPIRED') return first ? 0 : pauseMs
  if (error.status === 403) return Math.round(FORBIDDEN_PAUSE_MS * (1 + random()))
  if (error.retryAfterMs === undefined) return pauseMs
  return Math.min(error.retryAfterMs, LONGEST_RETRY_AFTER_MS) + Math.round(random() * 1000)
}
