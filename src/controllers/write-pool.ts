import { AppError } from '../core/errors.ts'

/** How many writes run at once: enough to be quick, little for an API server that serves others. */
const AT_ONCE = 4

/** Writes in a row that the API server could not serve at all, after which the rest waits for the next time. */
const HOPELESS_AFTER = 8

/** Faults that are told of one series; more are counted alone, so that a missing right does not fill the log. */
const MOST_TOLD = 50

/** How a series of writes went. */
export interface PoolReport {
  readonly failed: number
  /** Writes that were not tried. */
  readonly left: number
}

/**
 * Runs tasks a few at a time, in order of start; a task that throws is counted and told. Ends early when `signal` aborts or when the
 * API server serves nobody. A write that it refuses is about that object or its namespace, and says nothing of the others.
 */
export async function runPool<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  { signal, onFault }: { readonly signal: AbortSignal; readonly onFault: (item: T, error: unknown) => void }
): Promise<PoolReport> {
  let next = 0
  let failed = 0
  let inARow = 0
  const worker = async (): Promise<void> => {
    while (!signal.aborted && inARow < HOPELESS_AFTER) {
      const item = items[next]
      if (item === undefined) return
      next += 1
      try {
        await run(item)
        inARow = 0
      } catch (error) {
        failed += 1
        inARow = isAboutTheServer(error) ? inARow + 1 : 0
        if (!signal.aborted && failed <= MOST_TOLD) onFault(item, error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
  return { failed, left: items.length - next }
}

function isAboutTheServer(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'KUBE_UNREACHABLE' || error.code === 'KUBE_UNAVAILABLE')
}
