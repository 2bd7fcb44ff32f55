/** The first name that is in the list a second time; undefined when each is there once. */
export function firstTwice(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => {
    const isTwice = seen.has(name)
    seen.add(name)
    return isTwice
  })
}
