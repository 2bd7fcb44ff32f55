import type { DayPeak } from '../core/usage/dialect-series.ts'

/** How long a day that is not over counts as read, ms: a peak of such a series may be seen that much later. */
const FRESH_MS = 3_600_000

/** Days of series that are remembered at most; a few hundred bytes each. */
const MOST_DAYS = 20_000

interface Judged {
  readonly atMs: number
  readonly dayMs: number
  readonly peak: DayPeak | undefined
}

/** What was found in series whose maximum no GPU can have, so that the same samples are not read with every reading. */
export class JudgedSuspects {
  readonly #byKey = new Map<string, Judged>()

  /**
   * The highest believable value, undefined within it when there is none; undefined when it has to be read (again).
   * @param settledMs from when on the day changes no more; what was read after that holds for good
   */
  recall(
    key: string,
    { nowMs, settledMs }: { readonly nowMs: number; readonly settledMs: number }
  ): { readonly peak: DayPeak | undefined } | undefined {
    const judged = this.#byKey.get(key)
    if (judged === undefined) return undefined
    return judged.atMs >= settledMs || nowMs - judged.atMs < FRESH_MS ? judged : undefined
  }

  /** Remembers what was found, as far as there is room. */
  note(key: string, judged: Judged): void {
    if (this.#byKey.size < MOST_DAYS || this.#byKey.has(key)) this.#byKey.set(key, judged)
  }

  /** Drops the days before `fromMs`. */
  forgetBefore(fromMs: number): void {
    for (const [key, { dayMs }] of this.#byKey) if (dayMs < fromMs) this.#byKey.delete(key)
  }
}
