import type { Log } from '../ports/log.ts'

/** A log that can be written out before a process ends. */
type FlushedLog = Log & { flush(): void }

/** How a process is told to end. */
interface Ending {
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal
  /** From now on the end may take so long as it may, and no longer. */
  hurry(): void
  /** Gives signals and faults back to Node. */
  release(): void
}

/** How a process ends. */
export interface EndingParts {
  readonly log: FlushedLog
  /**
   * How long an orderly end may take after a signal or a failure, seconds; a process that is still there then ends at once, with a
   * line in its log that says so, before it is killed without one.
   */
  readonly graceSeconds: number
}

/** Runs `work` until it is done; its signal aborts when the process is told to end. The log is written out whatever happens. */
export async function runUntilEnded(
  { log, graceSeconds }: EndingParts,
  work: (ending: AbortSignal) => Promise<void>
): Promise<void> {
  const ending = listenForEnd(log, graceSeconds)
  try {
    await work(ending.signal)
  } catch (error) {
    ending.hurry() // whoever catches it sets the exit code, and Node ends once nothing is open any more
    throw error
  } finally {
    ending.release()
    log.flush()
  }
}

/** The first signal asks for an orderly end, the second ends at once; so does a fault that nobody caught. */
function listenForEnd(log: FlushedLog, graceSeconds: number): Ending {
  const ending = new AbortController()
  const endNow = (): never => {
    try {
      log.flush()
    } finally {
      process.exit(1) // also where nobody reads the log any more
    }
  }
  const onGraceOver = (): void => {
    log.error({ graceSeconds }, 'orderly end takes too long')
    endNow()
  }
  // Not cleared when the work is done: what keeps the process alive then is what nobody thought of.
  const hurry = (): void => void setTimeout(onGraceOver, graceSeconds * 1000).unref()
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ending.signal.aborted) endNow()
    log.info({ signal }, 'signal received')
    hurry()
    ending.abort()
  }
  const onFault = (err: unknown): void => {
    log.error({ err }, 'fault that nobody caught')
    endNow()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('uncaughtException', onFault)
  return {
    signal: ending.signal,
    hurry,
    release: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('uncaughtException', onFault)
    }
  }
}

/** Resolves once the signal has aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise
}
