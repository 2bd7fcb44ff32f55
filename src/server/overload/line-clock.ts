/** So much at most passes between two looks at the clock, ms. */
const LONGEST_STEP_MS = 25

/**
 * Time as those who wait in line are charged it: the clock is looked at whenever one comes or is served, and a pause of the whole process in between
 * counts for a moment only. After a pause there is no more to do than before it, so nobody need be sent back for it.
 */
export class LineClock {
  readonly #realMs: () => number
  #seenMs: number
  #ms = 0

  /** @param realMs a clock that never goes back, ms */
  constructor(realMs: () => number = () => performance.now()) {
    this.#realMs = realMs
    this.#seenMs = realMs()
  }

  nowMs(): number {
    const realMs = this.#realMs()
    this.#ms += Math.min(realMs - this.#seenMs, LONGEST_STEP_MS)
    this.#seenMs = realMs
    return this.#ms
  }
}
