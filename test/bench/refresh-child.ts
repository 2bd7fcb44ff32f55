import { once } from 'node:events'
import { Refresh } from '../../src/controllers/refresh.ts'
import { knownNodeOf } from '../../src/controllers/workloads/known-node.ts'
import { PodMemory } from '../../src/controllers/workloads/pod-memory.ts'
import { readNode } from '../../src/core/cluster/node-view.ts'
import { attribute } from '../../src/core/usage/attribution/attribute.ts'
import { readPodRecord } from '../../src/gather/pod-record.ts'
import type { UsageReading, UsageSource } from '../../src/ports/usage-source.ts'
import { openPrometheus } from '../../src/prometheus/prometheus-source.ts'
import { openScraping } from '../../src/prometheus/scrape-source.ts'
import { Rig } from '../controllers/rig.ts'
import { nodeCount, rawNodes, rawPods } from './refresh-fleet.ts'

/** What is measured, and of what; each in a process of its own, so that its memory is its own. */
interface Order {
  readonly what: 'read' | 'refresh' | 'scrape'
  readonly url: string
  readonly nowMs: number
  readonly days: number
  readonly workloads: number
}

/** What one cycle cost. */
export interface Cycle {
  readonly status: string
  readonly seconds: number
  readonly queries: number
  readonly bytes: number
  readonly series: number
  /** Highest resident memory until the source was read, MiB. */
  readonly readPeakMiB: number
  /** Seconds that attribution took; of a whole refresh everything but the reading. */
  readonly afterSeconds: number
  /** Highest resident memory of the process so far, MiB. */
  readonly peakMiB: number
  /** Workloads whose use was found, or that were written. */
  readonly workloads: number
}

type Work = (nowMs: number) => Promise<Cycle>

const DAY_MS = 86_400_000

function peakMiB(): number {
  return process.resourceUsage().maxRSS / 1024
}

/** Measures each reading of a source. */
class Measured implements UsageSource {
  readonly #source: UsageSource
  last:
    | { readonly reading: Omit<UsageReading, 'series'>; readonly series: number; readonly seconds: number }
    | undefined
  readPeakMiB = 0

  constructor(source: UsageSource) {
    this.#source = source
  }

  async read(request: Parameters<UsageSource['read']>[0]): Promise<UsageReading> {
    const startedMs = performance.now()
    const reading = await this.#source.read(request)
    const seconds = (performance.now() - startedMs) / 1000
    const { series, ...rest } = reading
    this.last = { reading: rest, series: series.length, seconds }
    this.readPeakMiB = peakMiB()
    return reading
  }

  close(): Promise<void> {
    return this.#source.close()
  }
}

/** Reads the source and gives every maximum to a workload. */
function reading(source: Measured, { days, workloads, nowMs }: Order): Work {
  const records = [...rawPods(workloads, nowMs - (days + 1) * DAY_MS)].flatMap(
    (raw) => readPodRecord(raw) ?? []
  )
  const nodes = rawNodes(workloads).flatMap((raw) => readNode(raw) ?? [])
  const memory = new PodMemory()
  return async (atMs) => {
    const { series } = await source.read({ nowMs: atMs, lookbackDays: days })
    const startedMs = performance.now()
    const { histories } = attribute({
      series,
      pods: memory.update(records, () => undefined, atMs),
      ownersOf: [],
      nodes: nodes.map(knownNodeOf),
      nowMs: atMs
    })
    return cycleOf(source, (performance.now() - startedMs) / 1000, histories.length)
  }
}

/** The controller's whole refresh, over a cluster in memory. */
function refreshing(source: Measured, { days, workloads, nowMs }: Order): Work {
  const rig = new Rig({ source })
  for (const raw of rawNodes(workloads)) rig.addNode(raw)
  for (const raw of rawPods(workloads, nowMs - (days + 1) * DAY_MS)) {
    const record = readPodRecord(raw)
    if (record !== undefined) rig.stores.pods.set(record.namespace, record.name, record)
  }
  const clock = { nowMs: () => nowMs, steadyMs: () => nowMs, sleep: () => Promise.resolve() }
  let now = nowMs
  const refresh = new Refresh({
    source,
    stores: rig.stores,
    writer: rig.writer,
    settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
    refreshMs: 300_000,
    forgetAfterMs: 3 * DAY_MS,
    clock: { ...clock, nowMs: () => now },
    random: () => 0.5,
    log: rig.log,
    metrics: rig.metrics
  })
  return async (atMs) => {
    now = atMs
    const startedMs = performance.now()
    const report = await refresh.once(new AbortController().signal)
    const seconds = (performance.now() - startedMs) / 1000 - (source.last?.seconds ?? 0)
    return cycleOf(source, seconds, report.workloads)
  }
}

function cycleOf({ last, readPeakMiB }: Measured, afterSeconds: number, workloads: number): Cycle {
  if (last === undefined) throw new Error('nothing was read')
  const { reading, series, seconds } = last
  const { queries, bytes } = reading.cost
  const { status } = reading
  return {
    status,
    seconds,
    queries,
    bytes,
    series,
    readPeakMiB,
    afterSeconds,
    peakMiB: peakMiB(),
    workloads
  }
}

/** Rounds of scraping every exporter, one a day until today, so that each later cycle has as many days as a reading. */
async function scraping({ url, nowMs, days, workloads }: Order): Promise<Work> {
  const targets = Array.from({ length: nodeCount(workloads) }, (_, node) => ({
    url: `${url}/${node}`,
    node: `gpu-node-${node}`
  }))
  const source = openScraping({ targets: () => targets })
  for (let day = days - 1; day > 0; day -= 1) await source.scrape(nowMs - day * DAY_MS)
  await source.read({ nowMs: nowMs - DAY_MS, lookbackDays: days })
  const measured = new Measured(source)
  const read = reading(measured, { what: 'scrape', url, nowMs, days, workloads })
  return async (atMs) => {
    const startedMs = performance.now()
    await source.scrape(atMs)
    const seconds = (performance.now() - startedMs) / 1000
    return { ...(await read(atMs)), seconds }
  }
}

async function workOf(order: Order): Promise<Work> {
  if (order.what === 'scrape') return await scraping(order)
  const source = new Measured(openPrometheus({ url: order.url }))
  return order.what === 'read' ? reading(source, order) : refreshing(source, order)
}

/** Runs a cycle for each message, which is the time that has passed, ms; ends when the parent lets go. */
async function runChild(order: Order): Promise<void> {
  const work = await workOf(order)
  process.on('message', (laterMs) => {
    work(order.nowMs + Number(laterMs)).then(
      (cycle) => process.send?.(cycle),
      (error: unknown) => process.send?.({ status: String(error) })
    )
  })
  process.send?.('ready')
  await once(process, 'disconnect')
  process.exit(0)
}

const [order] = process.argv.slice(2)
if (order !== undefined) await runChild(JSON.parse(order))
