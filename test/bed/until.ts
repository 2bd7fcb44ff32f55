import { setTimeout as delay } from 'node:timers/promises'

/** Pause between two looks, ms: short enough that a wait ends almost when the thing happens. */
const PROBE_EVERY_MS = 50

/** What a wait yields: what the probe saw, once that is an answer. */
export type Seen<T> = Exclude<Awaited<T>, undefined | false>

/**
 * Waits until `probe` yields something other than undefined and false, and returns it.
 * @param description what is waited for, named in the error: 'pod train bound'
 * @param timeoutMs gives up after this long, ms
 * @param signal ends the wait early
 * @throws Error naming the description and the time, with the probe's last fault as cause if it had one
 */
export async function until<T>(
  description: string,
  probe: () => T | Promise<T>,
  timeoutMs = 60_000,
  signal?: AbortSignal
): Promise<Seen<T>> {
  const deadlineMs = Date.now() + timeoutMs
  let fault: unknown
  do {
    signal?.throwIfAborted()
    try {
      const seen = await probe()
      if (isAnswer(seen)) return seen
      fault = undefined
    } catch (error) {
      fault = error
    }
    await delay(PROBE_EVERY_MS, undefined, { ...(signal && { signal }) })
  } while (Date.now() < deadlineMs)
  throw new Error(`waited ${timeoutMs} ms for: ${description}`, { cause: fault })
}

function isAnswer<T>(seen: T): seen is Exclude<T, undefined | false> {
  return seen !== undefined && seen !== false
}
