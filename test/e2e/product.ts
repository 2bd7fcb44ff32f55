import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { fieldAt, fieldOf, isRecord, type JsonRecord, stringOf } from '../../src/core/json.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { bodyOf, MERGE_PATCH } from '../bed/api-client.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { exposeWebhook } from '../bed/webhook-service.ts'

const root = new URL('../../', import.meta.url)

/** Whether a line of a log is kept. */
type KeepsLine = (entry: JsonRecord) => boolean

/** A process of the product; the webhook's is installed as shipped: CRDs, permissions and webhook configuration of `manifests/base`. */
export interface Product {
  readonly url: string
  readonly healthUrl: string
  /** Lines of its log so far, parsed. */
  readonly log: readonly JsonRecord[]
  /** Ends the process and resolves with its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Objects of a manifest file. */
export async function manifestObjects(file: string): Promise<readonly JsonRecord[]> {
  const text = await readFile(new URL(`manifests/${file}`, root), 'utf8')
  return parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS()
    return isRecord(value) ? [value] : []
  })
}

/** Installs namespace, CRDs and the permissions of the webhook into a bed, but neither webhook nor policies. */
export async function installBase(bed: Bed): Promise<void> {
  await installed(bed, 'base/namespace.yaml', 'base/crd.yaml', 'base/rbac.yaml')
  await untilServed(bed)
}

/**
 * Starts a webhook process that keeps its certificates itself, with the permissions of the manifests alone.
 * @param keeps which lines of its log are kept; default all, which is much where many pods are created
 */
export function startManagedWebhook(
  bed: Bed,
  env: Readonly<Record<string, string>> = {},
  keeps?: KeepsLine
): Promise<Product> {
  return startWebhookProcess(bed, { RIGHTSLICE_CERTIFICATES: 'managed', ...env }, keeps)
}

/** Installs the shipped webhook configurations for a webhook on this port; without `caPem` it has to put in its own bundle. */
export async function installConfigurations(bed: Bed, port: number, caPem?: string): Promise<void> {
  const exposed = await exposeWebhook(bed, { port })
  for (const file of ['base/webhook.yaml', 'base/webhook-validating.yaml'])
    for (const shipped of await manifestObjects(file)) await exposed.install(shipped, caPem)
}

/** Installs the product into a bed and starts its webhook process with the permissions of the manifests alone. */
export async function startProduct(bed: Bed): Promise<Product> {
  await installBase(bed)
  await installed(bed, 'base/admission-policies.yaml')
  const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs: Date.now(), validDays: 1 }
  const { caPem, certPem, keyPem } = await makeCertificates(order)
  const files = { cert: join(bed.directory, 'webhook.crt'), key: join(bed.directory, 'webhook.key') }
  await writeFile(files.cert, certPem)
  await writeFile(files.key, keyPem, { mode: 0o600 })
  const product = await startWebhookProcess(bed, {
    RIGHTSLICE_TLS_CERT_FILE: files.cert,
    RIGHTSLICE_TLS_KEY_FILE: files.key
  })
  await installConfigurations(bed, Number(new URL(product.url).port), caPem)
  return product
}

async function installed(bed: Bed, ...files: readonly string[]): Promise<void> {
  for (const file of files) {
    const path = fileURLToPath(new URL(`manifests/${file}`, root))
    const { code, stderr } = await bed.kubectl(['apply', '-f', path])
    if (code !== 0) throw new Error(`kubectl apply -f ${file}: ${stderr}`)
  }
}

async function untilServed(bed: Bed): Promise<void> {
  for (const plural of ['gpupolicies', 'gpuworkloads']) {
    const path = `/apis/rightslice.dev/v1alpha1/${plural}`
    await until(`${plural} are served`, async () => (await bed.request('GET', path)).status === 200)
  }
}

function startWebhookProcess(
  bed: Bed,
  env: Readonly<Record<string, string>>,
  keeps: KeepsLine = () => true
): Promise<Product> {
  const usual = {
    RIGHTSLICE_LISTEN_PORT: '0',
    RIGHTSLICE_KUBECONFIG: bed.kubeconfig('webhook'),
    RIGHTSLICE_DRAIN_SECONDS: '0'
  }
  return startProcess('webhook', { awaited: 'url', env: { ...usual, ...env }, keeps })
}

/** Gives the controller the permissions of the manifests and starts its process with them alone; `url` of it is ''. */
export async function startController(bed: Bed, env: Readonly<Record<string, string>>): Promise<Product> {
  await installed(bed, 'base/controller-rbac.yaml')
  const kubeconfig = { RIGHTSLICE_KUBECONFIG: bed.kubeconfig('controller') }
  return await startProcess('controller', {
    awaited: 'healthUrl',
    env: { ...kubeconfig, ...env },
    keeps: () => true
  })
}

