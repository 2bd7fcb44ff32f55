import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Test } from 'tap'
import { fieldAt, type JsonRecord } from '../../../src/core/json.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { startBalancer } from '../balancer.ts'
import { untilPublished } from '../certificates/load.ts'
import { barePod } from '../objects.ts'
import {
  installBase,
  installConfigurations,
  type Product,
  startController,
  startManagedWebhook,
  writeHistory
} from '../product.ts'
import { openLateWay } from './late-way.ts'
import { PodHistory } from './pod-history.ts'

/** A cluster with the product as it is run: two replicas of the webhook behind a balancer, and a controller. */
export interface FleetStage {
  readonly bed: Bed
  readonly webhooks: readonly Product[]
  readonly history: PodHistory
  /** Starts a controller; every one of a stage goes by the same clock. */
  controller(): Promise<Product>
  /** What webhooks are told of the cluster comes so many ms late. */
  setDelay(ms: number): void
  /** Sets the wall clocks of all processes of the product so many ms forth, further than before, and waits until they go by it. */
  setClock(ms: number): Promise<void>
}

const REPLICAS = 2

/** Sets the stage, and has `t` strike it. Nothing is known of any workload, and no policy is there. */
export async function setFleetStage(t: Test, bed: Bed): Promise<FleetStage> {
  await installBase(bed)
  const way = await openLateWay(Number(new URL(bed.url).port))
  t.teardown(() => way.close())
  const clockFile = join(bed.directory, 'fleet-clock')
  await writeFile(clockFile, '0')
  const env = clockOf(clockFile)
  const kubeconfig = await throughWay(bed, way.port)
  const webhooks = await Promise.all(
    Array.from({ length: REPLICAS }, () =>
      startManagedWebhook(bed, { ...env, RIGHTSLICE_KUBECONFIG: kubeconfig }, isNoReview)
    )
  )
  for (const webhook of webhooks) t.teardown(() => webhook.stop('SIGKILL'))
  const balancer = await startBalancer(webhooks.map(({ url }) => Number(new URL(url).port)))
  t.teardown(() => balancer.close())
  await installConfigurations(bed, balancer.port)
  await untilPublished(bed)
  let processes = REPLICAS
  const history = new PodHistory(bed)
  t.teardown(() => history.close())
  return {
    bed,
    webhooks,
    history,
    controller: async () => {
      const controller = await startController(bed, { ...env, RIGHTSLICE_REFRESH_SECONDS: '86400' })
      t.teardown(() => controller.stop('SIGKILL'))
      processes = REPLICAS + 1
      return controller
    },
    setDelay: (ms) => way.setDelay(ms),
    setClock: async (ms) => {
      await writeFile(clockFile, String(ms))
      await until(`${processes} processes go by the new time`, async () => {
        return (await readersOf(clockFile, ms)) >= processes
      })
    }
  }
}

/** How many processes have read this of the file. */
async function readersOf(file: string, ms: number): Promise<number> {
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(`${basename(file)}.`))
  const said = await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'utf8')))
  return said.filter((text) => text === String(ms)).length
}

/** A process that goes by a wall clock of ours. */
function clockOf(file: string): Readonly<Record<string, string>> {
  const clock = new URL('../moved-clock.ts', import.meta.url)
  return { NODE_OPTIONS: `--import=${clock.href}`, BED_CLOCK_FILE: file, BED_CLOCK: 'wall' }
}

/** A kubeconfig of the webhook that leads through the way. */
async function throughWay(bed: Bed, port: number): Promise<string> {
  const file = join(bed.directory, 'late.kubeconfig')
  const straight = await readFile(bed.kubeconfig('webhook'), 'utf8')
  await writeFile(file, straight.replace(/https:\/\/127\.0\.0\.1:\d+/, `https://127.0.0.1:${port}`), {
    mode: 0o600
  })
  return file
}

/** Lines about single reviews are many, and say here what the pods say. */
function isNoReview(entry: JsonRecord): boolean {
  return !['pod reviewed', 'review judged'].includes(String(entry['msg']))
}

/** A namespace whose pods are rewritten. */
export async function enforced(bed: Bed, name: string, labels: Readonly<Record<string, string>> = {}) {
  await createNamespace(bed, name, { labels: { 'rightslice.dev/rightsize': 'enforce', ...labels } })
}

/** A Deployment with so many replicas. */
export function replicated(deployment: JsonRecord, replicas: number): JsonRecord {
  return { ...deployment, spec: { ...Object(deployment['spec']), replicas } }
}

/** So often in a row one and the same answer means that every replica gives it. */
const IN_A_ROW = REPLICAS * 3

/** Waits until every replica of the webhook decides so about a bare pod `probe` of the namespace, whose peak is written here. */
export async function untilAllHeard(
  bed: Bed,
  { namespace, reason, peakMemory }: { namespace: string; reason: string; peakMemory: string }
): Promise<void> {
  await writeHistory(bed, { namespace, kind: 'Pod', name: 'probe', peakMemory })
  let inARow = 0
  await until(`every replica decides ${reason} in ${namespace}`, async () => {
    const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`
    const { body } = await bed.request('POST', path, barePod('probe'))
    const isSo = fieldAt(body, 'metadata', 'annotations', 'rightslice.dev/decision') === reason
    inARow = isSo ? inARow + 1 : 0
    return inARow >= IN_A_ROW
  })
}
