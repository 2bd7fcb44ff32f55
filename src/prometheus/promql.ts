/** A series must have this label value; '' means that it lacks the label. */
export interface LabelMatcher {
  readonly label: string
  readonly is: string
}

/** A series must have one of these values of a label, spelled in any case where `anyCase` is true. */
export interface OneOfMatcher {
  readonly label: string
  readonly oneOf: readonly string[]
  readonly anyCase?: boolean
}

/** The last character of a label's value must be one of these, or, with `not`, none of them. */
export interface EndMatcher {
  readonly label: string
  readonly endsIn: string
  readonly not?: boolean
}

/** One condition of a selector. */
export type Matcher = LabelMatcher | OneOfMatcher | EndMatcher

/** Text as a string literal of PromQL, whatever it holds. @source https://prometheus.io/docs/prometheus/latest/querying/basics/#string-literals */
export function quote(text: string): string {
  const escaped = text.replace(/[\\"\p{Cc}]/gu, (character) =>
    character === '\\' || character === '"'
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
  return `"${escaped}"`
}

/** Text as a regular expression (RE2) that matches exactly this text. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A selector of one metric: `NAME{label="value",other=~"a|b"}`. */
export function selector(metricName: string, matchers: readonly Matcher[]): string {
  return `${metricName}{${matchers.map(matcherText).join(',')}}`
}

function matcherText(matcher: Matcher): string {
  if ('is' in matcher) return `${matcher.label}=${quote(matcher.is)}`
  if ('oneOf' in matcher) {
    const pattern = matcher.oneOf.map(literalPattern).join('|')
    return `${matcher.label}=~${quote(matcher.anyCase === true ? `(?i:${pattern})` : pattern)}`
  }
  return `${matcher.label}${matcher.not === true ? '!~' : '=~'}${quote(`.*[${matcher.endsIn}]`)}`
}

/** A stretch of time up to and including `endMs`. */
export interface Stretch {
  readonly endMs: number
  readonly seconds: number
}

const DAY_MS = 86_400_000

/**
 * The part of a day that has passed, as the range of a query: it ends a millisecond early, so that a sample at midnight belongs
 * to the day that begins.
 * @returns undefined when less than a second of it has passed
 */
export function stretchOfDay(dayMs: number, nowMs: number): Stretch | undefined {
  const endMs = Math.min(dayMs + DAY_MS, Math.floor(nowMs / 1000) * 1000)
  const seconds = (endMs - dayMs) / 1000
  return seconds < 1 ? undefined : { endMs: endMs - 1, seconds }
}

/** Parameter `time` of a query, seconds with milliseconds. */
export function timeParameter(timeMs: number): string {
  return (timeMs / 1000).toFixed(3)
}

/** Highest value of each series in the stretch, the labels reduced to those named. */
export function maxQuery(select: string, by: readonly string[], { seconds }: Stretch): string {
  return `max by (${by.join(',')}) (max_over_time(${select}[${seconds}s]))`
}

/** Number of samples of each series; of several copies of one series the fullest counts. */
export function countQuery(select: string, by: readonly string[], { seconds }: Stretch): string {
  return `max by (${by.join(',')}) (count_over_time(${select}[${seconds}s]))`
}

/** How finely first and last times are read, seconds. */
const SPAN_STEP_SECONDS = 60

/** Time of the first or the last sample of each series in the stretch, seconds since the epoch. */
export function spanQuery(
  which: 'min' | 'max',
  select: string,
  by: readonly string[],
  { seconds }: Stretch
): string {
  return `${which} by (${by.join(',')}) (${which}_over_time(timestamp(${select})[${seconds}s:${SPAN_STEP_SECONDS}s]))`
}

/** All samples of each series in the stretch. */
export function rawQuery(select: string, { seconds }: Stretch): string {
  return `${select}[${seconds}s]`
}
