import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => undefined)
  }
}
