import type { Log } from '../../src/ports/log.ts'

/** One line that was logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A log that keeps its lines. */
export class MemoryLog implements Log {
  readonly lines: LogLine[] = []

  debug(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: 'debug', fields, message })
  }

  info(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: 'info', fields, message })
  }

  warn(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: 'warn', fields, message })
  }

  error(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: 'error', fields, message })
  }
}
