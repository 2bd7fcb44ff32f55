import { AppError } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import { Backoff, pauseAfter } from './backoff.ts'
import type { KubeConnection } from './connection.ts'
import type { KubeRequest } from './exchange.ts'
import { KubeError } from './kube-error.ts'

/** Limit for one write, ms. */
const WRITE_TIMEOUT_MS = 10_000

/** How often one write is sent at most: at first, and after pauses of up to 0.5, 1 and 2 s or what the server asks for. */
const ATTEMPTS = 4

/** What writing needs. */
export interface WriterParts {
  readonly connection: Pick<KubeConnection, 'request'>
  readonly clock: Clock
  /** 0 to 1, spreads pauses. */
  readonly random: () => number
}

/** false instead of the refusal that says that there is no such object. */
export async function exists(sending: Promise<void>): Promise<boolean> {
  try {
    await sending
    return true
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return false
    throw error
  }
}

/**
 * Sends a write that is safe to repeat; waits when the API server asks for it.
 * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED once it gives up, or when the signal aborts
 */
export async function sendWrite(
  parts: WriterParts,
  request: KubeRequest,
  signal: AbortSignal
): Promise<void> {
  const backoff = new Backoff(parts.random)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await parts.connection.request({ ...request, signal, timeoutMs: WRITE_TIMEOUT_MS })
      await answer.json() // read to the end, so that the connection can serve again
      return
    } catch (error) {
      if (attempt >= ATTEMPTS || signal.aborted || !isWorthRepeating(error)) throw error
      await parts.clock.sleep(pauseAfter(error, backoff, parts.random), signal)
      if (signal.aborted) throw error
    }
  }
}

/** No answer, too many requests, a conflict with a writer that was faster, or a fault of the server. */
function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof KubeError)) return error instanceof AppError && error.code === 'KUBE_UNREACHABLE'
  return error.status === 409 || error.status === 429 || error.status >= 500
}
