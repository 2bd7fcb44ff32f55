/** Time as everything that waits sees it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds since some moment, which nobody can set: the only measure of how long something took. */
  monotonicMs(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
