import { compareText } from '../../compare-text.ts'
/**
 * Kinds of slots for which there have to be as many slots as asks that may run in no others, so that every ask finds a slot of its
 * own: what each ask may run in, and every union of these that hangs together. A union of parts that do not is met when its parts are.
 * @param reach by ask: the slots that it may run in
 * @returns groups as sorted names, in the order of their texts
 * @source P. Hall, On Representatives of Subsets, 1935
 * @example asks that reach {b}, {a, b} and {c}: the groups {a, b}, {b} and {c}
 */
export function slotGroups(reach: readonly ReadonlySet<string>[]): readonly ReadonlySet<string>[] {
  const groups = new Map<string, ReadonlySet<string>>()
  const add = (group: ReadonlySet<string>): void => {
    const sorted = [...group].toSorted()
    groups.set(sorted.join(), new Set(sorted))
  }
  for (const slots of reach) add(slots)
  const single = [...groups.values()]
  for (const group of groups.values()) {
    for (const slots of single) if (overlap(group, slots)) add(new Set([...group, ...slots]))
  }
  return [...groups].toSorted(([a], [b]) => compareText(a, b)).map(([, group]) => group)
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((slot) => b.has(slot))
}
