import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/** Time between two rounds, ms: the exporters' own interval. */
const ROUND_MS = 30_000

/** What scraping in rounds needs. */
export interface ScrapeParts {
  /** Reads every exporter once. */
  readonly scrape: (
    nowMs: number,
    signal: AbortSignal
  ) => Promise<{ readonly scraped: number; readonly failed: number }>
  /** Whether rounds are wanted now: not while another source is there. */
  readonly isWanted: () => boolean
  /** Called after each round, a round that was not wanted too: from then on what is kept can be read. */
  readonly onRound: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Scrapes in rounds until `signal` aborts. */
export async function scrapeInRounds(
  { scrape, isWanted, onRound, clock, log }: ScrapeParts,
  signal: AbortSignal
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = clock.nowMs()
    if (isWanted()) {
      const round = await scrape(startedMs, signal)
      log.debug({ ...round }, 'exporters scraped')
    }
    onRound()
    await clock.sleep(Math.max(1_000, startedMs + ROUND_MS - clock.nowMs()), signal)
  }
}
