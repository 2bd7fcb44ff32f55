/** Lets at most so many pieces of work run at the same time; the others wait in the order in which they came. */
export class Limiter {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(concurrency: number) {
    this.#free = Math.max(1, concurrency)
  }

  /** Runs `work` as soon as there is room. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free -= 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
