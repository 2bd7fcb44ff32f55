import { setTimeout as pause } from 'node:timers/promises'
import { stringOf } from '../../../src/core/json.ts'
import { linesOf, metricOf, metricsOf, type Replica, sumOf } from '../replica.ts'
import type { Stage } from '../stage.ts'
import { atLeast, atMost, type Step } from '../step.ts'

const LEAD_MS = 2_000

/** How long etcd stands still, ms. */
const ETCD_PAUSE_MS = 10_000

/** Nobody can store anything for ten seconds; what has been judged by then waits in the API server. */
export const etcdPause: Step = {
  name: 'etcd-pause',
  about: 'etcd stands still for 10 s (SIGSTOP, SIGCONT)',
  act: async ({ stage: { bed } }) => {
    const [etcd] = bed.pids
    if (etcd === undefined) throw new Error('the bed has no etcd')
    await pause(LEAD_MS)
    const startMs = performance.now()
    process.kill(etcd, 'SIGSTOP')
    try {
      await pause(ETCD_PAUSE_MS)
    } finally {
      process.kill(etcd, 'SIGCONT')
    }
    const pausedSeconds = (performance.now() - startMs) / 1000
    return { figures: [atLeast('etcd stood still', pausedSeconds, ETCD_PAUSE_MS / 1000, 's')] }
  }
}

/** Everything between replicas and API server is cut once a second: watches, lists and writes. */
export const watchResets: Step = {
  name: 'watch-resets',
  about: 'every connection between replicas and API server is reset once a second',
  act: async ({ stage, seconds }) => {
    const before = await restartsOf(stage)
    let cut = 0
    for (let count = 0; count < seconds; count += 1) {
      await pause(1000)
      cut += stage.wayToApi.cut()
    }
    const after = await restartsOf(stage)
    return {
      figures: [
        { name: 'connections cut', value: cut, unit: '' },
        atLeast('watches opened again, all replicas', after - before, seconds)
      ]
    }
  }
}

async function restartsOf({ replicas }: Stage): Promise<number> {
  const counts = await Promise.all(
    replicas.map((replica) => metricOf(replica, 'rightslice_store_watch_restarts_total'))
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

const MONTH_MS = 30 * 86_400_000

/** Of the time of a step, so much is spent with clocks that are wrong in one way, ratio. */
const PHASE_RATIO = 0.25

/** The wall clocks of the replicas are set a month forth and a month back, and meanwhile the API server, by whose time they go, is out of reach. */
export const clockJump: Step = {
  name: 'clock-jump',
  about: 'the clock of one replica is set a month forth, of the other a month back, then the other way round',
  act: async ({ stage, seconds }) => {
    const { replicas, wayToApi } = stage
    const phaseMs = seconds * 1000 * PHASE_RATIO
    const startMs = Date.now()
    const setClocks = (offsets: readonly number[]): Promise<unknown> =>
      Promise.all(replicas.map((replica, index) => replica.setClock(offsets[index % 2] ?? 0)))

    for (const offsets of [
      [MONTH_MS, -MONTH_MS],
      [-MONTH_MS, MONTH_MS]
    ]) {
      wayToApi.setDown(true)
      await setClocks(offsets)
      await pause(phaseMs / 2)
      wayToApi.setDown(false)
      await pause(phaseMs / 2)
    }
    await setClocks([0])

    const leapt = replicas.filter((replica) => hasLeapt(replica, startMs)).length
    return { figures: [atLeast('replicas that wrote times a month off, both ways', leapt, replicas.length)] }
  }
}

/** Whether the log holds times of both wrong clocks; whoever loses the API server writes a line about it. */
function hasLeapt({ log }: Replica, startMs: number): boolean {
  const times = log.map((entry) => Date.parse(stringOf(entry, 'time') ?? '') - startMs)
  return times.some((ms) => ms > MONTH_MS / 2) && times.some((ms) => ms < -MONTH_MS / 2)
}

/** The API server is ended and started anew; whoever creates pods tries again until it is there. */
export const apiServerRestart: Step = {
  name: 'api-server-restart',
  about: 'the API server is ended by SIGTERM, after 2 s by SIGKILL, and started anew',
  act: async ({ stage, calls }) => {
    await pause(LEAD_MS)
    await calls.beforeRestart()
    const startMs = performance.now()
    await stage.bed.restartApiServer()
    const awaySeconds = (performance.now() - startMs) / 1000
    await pause(LEAD_MS)
    const pages = await Promise.all(stage.replicas.map(metricsOf))
    const failed = (cause: string): number =>
      sum(pages.map((page) => sumOf(page, 'rightslice_reviews_failed_total', `cause="${cause}"`)))
    const stillServing = stage.replicas.filter((replica) => linesOf(replica, 'webhook stopped').length === 0)
    return {
      figures: [
        { name: 'until the API server was ready again', value: awaySeconds, unit: 's' },
        atMost('reviews that could not be decided or patched', failed('decision') + failed('patch'), 0),
        // Calls of an API server that is killed in the middle of sending them.
        {
          name: 'reviews that ended before they were whole, all steps',
          value: failed('unreadable'),
          unit: ''
        },
        atLeast('replicas that went on', stillServing.length, stage.replicas.length)
      ]
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
