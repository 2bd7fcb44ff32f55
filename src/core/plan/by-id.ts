import { compareText } from '../compare-text.ts'

/** The same list by id. */
export function byId<T extends { readonly id: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => compareText(a.id, b.id))
}
