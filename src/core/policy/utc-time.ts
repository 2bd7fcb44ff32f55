import { DateTime } from 'luxon'

/** A time for people, to the minute: `2026-11-19 14:02 UTC`. */
export function printUtc(ms: number): string {
  return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat("yyyy-MM-dd HH:mm 'UTC'")
}

/** ms since the epoch of a time as Kubernetes writes it; undefined for anything else. */
export function readUtc(text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : DateTime.fromISO(text, { setZone: true })
  return time?.isValid === true ? time.toMillis() : undefined
}
