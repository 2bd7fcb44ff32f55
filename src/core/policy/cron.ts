/** When a recurring window opens, by the wall clock of its zone. */
export interface CronSchedule {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly daysOfMonth: readonly number[]
  readonly months: readonly number[]
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[]
  /** Both day fields are restricted, so that either is enough, as in a Kubernetes CronJob. */
  readonly eitherDay: boolean
}

/** A calendar day of some zone; `weekday` 0 is Sunday. */
export interface CalendarDay {
  readonly month: number
  readonly dayOfMonth: number
  readonly weekday: number
}

/** More openings a day than this are refused: they are one long window, badly written. */
const MAX_STARTS_A_DAY = 24

/** Longest schedule that is read, in characters, as in the CRD. */
const MAX_TEXT = 128

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

interface FieldRange {
  readonly from: number
  readonly to: number
  readonly names: readonly string[]
}

const ranges: readonly FieldRange[] = [
  { from: 0, to: 59, names: [] },
  { from: 0, to: 23, names: [] },
  { from: 1, to: 31, names: [] },
  { from: 1, to: 12, names: monthNames },
  { from: 0, to: 7, names: dayNames }
]

const PART = /^(?:\*|([0-9A-Z]{1,3})(?:-([0-9A-Z]{1,3}))?)(?:\/([1-9][0-9]?))?$/

function readNumber(text: string, { from, to, names }: FieldRange): number | undefined {
  const named = names.indexOf(text)
  const number = named >= 0 ? named + from : Number(/^[0-9]{1,2}$/.test(text) ? text : Number.NaN)
  return number >= from && number <= to ? number : undefined
}

/** Last number of `5`, `5/10` (up to the end of the range) or `5-7`. */
function lastOf(parts: RegExpExecArray, from: number, range: FieldRange): number | undefined {
  const [, first, last, step] = parts
  if (last !== undefined) {
    return readNumber(last, range)
  }
  return first === undefined || step !== undefined ? range.to : from
}

function readPart(text: string, range: FieldRange): readonly number[] | undefined {
  const parts = PART.exec(text)
  const from = parts === null ? undefined : readNumber(parts[1] ?? String(range.from), range)
  if (parts === null || from === undefined) {
    return undefined
  }
  const to = lastOf(parts, from, range)
  if (to === undefined || to < from) {
    return undefined
  }
  const step = Number(parts[3] ?? 1)
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function readField(text: string, range: FieldRange): readonly number[] | undefined {
  const parts = text.split(',').map((part) => readPart(part, range))
  const numbers = parts.flatMap((part) => part ?? [])
  return parts.includes(undefined) ? undefined : [...new Set(numbers)].toSorted((a, b) => a - b)
}

function splitFields(text: unknown): readonly string[] {
  return typeof text === 'string' && text.length <= MAX_TEXT ? text.trim().split(/ +/) : []
}

function readFields(fields: readonly string[]): readonly (readonly number[])[] | undefined {
  const read = ranges.flatMap((range, index) => {
    const numbers = readField(fields[index] ?? '', range)
    return numbers === undefined ? [] : [numbers]
  })
  return fields.length === ranges.length && read.length === ranges.length ? read : undefined
}

/**
 * Reads the five fields of cron: minute, hour, day of month, month, day of week (0 and 7 are Sunday; names in capitals).
 * @returns undefined for everything else, for ranges that run backwards and for more than 24 starts a day
 * @source https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 */
export function parseCron(text: unknown): CronSchedule | undefined {
  const fields = splitFields(text)
  const [minutes, hours, daysOfMonth, months, weekdays] = readFields(fields) ?? []
  if (!minutes || !hours || !daysOfMonth || !months || !weekdays) {
    return undefined
  }
  const eitherDay = fields[2] !== '*' && fields[4] !== '*'
  const daysOfWeek = [...new Set(weekdays.map((number) => number % 7))].toSorted((a, b) => a - b)
  const isRare = minutes.length * hours.length <= MAX_STARTS_A_DAY
  return isRare ? { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay } : undefined
}

/** Whether the schedule opens on this day at all. */
export function opensOn(schedule: CronSchedule, { month, dayOfMonth, weekday }: CalendarDay): boolean {
  const byMonthDay = schedule.daysOfMonth.includes(dayOfMonth)
  const byWeekday = schedule.daysOfWeek.includes(weekday)
  const byDay = schedule.eitherDay ? byMonthDay || byWeekday : byMonthDay && byWeekday
  return byDay && schedule.months.includes(month)
}

/** Minutes after midnight at which it opens on such a day, ascending. */
export function startsOfDay({ hours, minutes }: CronSchedule): readonly number[] {
  return hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
}
