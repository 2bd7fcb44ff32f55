/** A bucket of permits that fills up evenly. */
export class RateLimit {
  readonly #burst: number
  readonly #refillMs: number
  #permits: number
  #filledMs: number | undefined

  /**
   * @param burst most permits that can be taken at once
   * @param refillMs time in which one permit comes back, ms
   */
  constructor({ burst, refillMs }: { readonly burst: number; readonly refillMs: number }) {
    this.#burst = burst
    this.#refillMs = refillMs
    this.#permits = burst
  }

  /** Takes a permit; false when there is none. */
  take(nowMs: number): boolean {
    const passedMs = nowMs - (this.#filledMs ?? nowMs)
    this.#permits = Math.min(this.#burst, this.#permits + passedMs / this.#refillMs)
    this.#filledMs = nowMs
    if (this.#permits < 1) return false
    this.#permits -= 1
    return true
  }
}
