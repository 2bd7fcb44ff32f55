import type { Log } from '../../ports/log.ts'
import type { ShedCause } from '../../ports/metrics.ts'

/** One line says what was sent back within this time, ms: a line for each would make the overload worse. */
const LINE_EVERY_MS = 10_000

/** Tells the log of reviews that are sent back: at once of the first, then of the number of those that followed. */
export class ShedLog {
  readonly #log: Log
  #count = 0
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log) {
    this.#log = log
  }

  shed(webhook: string, cause: ShedCause): void {
    this.#count += 1
    if (this.#timer !== undefined) return
    this.#log.warn({ webhook, cause }, 'too much to do, reviews are sent back')
    this.#count = 0
    this.#timer = setInterval(() => this.#tell(), LINE_EVERY_MS).unref()
  }

  /** Tells what is left to tell. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#tellCount()
  }

  #tell(): void {
    if (this.#count === 0) this.close()
    else this.#tellCount()
  }

  #tellCount(): void {
    if (this.#count > 0) this.#log.warn({ count: this.#count }, 'more reviews were sent back')
    this.#count = 0
  }
}
