import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { findPrometheus } from './binaries.ts'
import { watchOver } from './cleanup.ts'
import { startComponent } from './component.ts'
import { freePorts } from './free-ports.ts'
import type { PrometheusPaths } from './program-group.ts'
import { until } from './until.ts'

const run = promisify(execFile)

/** A running Prometheus on loopback that holds what it was given. */
export interface BedPrometheus {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly pid: number
  /** Stops it and keeps its data; `resume` brings it back on the same port. */
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
  /** Adds past data; seen after `resume`, or a minute later when it runs. */
  readonly backfill: (openMetrics: AsyncIterable<string> | Iterable<string>) => Promise<void>
  /** Stops it and removes its data; further calls give the same promise. */
  readonly stop: () => Promise<void>
}

/** How a Prometheus is started. */
export interface PrometheusOptionsOfBed {
  /** By default `findPrometheus` gets them. */
  readonly binaries?: PrometheusPaths
  /** Addresses scraped every second, `127.0.0.1:PORT`; each under the job `dcgm`. */
  readonly targets?: readonly string[]
  /** Past data in the OpenMetrics text format, with timestamps; the end mark is added. */
  readonly past?: AsyncIterable<string> | Iterable<string>
  readonly args?: readonly string[]
}

/** Longest time for past data to become blocks, ms. */
const BACKFILL_TIMEOUT_MS = 30 * 60_000

/**
 * Starts Prometheus with past data already in it.
 * @throws Error when the programs are missing, or with the end of its log when it ends early
 */
export async function startPrometheus(options: PrometheusOptionsOfBed = {}): Promise<BedPrometheus> {
  const paths = options.binaries ?? (await foundPaths())
  const directory = await mkdtemp(join(tmpdir(), 'rightslice-prometheus-'))
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  let component: Awaited<ReturnType<typeof startComponent>> | undefined
  const pause = async (): Promise<void> => component?.stop()
  const cleanup = watchOver(directory, pause)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= pause().then(() => cleanup.done())
    return stopped
  }
  const dataDirectory = join(directory, 'data')
  const backfill = async (past: AsyncIterable<string> | Iterable<string>): Promise<void> => {
    const file = join(directory, 'past.om')
    await writeFile(file, withEnd(past))
    const args = [
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      '--quiet',
      '--max-block-duration=400h',
      file,
      dataDirectory
    ]
    await run(paths.promtool, args, { timeout: BACKFILL_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 })
    await writeFile(file, '')
  }
  const resume = async (): Promise<void> => {
    const args = [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${dataDirectory}`,
      '--storage.tsdb.retention.time=10y',
      `--web.listen-address=127.0.0.1:${port}`,
      ...(options.args ?? [])
    ]
    const started = await startComponent(
      { name: 'prometheus', file: paths.prometheus, args, directory },
      cleanup
    )
    component = started
    await until(
      'Prometheus ready',
      async () => {
        const obituary = started.obituary()
        if (obituary !== undefined) throw new Error(obituary)
        return (await fetch(`${url}/-/ready`)).ok
      },
      60_000
    )
  }
  try {
    await mkdir(dataDirectory)
    await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(configuration(options.targets ?? [])))
    if (options.past !== undefined) await backfill(options.past)
    await resume()
  } catch (error) {
    await stop()
    throw error
  }
  const pid = (): number => component?.pid ?? 0
  return {
    url,
    get pid() {
      return pid()
    },
    pause,
    resume,
    backfill,
    stop
  }
}

/** Runs `work` as the test `name` with the programs of Prometheus; without them it is skipped loudly, and fails with CI set. */
export function prometheusTest(
  t: Test,
  name: string,
  work: (t: Test, binaries: PrometheusPaths) => Promise<void>
): Promise<unknown> {
  t.setTimeout(40 * 60_000)
  return findPrometheus().then((found) => {
    t.setTimeout(5 * 60_000)
    if (found.kind === 'found') {
      return t.test(name, { timeout: 5 * 60_000 }, (tt) => work(tt, found.paths))
    }
    if (process.env['CI']) return t.test(name, async (tt) => void tt.fail(found.how))
    process.stderr.write(`\nSKIPPED: ${name}: ${found.how}\n\n`)
    return t.test(name, { skip: found.how }, () => undefined)
  })
}

async function foundPaths(): Promise<PrometheusPaths> {
  const found = await findPrometheus()
  if (found.kind === 'missing') throw new Error(found.how)
  return found.paths
}

/** JSON is YAML. The exporters' labels are renamed to `exported_*`, as with the operator's default. */
function configuration(targets: readonly string[]): unknown {
  const labels = {
    namespace: 'gpu-operator',
    pod: 'nvidia-dcgm-exporter-bed',
    container: 'nvidia-dcgm-exporter'
  }
  const job = {
    job_name: 'dcgm',
    scrape_interval: '1s',
    scrape_timeout: '1s',
    static_configs: [{ targets, labels }]
  }
  return { scrape_configs: targets.length === 0 ? [] : [job] }
}

async function* withEnd(past: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* past
  yield '# EOF\n'
}
