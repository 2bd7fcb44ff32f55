import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { watchEventLoopDelay } from '../../src/observability/event-loop-delay.ts'

/** Keeps the process from everything else. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

t.test('the longest delay of each period is told, and nothing when the loop was not asked', async (t) => {
  const registry = new Registry()
  const ticks: (() => void)[] = []
  watchEventLoopDelay(registry, (task) => ticks.push(task))
  const tick = (): void => {
    for (const task of ticks) task()
  }

  tick()
  await pause(30)
  block(150)
  await pause(30)
  tick()

  const page = await registry.metrics()
  t.match(page, 'rightslice_event_loop_delay_seconds_count 1')
  t.match(page, 'rightslice_event_loop_delay_seconds_bucket{le="0.1"} 0')
  t.match(page, 'rightslice_event_loop_delay_seconds_bucket{le="5"} 1')
})
