import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringMapOf, stringOf } from '../../src/core/json.ts'
import { bodyOf } from '../bed/api-client.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { findPods, type Product } from './product.ts'

const WAIT_MS = 40_000

/** Runs a command of the product's CLI to its end. */
export function rightslice(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [cli, ...args],
      { maxBuffer: 1 << 24 },
      (_fault, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr })
      }
    )
  })
}

/** Waits until the GpuWorkload of a Deployment says `holds`, and returns its container `main` and the object. */
export async function untilKnown(
  bed: Bed,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  holds: (container: unknown, object: unknown) => boolean
): Promise<{ readonly container: unknown; readonly object: unknown }> {
  const path = `/apis/rightslice.dev/v1alpha1/namespaces/${namespace}/gpuworkloads/deployment-${name}`
  let last: unknown
  const seen = until(
    `GpuWorkload of ${name}`,
    async () => {
      const { body } = await bed.request('GET', path)
      const [container] = listOf(fieldOf(body, 'status'), 'containers')
      last = body
      return holds(container, body) && { container, object: body }
    },
    WAIT_MS
  )
  return await seen.catch((cause: unknown) => {
    throw new Error(`GpuWorkload of ${name} says ${JSON.stringify(fieldOf(last, 'status'))}`, { cause })
  })
}

/** Status and reason of a condition: `True EnoughHistory`. */
export function conditionOf(object: unknown, type: string): string {
  const found = listOf(fieldOf(object, 'status'), 'conditions').find(
    (entry) => fieldOf(entry, 'type') === type
  )
  return found === undefined ? 'none' : `${stringOf(found, 'status')} ${stringOf(found, 'reason')}`
}

/** Waits for the condition of a policy. */
export async function untilPolicySays(
  bed: Bed,
  { name, type, says }: { readonly name: string; readonly type: string; readonly says: string }
): Promise<void> {
  const path = `/apis/rightslice.dev/v1alpha1/gpupolicies/${name}`
  await until(
    `policy ${name}: ${type} ${says}`,
    async () => conditionOf((await bed.request('GET', path)).body, type) === says,
    WAIT_MS
  )
}

/** Resource and reason of the next pod of a Deployment, by a dry run. */
async function wouldGet(bed: Bed, namespace: string, name: string): Promise<string> {
  const [pod] = await findPods(bed, namespace, `app=${name}`)
  const metadata = fieldOf(pod, 'metadata')
  const copy = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: stringOf(metadata, 'generateName') ?? '',
      labels: stringMapOf(metadata, 'labels'),
      ownerReferences: listOf(metadata, 'ownerReferences')
    },
    spec: {
      containers: [
        { name: 'main', image: 'registry.example/app:1', resources: { limits: { 'nvidia.com/gpu': 1 } } }
      ]
    }
  }
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`
  return assigned(bodyOf(await bed.request('POST', path, copy), `dry run of ${name}`))
}

/** What a pod asks for and the reason: `nvidia.com/mig-1g.10gb FitsMigProfile`. */
export function assigned(pod: unknown): string {
  const [container] = listOf(fieldOf(pod, 'spec'), 'containers')
  const resources = Object.keys(stringMapOf(fieldOf(container, 'resources'), 'limits'))
  return `${resources.join(' ')} ${String(fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision'))}`
}

/** Scales a Deployment once the webhook has heard what its next pod should get, and returns the new pod when it is bound. */
export async function nextPod(
  bed: Bed,
  {
    namespace,
    name,
    expected
  }: { readonly namespace: string; readonly name: string; readonly expected: string }
): Promise<JsonRecord> {
  let last = ''
  await until(`a pod of ${name} would get ${expected}`, async () => {
    last = await wouldGet(bed, namespace, name)
    return last === expected
  }).catch((cause: unknown) => {
    throw new Error(`the next pod of ${name} would get ${last}`, { cause })
  })
  const before = await findPods(bed, namespace, `app=${name}`)
  const known = new Set(before.map(nameOf))
  const replicas = String(before.length + 1)
  const { code, stderr } = await bed.kubectl([
    'scale',
    'deployment',
    name,
    '-n',
    namespace,
    '--replicas',
    replicas
  ])
  if (code !== 0) throw new Error(stderr)
  return await until(`another pod of ${name} is bound`, async () =>
    (await findPods(bed, namespace, `app=${name}`)).find(
      (pod) => !known.has(nameOf(pod)) && fieldAt(pod, 'spec', 'nodeName') !== undefined
    )
  )
}

/** Name of an object. */
export function nameOf(object: unknown): string {
  return stringOf(fieldOf(object, 'metadata'), 'name') ?? ''
}

/** Waits for a line of a message in a log, by default a further one. */
export async function untilLogged(
  { log }: Product,
  {
    message,
    holds,
    from = log.length
  }: { readonly message: string; readonly holds: (entry: JsonRecord) => boolean; readonly from?: number }
): Promise<JsonRecord> {
  return await until(
    `a new line "${message}"`,
    () => log.slice(from).find((entry) => stringOf(entry, 'msg') === message && holds(entry)),
    WAIT_MS
  )
}

/** A line of the metrics page, without comments. */
export async function metricLine({ healthUrl }: Product, start: string): Promise<string> {
  const page = await (await fetch(`${healthUrl}/metrics`)).text()
  return page.split('\n').find((line) => line.startsWith(start)) ?? ''
}
