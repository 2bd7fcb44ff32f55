import t from 'tap'
import { RateLimit } from '../../../src/controllers/events/rate-limit.ts'

t.test('a burst is let through, then one for each refill, and never more than a burst', async (t) => {
  const limit = new RateLimit({ burst: 2, refillMs: 1000 })
  const taken = [0, 0, 0, 500, 1000, 1000, 90_000, 90_000, 90_000].map((nowMs) => limit.take(nowMs))

  t.strictSame(taken, [true, true, false, false, true, false, true, true, false])
})
