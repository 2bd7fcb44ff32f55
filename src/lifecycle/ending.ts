import type { Log } from '../ports/log.ts'

/** How a process is told to end. */
export interface Ending {
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal
  /** Gives signals and faults back to Node. */
  release(): void
}

/** The first signal asks for an orderly end, the second ends at once; so does a fault that nobody caught. */
export function listenForEnd(log: Log & { flush(): void }): Ending {
  const ending = new AbortController()
  const endNow = (): never => {
    log.flush()
    process.exit(1)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ending.signal.aborted) endNow()
    log.info({ signal }, 'signal received')
    ending.abort()
  }
  const onFault = (err: unknown): void => {
    log.error({ err }, 'fault that nobody caught')
    endNow()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('uncaughtException', onFault)
  return {
    signal: ending.signal,
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
