import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPrometheus } from '../bed/prometheus.ts'
import { openMetrics } from '../bed/prometheus-past.ts'
import { deployedEnv } from '../build/deployed-env.ts'
import type { Cycle } from './refresh-child.ts'
import { exporterPage, past } from './refresh-fleet.ts'
import { type Figure, renderFigures, writeFigures } from './report.ts'

const usage = `Usage: npm run bench:refresh -- [--workloads 5000] [--days 14] [--every 1800] [--json FILE]

Fills a real Prometheus with the GPU memory and activity of many workloads, one sample every so many seconds, and reads it as the
controller does: first everything, then only what can have changed. Measures reading with attribution, the whole refresh over a
cluster in memory, and direct scraping of an exporter a node, each in a process of its own with what the manifest of the
controller tells Node and its allocator. Time includes that of Prometheus.`

const DAY_MS = 86_400_000

/** What a run is about. */
interface Scale {
  readonly workloads: number
  readonly days: number
  readonly nowMs: number
}

/** Three cycles of one kind of work, a minute apart. */
type Cycles = readonly [first: Cycle, second: Cycle, third: Cycle]

async function cyclesOf(what: 'read' | 'refresh' | 'scrape', url: string, scale: Scale): Promise<Cycles> {
  const file = fileURLToPath(new URL('refresh-child.ts', import.meta.url))
  const child = fork(file, [JSON.stringify({ what, url, ...scale })], {
    env: { ...process.env, ...deployedEnv('controller') },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  try {
    await nextMessage(child)
    const first = await cycle(child, 0)
    const second = await cycle(child, 60_000)
    const cycles = [first, second, await cycle(child, 120_000)] as const
    for (const { status, series } of cycles) {
      if (status !== 'complete' || series !== 2 * scale.workloads)
        throw new Error(`${what}: a cycle ended as ${status} with ${series} of ${2 * scale.workloads} series`)
    }
    return cycles
  } finally {
    child.disconnect()
  }
}

async function cycle(child: ChildProcess, laterMs: number): Promise<Cycle> {
  child.send(laterMs)
  return (await nextMessage(child)) as Cycle // what refresh-child.ts sends
}

/** @throws when the child ends before it says anything */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the child ended: ${code}`)))
  const [message]: unknown[] = await Promise.race([once(child, 'message'), ended])
  return message
}

async function benchPrometheus(scale: Scale, everyMs: number): Promise<readonly Figure[]> {
  const { workloads, days, nowMs } = scale
  const fromMs = nowMs - DAY_MS / 2 - (days - 1) * DAY_MS
  const filling = performance.now()
  const prometheus = await startPrometheus({
    past: openMetrics(past(workloads), { fromMs, toMs: nowMs, everyMs })
  })
  try {
    console.error(`filled in ${Math.round((performance.now() - filling) / 1000)} s`)
    const read = await cyclesOf('read', prometheus.url, scale)
    const prometheusMiB = peakOf(prometheus.pid)
    const refresh = await cyclesOf('refresh', prometheus.url, scale)
    return [
      ...readFigures(read),
      { name: 'peak memory of Prometheus', value: prometheusMiB, unit: 'MiB' },
      ...refreshFigures(refresh)
    ]
  } finally {
    await prometheus.stop()
  }
}

function readFigures([first, second, third]: Cycles): readonly Figure[] {
  return [
    { name: 'first cycle', value: first.seconds, unit: 's', comparison: '<=', goal: 60 },
    { name: 'first cycle: queries', value: first.queries, unit: '' },
    { name: 'first cycle: answers', value: first.bytes / 2 ** 20, unit: 'MiB' },
    { name: 'second cycle', value: second.seconds, unit: 's' },
    { name: 'second cycle: queries', value: second.queries, unit: '' },
    { name: 'second cycle: answers', value: second.bytes / 2 ** 20, unit: 'MiB' },
    { name: 'third cycle', value: third.seconds, unit: 's' },
    ratio('second over first: time', second.seconds / first.seconds),
    ratio('second over first: bytes', second.bytes / first.bytes),
    memory('peak memory of the first reading', first.readPeakMiB, 300),
    { name: 'attribution', value: first.afterSeconds, unit: 's' },
    memory('peak memory of reading and attribution', third.peakMiB, 300)
  ]
}

function refreshFigures([first, second, third]: Cycles): readonly Figure[] {
  const whole = ({ seconds, afterSeconds }: Cycle): number => seconds + afterSeconds
  return [
    { name: 'whole refresh, first', value: whole(first), unit: 's', comparison: '<=', goal: 60 },
    { name: 'whole refresh, second', value: whole(second), unit: 's' },
    { name: 'whole refresh, second: without the reading', value: second.afterSeconds, unit: 's' },
    memory('peak memory of the whole refresh, the cluster in memory included', third.peakMiB)
  ]
}

async function benchScraping(scale: Scale): Promise<readonly Figure[]> {
  const server = await startExporters(scale)
  try {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the exporters do not listen')
    const [first, second, third] = await cyclesOf('scrape', `http://127.0.0.1:${address.port}`, scale)
    return [
      { name: 'direct scraping: one round', value: second.seconds, unit: 's', comparison: '<=', goal: 30 },
      { name: 'direct scraping: pages a round', value: second.queries, unit: '' },
      { name: 'direct scraping: bytes a round', value: second.bytes / 2 ** 20, unit: 'MiB' },
      { name: 'direct scraping: attribution', value: first.afterSeconds, unit: 's' },
      memory('peak memory of direct scraping and attribution', third.peakMiB, 300)
    ]
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** One server for the exporters of all nodes: `/7` is the page of node 7. */
async function startExporters({ workloads }: Scale): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end(exporterPage(Number(request.url?.slice(1)), workloads, 12))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function ratio(name: string, value: number): Figure {
  return { name, value, unit: 'x', comparison: '<=', goal: 0.25 }
}

function memory(name: string, value: number, goal?: number): Figure {
  return goal === undefined
    ? { name, value, unit: 'MiB' }
    : { name, value, unit: 'MiB', comparison: '<=', goal }
}

/** Highest resident memory of a process, MiB; 0 where the system does not tell. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const { values } = parseArgs({
  options: {
    workloads: { type: 'string', default: '5000' },
    days: { type: 'string', default: '14' },
    every: { type: 'string', default: '1800' },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})
if (values.help === true) console.log(usage)
else {
  const nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2
  const scale = { workloads: Number(values.workloads), days: Number(values.days), nowMs }
  const result = [
    ...(await benchPrometheus(scale, Number(values.every) * 1000)),
    ...(await benchScraping(scale))
  ]
  console.log(renderFigures(result))
  if (values.json !== undefined) writeFigures(values.json, result)
}