/** Longest start on a machine that is busy with other tests, ms. */
const START_MS = 60_000

interface ProcessOrder {
  readonly awaited: 'url' | 'healthUrl'
  readonly env: Readonly<Record<string, string>>
  readonly keeps: KeepsLine
}

/** Starts a process of the product and waits until its log tells `awaited`. */
async function startProcess(
  command: 'webhook' | 'controller',
  { awaited, env, keeps }: ProcessOrder
): Promise<Product> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('src/cli.ts', root)), command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, RIGHTSLICE_LISTEN_HOST: '127.0.0.1', RIGHTSLICE_HEALTH_PORT: '0', ...env }
  })
  const log: JsonRecord[] = []
  const told: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => told.push(line))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry: unknown = line.startsWith('{') ? JSON.parse(line) : { msg: line }
    if (isRecord(entry) && keeps(entry)) log.push(entry)
  })
  const find = (key: string): string | undefined =>
    log.map((entry) => stringOf(entry, key)).find((value) => value !== undefined)
  const listens = (): boolean => {
    if (child.exitCode !== null)
      throw new Error(`the ${command} ended with code ${child.exitCode}: ${told.join('\n')}`)
    return find(awaited) !== undefined
  }
  await until(`the ${command} listens`, listens, START_MS)
  return {
    url: find('url') ?? '',
    healthUrl: find('healthUrl') ?? '',
    log,
    stop: (signal) => stopProcess(child, signal)
  }
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
  return child.exitCode
}

/** Creates an object, as kubectl with server-side validation does, and waits until the webhook has heard of it. */
export async function create(bed: Bed, object: JsonRecord, namespace = 'default'): Promise<void> {
  const { code, stderr } = await bed.kubectl(['create', '-n', namespace, '-f', '-'], {
    input: JSON.stringify(object)
  })
  if (code !== 0) throw new Error(stderr)
}

/** What is known of one container of a workload, as the controller will write it. */
export interface History {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly container?: string
  readonly peakMemory: string
  readonly coverage?: string
}

/** Writes a GpuWorkload with its status. */
export async function writeHistory(
  bed: Bed,
  { namespace, kind, name, container = 'main', peakMemory, coverage = '14d' }: History
): Promise<void> {
  const path = `/apis/rightslice.dev/v1alpha1/namespaces/${namespace}/gpuworkloads`
  const own = `${kind.toLowerCase()}-${name}`
  const object = {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuWorkload',
    metadata: { name: own },
    spec: { workloadRef: { kind, name } }
  }
  bodyOf(await bed.request('POST', path, object), `create GpuWorkload ${own}`)
  const status = { status: { containers: [{ name: container, peakMemory, history: { coverage } }] } }
  bodyOf(
    await bed.request('PATCH', `${path}/${own}/status`, status, MERGE_PATCH),
    `status of GpuWorkload ${own}`
  )
}

/**
 * Waits until what was written before has reached the webhook: a pod of a probe workload, whose history is written last,
 * is rewritten in a dry run.
 */
export async function untilHeard(
  bed: Bed,
  probe: { readonly namespace: string; readonly reason: string; readonly pod: JsonRecord }
): Promise<void> {
  await until(`the webhook decides ${probe.reason}`, async () => {
    const answer = await bed.request(
      'POST',
      `/api/v1/namespaces/${probe.namespace}/pods?dryRun=All`,
      probe.pod
    )
    return fieldAt(answer.body, 'metadata', 'annotations', 'rightslice.dev/decision') === probe.reason
  })
}

/** A pod as the API server holds it, undefined when there is none. */
export async function findPods(
  bed: Bed,
  namespace: string,
  selector: string
): Promise<readonly JsonRecord[]> {
  const answer = await bed.request(
    'GET',
    `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`
  )
  const items = fieldOf(answer.body, 'items')
  return Array.isArray(items) ? items.filter(isRecord) : []
}

/** Waits for a pod of the label app=NAME that the scheduler has bound. */
export function untilBound(bed: Bed, namespace: string, app: string): Promise<JsonRecord> {
  return until(
    `a pod of ${app} is bound`,
    async () =>
      (await findPods(bed, namespace, `app=${app}`)).find(
        (pod) => fieldAt(pod, 'spec', 'nodeName') !== undefined
      ),
    90_000
  )
}
