/** Longest value of a user that is repeated, characters. */
const MAX_VALUE = 64

/** Largest number of values that one breach tells. */
const MAX_VALUES = 8

/** A user's text for messages, logs and Events: printable ASCII in quotes, cut. ` all ` is shown as `" all "`. */
export function showText(text: string): string {
  const start = text.slice(0, MAX_VALUE + 1).replace(/[^\x20-\x7e]|["\\]/g, '?')
  return start.length > MAX_VALUE ? `"${start.slice(0, MAX_VALUE - 3)}..."` : `"${start}"`
}

/** Several things that were seen, in one line; the rest is counted. */
export function showList(parts: readonly string[]): string {
  return showSome(parts, (part) => part)
}

/**
 * The same of things that may be very many.
 * @param textOf what is shown of one; asked of those alone that are shown
 */
export function showSome<T>(things: readonly T[], textOf: (thing: T) => string): string {
  const shown = things.slice(0, MAX_VALUES).map(textOf).join(', ')
  const rest = things.length - MAX_VALUES
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

/** Longest name that is repeated, characters: kind, name and role of a workload. */
const MAX_NAME = 300

/** A name for tables, reports and logs, of which a part may come from an annotation: printable ASCII, cut, without quotes. */
export function showName(text: string): string {
  const start = showLine(text.slice(0, MAX_NAME + 1))
  return start.length > MAX_NAME ? `${start.slice(0, MAX_NAME - 3)}...` : start
}

/** A whole line or cell with names in it: printable ASCII, so that nothing in it moves the cursor or turns the direction. */
export function showLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
