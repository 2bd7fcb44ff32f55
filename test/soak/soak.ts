import { setTimeout as pause } from 'node:timers/promises'
import type { Simulator } from '../bed/simulator.ts'
import type { Bed } from '../bed/start-bed.ts'
import { startCreations } from '../chaos/creation-load.ts'
import type { Creation } from '../chaos/creations.ts'
import { Pressure } from '../chaos/pressure.ts'
import { metricsOf, type Replica, sumOf } from '../chaos/replica.ts'
import { type Stage, setStage } from '../chaos/stage.ts'
import { type Tally, tallyOf } from '../chaos/tally.ts'
import { startChurn } from './fleet.ts'

/** How long and how hard. */
export interface SoakPlan {
  readonly seconds: number
  readonly perSecond: number
  readonly nodes: number
  /** How often every connection between the webhook and the API server is reset. */
  readonly resetEverySeconds: number
  /** Called after each reset with what was seen since the one before. */
  readonly onProgress?: (progress: Progress) => void
}

/** How things stand. */
export interface Progress extends Look {
  /** Creations since the reset before, and those of them that failed. */
  readonly sent: number
  readonly failed: number
}

/** What the process of the webhook holds at one moment. */
export interface Look {
  readonly atMs: number
  readonly rssMiB: number
  readonly heapMiB: number
  readonly sockets: number
  readonly timers: number
}

/** What came of a soak. */
export interface SoakResult {
  readonly seconds: number
  readonly tally: Tally
  readonly looks: readonly Look[]
  readonly resets: number
  /** Changes of nodes. */
  readonly changes: number
  readonly relists: number
  readonly watchRestarts: number
  /** Objects that a check found to differ from memory. */
  readonly drift: number
  /** Lists of the nodes after the first: checks of the memory, and whatever else made a list necessary. */
  readonly listsOfNodes: number
  readonly pressureRatio: number | undefined
}

/** Pause between two looks at the process, ms. */
const LOOK_EVERY_MS = 2_000

/** What is reset needs some time to be opened again before the end, ms. */
const SETTLE_MS = 3_000

/** One webhook under an even load, while nodes change and its watches are reset again and again. */
export async function soak(bed: Bed, simulator: Simulator, plan: SoakPlan): Promise<SoakResult> {
  const stage = await setStage(bed, simulator, {
    replicas: 1,
    drainSeconds: 1,
    lateSeconds: 0,
    isHasty: false
  })
  try {
    const fleet = await startChurn(bed, simulator, plan.nodes)
    try {
      const result = await underLoad(stage, plan)
      return { ...result, changes: fleet.changes() }
    } finally {
      await fleet.stop()
    }
  } finally {
    await stage.close()
  }
}

async function underLoad(stage: Stage, plan: SoakPlan): Promise<Omit<SoakResult, 'changes'>> {
  const [webhook] = stage.replicas
  if (webhook === undefined) throw new Error('there is no webhook')
  const load = await startCreations(await stage.order(plan.perSecond))
  const pressure = new Pressure()
  const startMs = performance.now()
  const looks: Look[] = []
  const creations: Creation[] = []
  let resets = 0
  let rounds = 0
  try {
    while (performance.now() - startMs < plan.seconds * 1000) {
      await pause(LOOK_EVERY_MS)
      const look = await lookAt(webhook, startMs)
      looks.push(look)
      if (look.atMs < (rounds + 1) * plan.resetEverySeconds * 1000) continue
      rounds += 1
      if (look.atMs < plan.seconds * 1000 - SETTLE_MS) {
        stage.wayToApi.cut()
        resets += 1
      }
      const batch = (await load.take()).creations
      creations.push(...batch)
      plan.onProgress?.({ ...look, sent: batch.length, failed: failuresOf(tallyOf(batch)) })
    }
    creations.push(...(await load.end()).creations)
  } finally {
    load.close()
  }
  const page = await metricsOf(webhook)
  return {
    seconds: (performance.now() - startMs) / 1000,
    tally: tallyOf(creations),
    looks,
    resets,
    relists: sumOf(page, 'rightslice_store_relists_total'),
    watchRestarts: sumOf(page, 'rightslice_store_watch_restarts_total'),
    drift: sumOf(page, 'rightslice_store_drift_total'),
    listsOfNodes: sumOf(page, 'rightslice_store_relists_total', 'resource="nodes"'),
    pressureRatio: pressure.ratio()
  }
}

/** Creations that neither came in nor were refused by the policy, pods that slipped in, and pods that kept their whole GPU. */
export function failuresOf({ sent, letIn, refusedByPolicy, notRewritten }: Tally): number {
  return sent - letIn - refusedByPolicy + notRewritten
}

async function lookAt(webhook: Replica, startMs: number): Promise<Look> {
  const page = await metricsOf(webhook)
  return {
    atMs: performance.now() - startMs,
    rssMiB: sumOf(page, 'process_resident_memory_bytes') / 2 ** 20,
    heapMiB: sumOf(page, 'nodejs_heap_size_used_bytes') / 2 ** 20,
    sockets: sumOf(page, 'nodejs_active_resources', 'type="TCPSocketWrap"'),
    timers: sumOf(page, 'nodejs_active_resources', 'type="Timeout"')
  }
}
