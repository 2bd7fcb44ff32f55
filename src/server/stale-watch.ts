import type { Log } from '../ports/log.ts'

/** How often it is looked at, ms. */
const LOOK_MS = 5_000

/** What a watch over the age of the memory works with. */
export interface StaleWatchParts {
  readonly state: { heardMs(): number }
  /** Age from which on nothing is rewritten, ms; undefined: never. */
  readonly staleAfterMs: number | undefined
  readonly log: Log
  /** Milliseconds since the epoch; default: the clock of the machine. */
  readonly nowMs?: () => number
}

/** Says in the log when the memory becomes too old to rewrite by, and when it is fresh again, once each; returns a function that ends this. */
export function watchStaleness({ state, staleAfterMs, log, nowMs = Date.now }: StaleWatchParts): () => void {
  if (staleAfterMs === undefined) return () => undefined
  let wasStale = false
  const look = (): void => {
    const silentMs = nowMs() - state.heardMs()
    const isStale = silentMs > staleAfterMs
    if (isStale === wasStale) return
    wasStale = isStale
    const fields = { silentSeconds: Math.round(silentMs / 1000), staleSeconds: staleAfterMs / 1000 }
    if (isStale) log.warn(fields, 'the cluster is not heard of, rewriting stops and isolation goes on')
    else log.info(fields, 'the cluster is heard of again, rewriting goes on')
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
