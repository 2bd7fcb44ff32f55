import type { DeviceLabels } from '../core/usage/dialect-series.ts'

/** One series of maxima as JSON; who made it knows its form. */
export interface KeptSeries {
  readonly labels: DeviceLabels
}

/**
 * Daily maxima that a source gathered itself and that nobody else has: they survive a restart only where they are put. Promises that
 * what was given and is taken up again changes no maximum.
 */
export interface KeptMaxima {
  /** Whether the source gathers now, or still holds what it gathered; when not, nothing need be kept. */
  isGathering(): boolean
  /** Every series, plain JSON. */
  give(): readonly KeptSeries[]
  /** Takes series up that were given before; returns how many could not be read. */
  take(series: readonly unknown[]): number
}
