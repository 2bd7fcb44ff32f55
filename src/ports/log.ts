/** Structured log: the message is short, lower case and constant; what varies goes into `fields`. */
export interface Log {
  /** Evidence for whoever looks closely. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
  /** State changed. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  /** Something went wrong and we coped. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  /** A person must look. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
