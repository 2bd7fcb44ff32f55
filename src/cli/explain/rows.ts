/** One line of an answer: what it is about, '' where it goes on, and what is said. */
export type Row = readonly [name: string, text: string]

/** Lines about one thing, named once. */
export function label(name: string, lines: readonly string[]): readonly Row[] {
  return lines.map((line, index) => [index === 0 ? name : '', line])
}
