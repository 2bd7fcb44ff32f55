import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Histogram, type Registry } from 'prom-client'
import { optionsOf } from './metrics.ts'

/** How often the event loop is asked whether it is free, ms; it notices delays that are longer. */
const RESOLUTION_MS = 10

/** One value a second: `histogram_quantile(0.99, …)` of them is what 99 of 100 seconds stayed below. */
const PERIOD_MS = 1_000

/** From a loop that is free to one that makes the API server give up, seconds. */
const delayBuckets = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

/** Does something again and again, once a period. */
type Schedule = (task: () => void) => void

const everySecond: Schedule = (task) => {
  setInterval(task, PERIOD_MS).unref()
}

/**
 * Tells the longest delay of each second. A histogram of them counts on from scrape to scrape, so that it says the same to
 * everybody who asks, however often; it keeps no process alive.
 */
export function watchEventLoopDelay(registry: Registry, schedule = everySecond): void {
  const delays = new Histogram({
    ...optionsOf('rightslice_event_loop_delay_seconds', registry),
    buckets: delayBuckets
  })
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  monitor.enable()
  schedule(() => {
    if (monitor.count > 0) delays.observe(delaySeconds(monitor.max))
    monitor.reset()
  })
}

/** Node tells the time between two looks, in ns; what is beyond the pause between them is delay. */
function delaySeconds(betweenNs: number): number {
  return Math.max(0, betweenNs / 1e6 - RESOLUTION_MS) / 1000
}
