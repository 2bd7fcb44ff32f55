import { readFileSync } from 'node:fs'

/** Tells how short of processors the machine was, without which no time that was measured says much. */
export class Pressure {
  readonly #startMs = performance.now()
  readonly #startMicros = waitedMicros()

  /** Share of the time since the start in which somebody on this machine waited for a processor, 0 to 1; undefined where the system does not say. */
  ratio(): number | undefined {
    const micros = waitedMicros()
    if (micros === undefined || this.#startMicros === undefined) return undefined
    return Math.min(1, (micros - this.#startMicros) / 1000 / (performance.now() - this.#startMs))
  }
}

/** @source https://docs.kernel.org/accounting/psi.html */
function waitedMicros(): number | undefined {
  try {
    const [, total] = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return total === undefined ? undefined : Number(total)
  } catch {
    return undefined
  }
}
