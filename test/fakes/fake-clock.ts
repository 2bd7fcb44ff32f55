import type { Clock } from '../../src/ports/clock.ts'

interface Sleeper {
  /** By the steady time. */
  readonly wakeMs: number
  readonly ms: number
  readonly wake: () => void
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #nowMs: number
  #steadyMs = 0
  #sleepers: readonly Sleeper[] = []
  #waiting: { readonly fits: (ms: number) => boolean; readonly resolve: (ms: number) => void }[] = []

  constructor(nowMs = 1_700_000_000_000) {
    this.#nowMs = nowMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  steadyMs(): number {
    return this.#steadyMs
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const sleeper = { wakeMs: this.#steadyMs + ms, ms, wake }
    this.#sleepers = [...this.#sleepers, sleeper]
    signal.addEventListener('abort', wake, { once: true })
    this.#announce(ms)
    await promise
    signal.removeEventListener('abort', wake)
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
  }

  /** Lengths of the sleeps that run now, ms. */
  sleeping(): readonly number[] {
    return this.#sleepers.map(({ ms }) => ms)
  }

  /** Length of a running sleep that fits; waits for one to begin when there is none. */
  async untilSleep(fits: (ms: number) => boolean): Promise<number> {
    const running = this.#sleepers.find(({ ms }) => fits(ms))
    if (running !== undefined) return running.ms
    const { promise, resolve } = Promise.withResolvers<number>()
    this.#waiting.push({ fits, resolve })
    return promise
  }

  /** Moves the time and wakes whoever slept until then. */
  advance(ms: number): void {
    this.#nowMs += ms
    this.#steadyMs += ms
    const due = this.#sleepers.filter(({ wakeMs }) => wakeMs <= this.#steadyMs)
    this.#sleepers = this.#sleepers.filter(({ wakeMs }) => wakeMs > this.#steadyMs)
    for (const { wake } of due) wake()
  }

  /** Moves the time as when somebody sets a machine's clock: sleeps end when they would have ended. */
  jump(ms: number): void {
    this.#nowMs += ms
  }

  #announce(ms: number): void {
    const heard = this.#waiting.filter(({ fits }) => fits(ms))
    this.#waiting = this.#waiting.filter((other) => !heard.includes(other))
    for (const { resolve } of heard) resolve(ms)
  }
}
