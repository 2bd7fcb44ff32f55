import { DateTime, IANAZone } from 'luxon'
import type { CalendarDay } from './cron.ts'

const MINUTE_MS = 60_000

/** Milliseconds of a day without a change of the clock. */
export const DAY_MS = 86_400_000

const ZONE = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/

/** Wall-clock time of a zone: day counted from 1970-01-01, minutes from midnight (1440 and more run into the next days). */
export interface WallTime {
  readonly day: number
  readonly minute: number
}

/**
 * A zone by its IANA name, or UTC. Abbreviations (`CET`, `NZT`) and offsets (`+02:00`) are refused: they hide what happens
 * in summer.
 */
export function parseZone(name: unknown): IANAZone | undefined {
  return typeof name === 'string' && ZONE.test(name) && IANAZone.isValidZone(name)
    ? IANAZone.create(name)
    : undefined
}

/** Day of the zone's calendar on which `atMs` falls, counted from 1970-01-01. */
export function dayAt(zone: IANAZone, atMs: number): number {
  return Math.floor((atMs + zone.offset(atMs) * MINUTE_MS) / DAY_MS)
}

/** Month, day of month and weekday of a day counted from 1970-01-01. */
export function calendarDay(day: number): CalendarDay {
  const { month, day: dayOfMonth, weekday } = DateTime.fromMillis(day * DAY_MS, { zone: 'utc' })
  return { month, dayOfMonth, weekday: weekday % 7 }
}

/** The first minute in (`beforeMs`, `afterMs`] at which the zone has left the offset of `beforeMs`. */
function transitionBetween(zone: IANAZone, beforeMs: number, afterMs: number): number {
  const offset = zone.offset(beforeMs)
  let [low, high] = [Math.floor(beforeMs / MINUTE_MS), Math.ceil(afterMs / MINUTE_MS)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offset(middle * MINUTE_MS) === offset) {
      low = middle
    } else {
      high = middle
    }
  }
  return high * MINUTE_MS
}

/**
 * The instant at which a zone's clock shows this time. When it shows it twice (the clock is set back) the first; when it never
 * does (set forward) the next minute that exists.
 * @returns milliseconds since 1970-01-01 UTC
 */
export function instantOf(zone: IANAZone, { day, minute }: WallTime): number {
  const asUtcMs = day * DAY_MS + minute * MINUTE_MS
  const [beforeMs, afterMs] = [asUtcMs - DAY_MS, asUtcMs + DAY_MS]
  const candidates = [zone.offset(beforeMs), zone.offset(afterMs)]
    .map((offset) => ({ offset, atMs: asUtcMs - offset * MINUTE_MS }))
    .filter(({ offset, atMs }) => zone.offset(atMs) === offset)
    .map(({ atMs }) => atMs)
  return candidates.length > 0 ? Math.min(...candidates) : transitionBetween(zone, beforeMs, afterMs)
}
