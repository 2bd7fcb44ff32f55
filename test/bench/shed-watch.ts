import { quantile } from './report.ts'

/** What can be said from inside of how long reviews waited that were sent back, ms. */
export interface ShedWait {
  readonly count: number
  /** From the beginning of the turn in which they were read: none that was there by then waited less. */
  readonly readP99Ms: number
  /** From the beginning of the reading of the turn before, when none of them was there: none waited longer. */
  readonly boundP99Ms: number
}

/**
 * From inside: for each answer that sends back, between which times its request can have come. A turn of the event loop reads all that is
 * there, so what it reads came after the reading of the turn before had begun. Runs only while it is asked to, and only under load,
 * where turns follow each other anyway.
 */
export class ShedWatch {
  readonly #readMs: number[] = []
  readonly #boundMs: number[] = []
  #isRunning = false
  /** When reading began, in this turn and in the one before. */
  #lastMs = 0
  #beforeMs = 0

  start(): void {
    this.#readMs.length = 0
    this.#boundMs.length = 0
    this.#isRunning = true
    this.#lastMs = performance.now()
    this.#beforeMs = this.#lastMs
    setImmediate(this.#turn)
  }

  /** To be called when the answer is written. */
  shed(): void {
    if (!this.#isRunning) return
    const nowMs = performance.now()
    this.#readMs.push(nowMs - this.#lastMs)
    this.#boundMs.push(nowMs - this.#beforeMs)
  }

  stop(): ShedWait {
    this.#isRunning = false
    return {
      count: this.#readMs.length,
      readP99Ms: quantile(this.#readMs, 0.99),
      boundP99Ms: quantile(this.#boundMs, 0.99)
    }
  }

  readonly #turn = (): void => {
    this.#beforeMs = this.#lastMs
    this.#lastMs = performance.now()
    if (this.#isRunning) setImmediate(this.#turn)
  }
}
