import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fieldOf } from '../../src/core/json.ts'
import { openPrometheus } from '../../src/prometheus/prometheus-source.ts'
import { startPrometheus } from '../bed/prometheus.ts'
import { openMetrics, type PastMetric } from '../bed/prometheus-past.ts'
import { type Figure, renderFigures, writeFigures } from './report.ts'

const usage = `Usage: npm run bench:refresh -- [--workloads 5000] [--days 14] [--every 1800] [--json FILE]

Fills a real Prometheus with the GPU memory and activity of many workloads, one sample every so many seconds, and reads it as the
controller does: first everything, then only what can have changed. Time includes that of Prometheus.`

const DAY_MS = 86_400_000
const NAMESPACES = 50

/** One in this many pods shares its GPU with the one before it. */
const SHARED_EVERY = 10

/** How the past looks: every workload has one pod on one GPU of an 8-GPU node. */
function past(workloads: number): readonly PastMetric[] {
  const labelsOf = (index: number): Readonly<Record<string, string>> => {
    const gpu = index % SHARED_EVERY === 1 ? index - 1 : index
    return {
      gpu: String(gpu % 8),
      UUID: `GPU-${gpu.toString(16).padStart(8, '0')}-0000-4000-8000-00000000abcd`,
      device: `nvidia${gpu % 8}`,
      modelName: 'NVIDIA H100 80GB HBM3',
      Hostname: `gpu-node-${Math.floor(gpu / 8)}`,
      namespace: 'gpu-operator',
      pod: `nvidia-dcgm-exporter-${Math.floor(gpu / 8)}`,
      container: 'nvidia-dcgm-exporter',
      exported_namespace: `team-${index % NAMESPACES}`,
      exported_pod: `workload-${index}-7c9d8f6b5d-x2k4p`,
      exported_container: 'main'
    }
  }
  const series = (at: (index: number, hour: number) => number): PastMetric['series'] =>
    Array.from({ length: workloads }, (_, index) => ({
      labels: labelsOf(index),
      at: (timeMs) => at(index, Math.floor(timeMs / 3_600_000))
    }))
  return [
    {
      name: 'DCGM_FI_DEV_FB_USED',
      series: series((index, hour) => 2000 + ((index * 7919) % 60_000) + ((hour * 37) % 500))
    },
    {
      name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
      series: series((index, hour) => ((index * 31 + hour) % 100) / 100)
    }
  ]
}

/** What one cycle cost, as the child tells it. */
interface Cycle {
  readonly seconds: number
  readonly queries: number
  readonly bytes: number
  readonly series: number
  readonly status: string
  readonly peakMiB: number
}

/** The reader, in a process of its own so that its memory is its own: `refresh-bench.ts --reader URL NOW DAYS`. */
async function runReader(url: string, nowMs: number, lookbackDays: number): Promise<void> {
  const source = openPrometheus({ url })
  process.on('message', (message) => {
    const started = performance.now()
    source.read({ nowMs: nowMs + Number(message), lookbackDays }).then(
      ({ cost, series, status }) => {
        const seconds = (performance.now() - started) / 1000
        const peakMiB = process.resourceUsage().maxRSS / 1024
        process.send?.({ seconds, ...cost, series: series.length, status, peakMiB })
      },
      (error: unknown) => process.send?.({ status: String(error) })
    )
  })
  process.send?.('ready')
  await once(process, 'disconnect')
  await source.close()
}

async function cycle(reader: ChildProcess, laterMs: number): Promise<Cycle> {
  reader.send(laterMs)
  const [message]: unknown[] = await once(reader, 'message')
  const number = (key: string): number => Number(fieldOf(message, key))
  return {
    seconds: number('seconds'),
    queries: number('queries'),
    bytes: number('bytes'),
    series: number('series'),
    peakMiB: number('peakMiB'),
    status: String(fieldOf(message, 'status'))
  }
}

/** Reads everything once and then again, and says what each cycle cost. */
async function benchRefresh(workloads: number, days: number, everyMs: number): Promise<readonly Figure[]> {
  const nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2
  const fromMs = nowMs - DAY_MS / 2 - (days - 1) * DAY_MS
  const filling = performance.now()
  const prometheus = await startPrometheus({
    past: openMetrics(past(workloads), { fromMs, toMs: nowMs, everyMs })
  })
  try {
    console.error(`filled in ${Math.round((performance.now() - filling) / 1000)} s`)
    const args = ['--reader', prometheus.url, String(nowMs), String(days)]
    const reader = fork(fileURLToPath(import.meta.url), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
    await once(reader, 'message')
    const first = await cycle(reader, 0)
    const second = await cycle(reader, 60_000)
    const third = await cycle(reader, 120_000)
    reader.disconnect()
    return figures({ first, second, third, prometheusMiB: peakOf(prometheus.pid) }, workloads)
  } finally {
    await prometheus.stop()
  }
}

function figures(
  {
    first,
    second,
    third,
    prometheusMiB
  }: Record<'first' | 'second' | 'third', Cycle> & { prometheusMiB: number },
  workloads: number
): readonly Figure[] {
  for (const { status, series } of [first, second, third]) {
    if (status !== 'complete' || series !== 2 * workloads) {
      throw new Error(`a cycle ended as ${status} with ${series} of ${2 * workloads} series`)
    }
  }
  const peakMiB = Math.max(first.peakMiB, second.peakMiB, third.peakMiB)
  return [
    { name: 'first cycle', value: first.seconds, unit: 's', comparison: '<=', goal: 60 },
    { name: 'first cycle: queries', value: first.queries, unit: '' },
    { name: 'first cycle: answers', value: first.bytes / 2 ** 20, unit: 'MiB' },
    { name: 'second cycle', value: second.seconds, unit: 's' },
    { name: 'second cycle: queries', value: second.queries, unit: '' },
    { name: 'second cycle: answers', value: second.bytes / 2 ** 20, unit: 'MiB' },
    { name: 'third cycle', value: third.seconds, unit: 's' },
    {
      name: 'second over first: time',
      value: second.seconds / first.seconds,
      unit: 'x',
      comparison: '<=',
      goal: 0.25
    },
    {
      name: 'second over first: bytes',
      value: second.bytes / first.bytes,
      unit: 'x',
      comparison: '<=',
      goal: 0.25
    },
    { name: 'peak memory of the reader', value: peakMiB, unit: 'MiB', comparison: '<=', goal: 300 },
    { name: 'peak memory of Prometheus', value: prometheusMiB, unit: 'MiB' }
  ]
}

/** Highest resident memory of a process, MiB; 0 where the system does not tell. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

if (process.argv[2] === '--reader') {
  const [url = '', nowMs, days] = process.argv.slice(3)
  await runReader(url, Number(nowMs), Number(days))
} else {
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
    const result = await benchRefresh(
      Number(values.workloads),
      Number(values.days),
      Number(values.every) * 1000
    )
    console.log(renderFigures(result))
    if (values.json !== undefined) writeFigures(values.json, result)
  }
}
