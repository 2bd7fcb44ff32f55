/** Time as everything that waits sees it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
