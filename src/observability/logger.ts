import pino, { type DestinationStream } from 'pino'
import type { Log } from '../ports/log.ts'

/** The log of the whole process. */
export interface RootLog extends Log {
  /** A log whose every line carries `fields`. */
  child(fields: Readonly<Record<string, unknown>>): Log
  /** Writes out what is buffered, before the process ends. */
  flush(): void
}

/** Least important level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/**
 * Fields of a line whose values are never written. Lines are flat; the one object that is logged, the settings, names files and holds no
 * secret. Looking deeper would cost each review a tenth of its time.
 */
const secretFields = [
  'token',
  'authorization',
  'password',
  'key',
  'keyPem',
  'cert',
  'certPem',
  'headers',
  'env'
]

/** Buffered bytes that are written at once, and how long the others wait at most, ms. */
const BUFFER_BYTES = 8192
const FLUSH_MS = 100

/**
 * The log of a process: one JSON object a line, on standard output unless `destination` says otherwise. Lines are
 * buffered for a moment, so that a slow reader of the output never holds up an answer.
 */
export function createLogger({
  level,
  destination
}: {
  readonly level: LogLevel
  readonly destination?: DestinationStream
}): RootLog {
  const output =
    destination ?? pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS })
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: secretFields
    },
    output
  )
  return Object.assign(logger, { flush: () => flushOf(output) })
}

function flushOf(output: object): void {
  if ('flushSync' in output && typeof output.flushSync === 'function') output.flushSync()
}

/** Causes of causes that are told. */
const MAX_CAUSES = 4

/** What is told of an error: never its other fields, which may hold whole requests. */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  const known = { name, message, ...(code === undefined ? {} : { code }), stack }
  return cause === undefined || depth >= MAX_CAUSES
    ? known
    : { ...known, cause: describeError(cause, depth + 1) }
}
