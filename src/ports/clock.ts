/** Time as everything that waits sees it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds since some start, which nobody's setting of the clock moves: only differences mean something. */
  steadyMs(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
