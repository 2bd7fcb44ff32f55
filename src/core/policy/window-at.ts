import { opensOn, startsOfDay } from './cron.ts'
import type { PolicyWindow } from './window.ts'
import { calendarDay, DAY_MS, dayAt, instantOf, parseZone } from './zone-time.ts'

/** A time in which nodes may be changed, from `opensMs` until just before `closesMs`. */
export interface OpenTime {
  readonly opensMs: number
  readonly closesMs: number
}

/** The open time of now, or the next one. */
export interface WindowState extends OpenTime {
  /** Whether it is open now. */
  readonly open: boolean
}

/** How far ahead we look, in days, until something is found: a week, a month, a year, two leap years. */
const horizonsDays = [8, 40, 400, 2_930]

/** For a time that is open now and for so long yet, the true end need not be known. */
const LONG_ENOUGH_DAYS = 40

function longestMs({ end }: PolicyWindow): number {
  return end.kind === 'duration' ? end.seconds * 1000 : 2 * DAY_MS
}

/** Times at which the window opens between two instants, in order of its calendar. */
function openTimes(window: PolicyWindow, fromMs: number, toMs: number): readonly OpenTime[] {
  const zone = parseZone(window.timeZone)
  if (zone === undefined) {
    return []
  }
  const first = dayAt(zone, fromMs)
  const days = Array.from({ length: dayAt(zone, toMs) - first + 1 }, (_, index) => first + index)
  const { schedule, end } = window
  const starts = startsOfDay(schedule)
  return days
    .filter((day) => opensOn(schedule, calendarDay(day)))
    .flatMap((day) =>
      starts.map((minute) => {
        const opensMs = instantOf(zone, { day, minute })
        const closesMs =
          end.kind === 'clock' ? instantOf(zone, { day, minute: end.minute }) : opensMs + end.seconds * 1000
        return { opensMs, closesMs }
      })
    )
    .filter(({ opensMs, closesMs }) => closesMs > opensMs)
}

interface Edge {
  readonly atMs: number
  readonly allow: number
  readonly deny: number
}

function edgesOf(
  times: readonly OpenTime[],
  weight: { readonly allow: number; readonly deny: number }
): readonly Edge[] {
  return times.flatMap(({ opensMs, closesMs }) => [
    { atMs: opensMs, ...weight },
    { atMs: closesMs, allow: -weight.allow, deny: -weight.deny }
  ])
}

/** Times that are in `allowed` and not in `denied`, in order; times that touch become one. */
function combine(allowed: readonly OpenTime[], denied: readonly OpenTime[]): readonly OpenTime[] {
  const edges = [...edgesOf(allowed, { allow: 1, deny: 0 }), ...edgesOf(denied, { allow: 0, deny: 1 })]
  const count = { allow: 0, deny: 0 }
  const isOpenFrom = new Map<number, boolean>()
  for (const { atMs, allow, deny } of edges.toSorted((a, b) => a.atMs - b.atMs)) {
    count.allow += allow
    count.deny += deny
    isOpenFrom.set(atMs, count.allow > 0 && count.deny === 0)
  }
  const times: OpenTime[] = []
  let opensMs: number | undefined
  for (const [atMs, isOpen] of isOpenFrom) {
    if (!isOpen && opensMs !== undefined) {
      times.push({ opensMs, closesMs: atMs })
    }
    opensMs = isOpen ? (opensMs ?? atMs) : undefined
  }
  return times
}

function openBetween(windows: readonly PolicyWindow[], nowMs: number, toMs: number): readonly OpenTime[] {
  const paddingMs = Math.max(...windows.map(longestMs)) + DAY_MS
  const fromMs = nowMs - paddingMs
  const timesOf = (kind: PolicyWindow['kind']): readonly OpenTime[] =>
    windows
      .filter((window) => window.kind === kind)
      .flatMap((window) => openTimes(window, fromMs, toMs + paddingMs))
  const isAnyAllowed = windows.some(({ kind }) => kind === 'Allow')
  const allowed = isAnyAllowed ? timesOf('Allow') : [{ opensMs: fromMs, closesMs: toMs }]
  return combine(allowed, timesOf('Deny'))
}

/**
 * The time in which nodes may be changed: the one that is open at `nowMs`, else the next. Deny wins over allow; a list of
 * nothing but Deny allows all other times; times that touch are one. Days and clock are those of each window's zone: a start
 * that its clock skips is the next minute that exists, one that it shows twice is the first.
 * @param nowMs milliseconds since 1970-01-01 UTC
 * @returns undefined for an empty list, and when nothing opens within eight years
 */
export function windowAt(windows: readonly PolicyWindow[], nowMs: number): WindowState | undefined {
  if (windows.length === 0) {
    return undefined
  }
  for (const days of horizonsDays) {
    const toMs = nowMs + days * DAY_MS
    const found = openBetween(windows, nowMs, toMs).find(({ closesMs }) => closesMs > nowMs)
    if (found === undefined) {
      continue
    }
    const open = found.opensMs <= nowMs
    if (found.closesMs <= toMs || (open && days >= LONG_ENOUGH_DAYS)) {
      return { open, ...found }
    }
  }
  return undefined
}
