import { durationRule, scheduleRule, timeZoneRule, windowRule } from '../api/gpu-policy-rules.ts'
import { policyDefaults } from '../api/policy-defaults.ts'
import { type CronSchedule, parseCron } from './cron.ts'
import { parseDuration } from './duration.ts'
import type { Fault, Parsed } from './fault.ts'
import { parseZone } from './zone-time.ts'

/** When a window closes: by the wall clock, or so long after it opened. */
export type WindowEnd =
  | {
      readonly kind: 'clock'
      /** Minutes after midnight of the day on which it opened; 1440 is midnight, more is on the next day. */
      readonly minute: number
    }
  | { readonly kind: 'duration'; readonly seconds: number }

/** A recurring time in which nodes may (`Allow`) or must not (`Deny`) be changed. */
export interface PolicyWindow {
  readonly kind: 'Allow' | 'Deny'
  /** The rule as people read it. */
  readonly text: string
  readonly schedule: CronSchedule
  readonly end: WindowEnd
  readonly timeZone: string
}

const MINUTES_A_DAY = 1440

/** A longer window is refused: it is always open, or always shut. */
const MAX_WINDOW_SECONDS = 366 * 86_400

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

const SHORTHAND =
  /^(Daily|[A-Z][a-z]{2}(?:[-,][A-Z][a-z]{2})*) +([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9]) +(\S+)$/

function readDays(text: string): readonly number[] | undefined {
  if (text === 'Daily') {
    return weekdays.map((_, index) => index)
  }
  const ranges = text.split(',').map((part) => part.split('-').map((name) => weekdays.indexOf(name)))
  const isGood = ranges.every((range) => range.length <= 2 && !range.includes(-1))
  const days = ranges.flatMap(([first = 0, last = first]) =>
    Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7)
  )
  return isGood ? [...new Set(days)].toSorted((a, b) => a - b) : undefined
}

function scheduleOf(days: readonly number[], startMinute: number): CronSchedule {
  return {
    minutes: [startMinute % 60],
    hours: [Math.floor(startMinute / 60)],
    daysOfMonth: Array.from({ length: 31 }, (_, index) => index + 1),
    months: Array.from({ length: 12 }, (_, index) => index + 1),
    daysOfWeek: days,
    eitherDay: false
  }
}

function unknownZone(name: unknown): string {
  return typeof name === 'string'
    ? `names no time zone that we know (${name}); the zone ${timeZoneRule.message}`
    : timeZoneRule.message
}

interface Shorthand {
  readonly days: readonly number[]
  /** Minutes after midnight. */
  readonly start: number
  readonly end: number
  readonly timeZone: string
}

function readShorthand(text: string): Shorthand | undefined {
  const [, dayText = '', startHour, startMinute, endHour, endMinute, timeZone = ''] =
    SHORTHAND.exec(text) ?? []
  const days = readDays(dayText)
  const start = Number(startHour) * 60 + Number(startMinute)
  const end = Number(endHour) * 60 + Number(endMinute)
  return days === undefined ? undefined : { days, start, end, timeZone }
}

/**
 * Reads the shorthand of one allow window: `DAYS HH:MM-HH:MM ZONE`, such as `Sat 02:00-06:00 UTC`. DAYS is `Daily`, or days and
 * ranges (`Mon-Fri`, `Sat,Sun`, `Fri-Mon`). An end before the start is on the next day, and the window belongs to the day
 * on which it opens; `00:00-24:00` is the whole day. The zone is never guessed.
 */
export function parseWindow(value: unknown): Parsed<{ readonly window: PolicyWindow }> {
  const text = typeof value === 'string' ? value.trim() : ''
  const read = readShorthand(text)
  if (read === undefined) {
    return { ok: false, message: windowRule.message }
  }
  const { days, start, end, timeZone } = read
  if (end > MINUTES_A_DAY || end === start) {
    return {
      ok: false,
      message: 'must end at another time than it starts, at 24:00 at the latest; 00:00-24:00 is the whole day'
    }
  }
  if (parseZone(timeZone) === undefined) {
    return { ok: false, message: unknownZone(timeZone) }
  }
  const minute = end > start ? end : end + MINUTES_A_DAY
  const window = {
    kind: 'Allow',
    text,
    schedule: scheduleOf(days, start),
    end: { kind: 'clock', minute },
    timeZone
  } as const
  return { ok: true, window }
}

/** Windows that could be read, and what is wrong with the others. */
export interface WindowList {
  readonly windows: readonly PolicyWindow[]
  readonly faults: readonly Fault[]
}

/** The windows of a list, and what is wrong with the others; `field` is the path of the list. */
export function parseWindows(list: readonly unknown[], field: string): WindowList {
  const read = list.map((entry, index) => parseEntry(entry, `${field}[${index}]`))
  return {
    windows: read.flatMap(({ window }) => (window === undefined ? [] : [window])),
    faults: read.flatMap(({ faults }) => faults)
  }
}

function fieldsOf(entry: unknown): Readonly<Record<string, unknown>> {
  return typeof entry === 'object' && entry !== null ? { ...entry } : {}
}

interface Entry {
  readonly window?: PolicyWindow
  readonly faults: readonly Fault[]
}

function readLength(value: unknown): number | undefined {
  const seconds = parseDuration(value) ?? 0
  return seconds > 0 && seconds <= MAX_WINDOW_SECONDS ? seconds : undefined
}

function parseEntry(entry: unknown, field: string): Entry {
  const { kind, schedule, duration, timeZone } = fieldsOf(entry)
  const cron = parseCron(schedule)
  const seconds = readLength(duration)
  const zone = parseZone(timeZone)
  const lengthMessage = `${durationRule.message}, above 0s and at most 366d`
  const faults = [
    ...(cron ? [] : [{ field: `${field}.schedule`, value: schedule, message: scheduleRule.message }]),
    ...(seconds ? [] : [{ field: `${field}.duration`, value: duration, message: lengthMessage }]),
    ...(zone ? [] : [{ field: `${field}.timeZone`, value: timeZone, message: unknownZone(timeZone) }])
  ]
  if (cron === undefined || seconds === undefined || zone === undefined) {
    return { faults }
  }
  const effect = kind === 'Deny' ? 'Deny' : policyDefaults.windowKind
  const text = `${effect} ${String(schedule)} for ${String(duration)} ${zone.name}`
  const end = { kind: 'duration', seconds } as const
  return { window: { kind: effect, text, schedule: cron, end, timeZone: zone.name }, faults }
}
