/** Values after which all are forgotten, so that names which come and go do not take memory for ever. */
const MOST_VALUES = 50_000

/** Makes equal values one value: objects of the API repeat names, labels and requests, and every copy takes memory. */
export class SharedValues<T> {
  readonly #textOf: (value: T) => string
  readonly #most: number
  readonly #known = new Map<string, T>()

  /** @param textOf gives equal values, and no others, an equal text */
  constructor(textOf: (value: T) => string, most: number = MOST_VALUES) {
    this.#textOf = textOf
    this.#most = most
  }

  /** The first value that was equal to this one; it is in use elsewhere and must never be changed. */
  of(value: T): T {
    const text = this.#textOf(value)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= this.#most) this.#known.clear()
    this.#known.set(text, value)
    return value
  }
}
