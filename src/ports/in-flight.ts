/**
 * What was answered and is perhaps not seen yet where it is counted: by a scope, such as a namespace, and a name within it. Every entry
 * ends by itself, so what never comes is forgotten.
 */
export interface InFlight {
  /** Notes that so many of each name were answered for. */
  note(scope: string, counts: Readonly<Record<string, number>>, nowMs: number): void
  /** How many of each name may still come. */
  of(scope: string, nowMs: number): Readonly<Record<string, number>>
}
