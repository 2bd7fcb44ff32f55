import t from 'tap'
import { LineClock } from '../../../src/server/overload/line-clock.ts'

t.test('time goes by, but a pause of the whole process counts for a moment only', async (t) => {
  let realMs = 1000
  const clock = new LineClock(() => realMs)

  const seen = [0, 10, 5, 4000, 1].map((stepMs) => {
    realMs += stepMs
    return clock.nowMs()
  })

  t.strictSame(seen, [0, 10, 15, 40, 41])
})

t.test('without a clock of its own it is that of the process', async (t) => {
  const clock = new LineClock()

  t.ok(clock.nowMs() <= clock.nowMs())
})
