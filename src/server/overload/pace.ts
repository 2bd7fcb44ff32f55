/** What one review takes before the first was measured, ms. */
const FIRST_GUESS_MS = 0.5

/** Part that a new sample has in the mean: the last 64 reviews or so say how long the next ones will take. */
const SAMPLE_SHARE = 1 / 64

/** How fast waiting reviews are served, with all that is done between two of them: by this a queue is measured in time. */
export class Pace {
  #meanMs = FIRST_GUESS_MS

  /** A review was served so long after the one before it, while it waited. */
  measured(ms: number): void {
    this.#meanMs += (ms - this.#meanMs) * SAMPLE_SHARE
  }

  /** How long it will take to serve so many reviews, ms. */
  expectedMs(count: number): number {
    return count * this.#meanMs
  }
}
