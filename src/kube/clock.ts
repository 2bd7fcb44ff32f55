import { setTimeout as delay } from 'node:timers/promises'

/** Time as the readers of the cluster see it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => undefined)
  }
}
