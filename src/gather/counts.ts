/** Whole numbers by two keys; what is 0 takes no memory. */
export class Counts {
  readonly #byKey = new Map<string, Map<string, number>>()

  of(outer: string, inner: string): number {
    return this.#byKey.get(outer)?.get(inner) ?? 0
  }

  /** The inner keys that are not 0, in order. */
  keysIn(outer: string): readonly string[] {
    return [...(this.#byKey.get(outer)?.keys() ?? [])].sort()
  }

  /** Adds to a number and returns what it is then. */
  add(outer: string, inner: string, by: number): number {
    const here = this.#byKey.get(outer) ?? new Map<string, number>()
    const sum = (here.get(inner) ?? 0) + by
    if (sum === 0) here.delete(inner)
    else here.set(inner, sum)
    if (here.size === 0) this.#byKey.delete(outer)
    else this.#byKey.set(outer, here)
    return sum
  }
}
