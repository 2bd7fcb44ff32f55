import t from 'tap'
import { scrapeInRounds } from '../../src/controllers/scrape-loop.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

t.test('scrapes every 30 s while that is wanted', async (t) => {
  const clock = new FakeClock(0)
  const stopping = new AbortController()
  const rounds: number[] = []
  let isWanted = true
  let ended = 0
  const running = scrapeInRounds(
    {
      scrape: (nowMs) => {
        rounds.push(nowMs)
        return Promise.resolve({ scraped: 1, failed: 0 })
      },
      isWanted: () => isWanted,
      onRound: () => {
        ended += 1
      },
      clock,
      log: new MemoryLog()
    },
    stopping.signal
  )

  clock.advance(await clock.untilSleep(() => true))
  await clock.untilSleep(() => true)
  isWanted = false
  clock.advance(30_000)
  await clock.untilSleep(() => true)
  stopping.abort()
  await running

  t.strictSame(rounds, [0, 30_000])
  t.equal(ended, 3, 'a round that was not wanted ends too')
})
