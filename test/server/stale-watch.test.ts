import { mock } from 'node:test'
import t from 'tap'
import { watchStaleness } from '../../src/server/stale-watch.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

t.beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
t.afterEach(() => mock.timers.reset())

t.test('the log says once that the memory is too old, and once that it is fresh again', async (t) => {
  const log = new MemoryLog()
  let silentMs = 0
  const nowMs = () => 1_000_000
  const end = watchStaleness({
    state: { heardMs: () => nowMs() - silentMs },
    staleAfterMs: 300_000,
    log,
    nowMs
  })

  for (const ms of [300_000, 300_001, 310_000, 2_000, 1_000]) {
    silentMs = ms
    mock.timers.tick(5_000)
  }
  end()
  silentMs = 900_000
  mock.timers.tick(60_000)

  t.strictSame(log.lines, [
    {
      level: 'warn',
      fields: { silentSeconds: 300, staleSeconds: 300 },
      message: 'the cluster is not heard of, rewriting stops and isolation goes on'
    },
    {
      level: 'info',
      fields: { silentSeconds: 2, staleSeconds: 300 },
      message: 'the cluster is heard of again, rewriting goes on'
    }
  ])
})

t.test('without a bound nothing is too old', async (t) => {
  const log = new MemoryLog()
  const end = watchStaleness({ state: { heardMs: () => 0 }, staleAfterMs: undefined, log })

  mock.timers.tick(60_000)
  end()

  t.strictSame(log.lines, [])
})
