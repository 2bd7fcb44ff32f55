import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldAt, type JsonRecord, stringOf } from '../../src/core/json.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { deployedEnv } from '../build/deployed-env.ts'
import { type Product, startManagedWebhook } from '../e2e/product.ts'

/** A process of the webhook whose wall clock can be set. */
export interface Replica extends Product {
  readonly port: number
  /** Sets its wall clock so many ms forth, or back. */
  setClock(offsetMs: number): Promise<void>
}

/** How replicas run. */
export interface ReplicaSettings {
  /** Port of 127.0.0.1 on which they reach the API server. */
  readonly apiPort: number
  /** How long they go on answering after SIGTERM. */
  readonly drainSeconds: number
  /** Whether they look after certificates twice a second, so that a change of authorities takes seconds; see hasty-keeper.ts. */
  readonly isHasty: boolean
}

/** Starts replicas one after the other, each with a clock of its own, and waits until it is ready. */
export class ReplicaStarter {
  readonly #bed: Bed
  readonly #settings: ReplicaSettings
  #count = 0

  constructor(bed: Bed, settings: ReplicaSettings) {
    this.#bed = bed
    this.#settings = settings
  }

  /** A process that answers; nobody may believe its certificate yet. */
  async start(): Promise<Replica> {
    this.#count += 1
    const { apiPort, drainSeconds, isHasty } = this.#settings
    const { directory } = this.#bed
    const clockFile = join(directory, `clock-${this.#count}`)
    const kubeconfig = join(directory, `replica-${this.#count}.kubeconfig`)
    await writeFile(clockFile, '0')
    const toServer = await readFile(this.#bed.kubeconfig('webhook'), 'utf8')
    await writeFile(
      kubeconfig,
      toServer.replace(/https:\/\/127\.0\.0\.1:\d+/, `https://127.0.0.1:${apiPort}`),
      {
        mode: 0o600
      }
    )
    const product = await startManagedWebhook(
      this.#bed,
      {
        RIGHTSLICE_KUBECONFIG: kubeconfig,
        RIGHTSLICE_DRAIN_SECONDS: String(drainSeconds),
        RIGHTSLICE_DRIFT_CHECK_SECONDS: '60',
        ...processEnv(isHasty),
        BED_CLOCK_FILE: clockFile,
        BED_CLOCK: 'wall'
      },
      isNoReview
    )
    return {
      ...product,
      port: Number(new URL(product.url).port),
      setClock: (offsetMs) => writeFile(clockFile, String(offsetMs))
    }
  }
}

/** What Node and its allocator are told by the manifest of the webhook, and what is loaded before it. */
function processEnv(isHasty: boolean): Readonly<Record<string, string>> {
  const { NODE_OPTIONS: shipped, ...rest } = deployedEnv('webhook')
  const clock = new URL('../e2e/moved-clock.ts', import.meta.url)
  const hasty = new URL('hasty-keeper.ts', import.meta.url)
  const preloaded = isHasty ? [clock, hasty] : [clock]
  const options = [shipped, ...preloaded.map(({ href }) => `--import=${href}`)]
  return { ...rest, NODE_OPTIONS: options.join(' ') }
}

/** Lines about single reviews are many and say here what the answers say. */
function isNoReview(entry: JsonRecord): boolean {
  return !['pod reviewed', 'review judged'].includes(stringOf(entry, 'msg') ?? '')
}

/** Longest wait for a replica to be ready, ms; a busy machine takes its time. */
const READY_MS = 60_000

/** Waits until a replica says that it is ready. */
export async function untilReady({ healthUrl }: Replica): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    const answer = await fetch(`${healthUrl}/readyz`, { headers: { connection: 'close' } })
    return fieldAt(await answer.json(), 'ready') === true
  }
  await until('the replica is ready', isReady, READY_MS)
}

/** Lines of a replica's log with this message. */
export function linesOf({ log }: Replica, message: string): readonly JsonRecord[] {
  return log.filter((entry) => stringOf(entry, 'msg') === message)
}

/** The page of metrics of a replica. */
export async function metricsOf({ healthUrl }: Replica): Promise<string> {
  return await (await fetch(`${healthUrl}/metrics`, { headers: { connection: 'close' } })).text()
}

/** Sum of a metric of a replica over all its labels. */
export async function metricOf(replica: Replica, name: string): Promise<number> {
  return sumOf(await metricsOf(replica), name)
}

/** Sum of a metric in a page of Prometheus' text format, over all its series whose labels hold `labels`. */
export function sumOf(page: string, name: string, labels = ''): number {
  return page
    .split('\n')
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
