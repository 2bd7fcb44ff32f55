import type { Clock } from '../ports/clock.ts'
import type { ObjectStore } from '../ports/object-store.ts'

/** When rounds are made. */
export interface RoundTimes {
  /** Stores whose changes lead to a round. */
  readonly watched: readonly Pick<ObjectStore<unknown>, 'onChange'>[]
  /** Between two rounds without any change, ms. */
  readonly everyMs: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
}

/** Changes that came within this time are taken up together, ms. */
const TOGETHER_MS = 1_000

/** Makes rounds until the signal aborts: at once, soon after a change, and after a while without any. */
export async function repeatOnChange(round: () => Promise<void>, times: RoundTimes): Promise<void> {
  const { watched, everyMs, clock, signal } = times
  let wake = new AbortController()
  const ends = watched.map((store) => store.onChange(() => wake.abort()))
  try {
    while (!signal.aborted) {
      wake = new AbortController()
      await round()
      await clock.sleep(everyMs, AbortSignal.any([signal, wake.signal]))
      if (wake.signal.aborted) await clock.sleep(TOGETHER_MS, signal)
    }
  } finally {
    for (const end of ends) end()
  }
}

/** How looks are repeated. */
export interface LookTimes {
  /** Told of a look that failed. */
  readonly onFault: (err: unknown) => void
  /** After a look that failed, ms. */
  readonly everyMs: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
}

/** Looks until the signal aborts, each time after as long as the last look says, ms; one that fails is told, and the next begins anew. */
export async function repeatLooks(look: () => Promise<number>, times: LookTimes): Promise<void> {
  const { onFault, everyMs, clock, signal } = times
  while (!signal.aborted) {
    let restMs = everyMs
    try {
      restMs = await look()
    } catch (err) {
      if (!signal.aborted) onFault(err)
    }
    await clock.sleep(restMs, signal)
  }
}
