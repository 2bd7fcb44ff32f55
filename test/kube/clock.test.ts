import t from 'tap'
import { systemClock } from '../../src/kube/clock.ts'

t.test('tells the time of the machine', async (t) => {
  const before = Date.now()

  t.ok(systemClock.nowMs() >= before)
})

t.test('its steady time goes on with the sleeps', async (t) => {
  const before = systemClock.monotonicMs()

  await systemClock.sleep(5, new AbortController().signal)

  t.ok(systemClock.monotonicMs() - before >= 4)
})

t.test('sleeps, and wakes at once when aborted', async (t) => {
  const controller = new AbortController()

  await systemClock.sleep(1, controller.signal)
  const long = systemClock.sleep(3_600_000, controller.signal)
  controller.abort()
  await long
  await systemClock.sleep(3_600_000, controller.signal)

  t.pass('all woke')
})

t.test('the monotonic clock never goes back', async (t) => {
  const before = systemClock.monotonicMs()
  await systemClock.sleep(2, new AbortController().signal)

  t.ok(systemClock.monotonicMs() > before)
})
