import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { deployedEnv } from '../build/deployed-env.ts'
import { ask, forkFile, messageOf } from './child.ts'
import type { Figure } from './report.ts'
import type { KindCost, ProcessState } from './store-child.ts'
import { fleetSize } from './store-fleet.ts'
import { freePort, healthOf, openStage, type Stage, until } from './whole-webhook.ts'

const childFile = new URL('store-child.ts', import.meta.url)

/**
 * Memory of what the webhook mirrors of a large cluster, by kind, and of the whole process, which has the options that its manifest
 * gives it; how long the event loop is held up while 5,000 nodes are listed anew. On a machine that does other things as well the
 * delay says more about those, so the CPU of the longest turn and the delay of an idle process stand beside it.
 */
export async function benchStore(): Promise<readonly Figure[]> {
  const stage = await openStage('large')
  try {
    return [...(await kindFigures(stage.kubeconfig)), ...(await wholeFigures(stage))]
  } finally {
    stage.close()
  }
}

async function kindFigures(kubeconfig: string): Promise<readonly Figure[]> {
  const child = forkFile(childFile, ['kinds', kubeconfig], { node: ['--expose-gc'] })
  const costs = (await messageOf(child)) as readonly KindCost[] // what store-child.ts sends
  return costs.map(({ kind, objects, bytesEach }) => ({
    name: `${objects} ${kind}: heap for each`,
    value: bytesEach,
    unit: 'B'
  }))
}

async function wholeFigures({ server, settings }: Stage): Promise<readonly Figure[]> {
  const ports = { listen: 0, health: await freePort() }
  const health = healthOf(ports.health)
  const shows = async (line: string): Promise<boolean> => (await health.metrics()).includes(line)
  const child = forkFile(childFile, ['whole'], { env: { ...deployedEnv('webhook'), ...settings(ports) } })
  const beside = monitorEventLoopDelay({ resolution: 1 })
  try {
    const startMs = performance.now()
    await until(health.isReady)
    const readyMs = performance.now() - startMs
    await until(() => shows('rightslice_store_synced{resource="pods"} 1'))
    const allMs = performance.now() - startMs
    await delay(2000)
    const rest = await stateOf(child, 'reset')
    beside.enable()
    server.send('expire')
    await until(() => shows('rightslice_store_relists_total{resource="nodes"} 1'))
    const relist = await stateOf(child, 'state')
    return [
      { name: 'start to ready', value: readyMs / 1000, unit: 's' },
      { name: 'start to pods listed', value: allMs / 1000, unit: 's' },
      goalled(
        `memory of the webhook: ${fleetSize.nodes} nodes, ${fleetSize.pods} pods`,
        rest.rssMiB,
        'MiB',
        250
      ),
      { name: 'highest memory of the webhook', value: relist.peakMiB, unit: 'MiB' },
      goalled('nodes listed anew: event-loop delay, p99', relist.p99Ms, 'ms', 20),
      {
        name: 'the same of a process beside it that does nothing',
        value: beside.percentile(99) / 1e6 - 1,
        unit: 'ms'
      },
      goalled('nodes listed anew: longest turn, CPU', relist.longestTurnMs, 'ms', 20)
    ]
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

function goalled(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, comparison: '<=', goal }
}

async function stateOf(child: ChildProcess, wish: 'state' | 'reset'): Promise<ProcessState> {
  return (await ask(child, wish)) as ProcessState // what store-child.ts sends
}
