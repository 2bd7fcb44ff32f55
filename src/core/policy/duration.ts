const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1]
] as const

const GRAMMAR = /^(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,6})s)?$/

/** Durations above ten years are refused; they are typing errors and would never end a search. */
const MAX_SECONDS = 3_660 * 86_400

/**
 * Reads a duration of whole days, hours, minutes and seconds in this order: `14d`, `720h`, `13d22h`, `1h30m`.
 * @returns seconds; undefined for every other text (also `1.5h`, `P14D`, `14`) and for more than ten years
 */
export function parseDuration(text: unknown): number | undefined {
  const parts = typeof text === 'string' && text !== '' ? GRAMMAR.exec(text) : null
  if (parts === null) {
    return undefined
  }
  const seconds = units.reduce((sum, [, size], index) => sum + Number(parts[index + 1] ?? 0) * size, 0)
  return seconds > MAX_SECONDS ? undefined : seconds
}

/**
 * Writes a duration with its two largest units, cut down, as the history column shows it: `13d22h`, `6h`, `0s`.
 * @param seconds zero or more
 */
export function printDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  const counts = units.map(([unit, size], index) => {
    const above = units[index - 1]?.[1] ?? Number.POSITIVE_INFINITY
    return { unit, count: Math.floor((whole % above) / size) }
  })
  const first = counts.findIndex(({ count }) => count > 0)
  const shown = first < 0 ? [] : counts.slice(first, first + 2).filter(({ count }) => count > 0)
  return shown.map(({ unit, count }) => `${count}${unit}`).join('') || '0s'
}
