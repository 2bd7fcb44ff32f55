/**
 * Every union of kinds of slots that asks may run in, each once. When for each of these groups there are as many slots as asks
 * that may run in no others, every ask finds a slot of its own.
 * @param reach by ask: the slots that it may run in
 * @returns groups as sorted names, in the order of their texts
 * @source P. Hall, On Representatives of Subsets, 1935
 * @example asks that reach {b} and {a, b}: the groups {b} and {a, b}
 */
export function slotGroups(reach: readonly ReadonlySet<string>[]): readonly ReadonlySet<string>[] {
  const groups = new Map<string, ReadonlySet<string>>()
  for (const slots of reach) {
    for (const group of [new Set<string>(), ...groups.values()]) {
      const union = new Set([...group, ...slots].toSorted())
      groups.set([...union].join(), union)
    }
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}
