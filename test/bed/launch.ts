import { generateKeyPairSync } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiClient, makeApiClient } from './api-client.ts'
import type { BedOptions } from './bed-options.ts'
import type { Cleanup } from './cleanup.ts'
import { type Component, type ComponentSpec, startComponent } from './component.ts'
import {
  apiServerSpec,
  type ControlPlane,
  caFileIn,
  controllerManagerSpec,
  etcdSpec,
  schedulerSpec,
  serviceAccountKeysIn
} from './control-plane.ts'
import type { BinaryPaths } from './control-plane-group.ts'
import { freePorts } from './free-ports.ts'
import { type Credentials, makeCredentials, writeKubeconfigs } from './roles.ts'
import { type Seen, until } from './until.ts'

/** A control plane that is ready, and what is needed to talk to it. */
export type Launched = {
  readonly url: string
  readonly api: ApiClient
  readonly credentials: Credentials
  readonly plane: ControlPlane
}

/** Where a launch happens and who keeps the books on it. */
type LaunchSite = {
  readonly paths: BinaryPaths
  readonly options: BedOptions
  readonly directory: string
  /** Receives each component as it starts, so that the caller can stop them in reverse order. */
  readonly components: Component[]
  readonly cleanup: Cleanup
}

const READY_TIMEOUT_MS = 180_000

/**
 * Starts the components in order and waits until the API server is ready and service accounts are made.
 * @throws Error when one ends early or is not ready within three minutes
 */
export async function launch(site: LaunchSite): Promise<Launched> {
  const { directory, options } = site
  const credentials = await makeCredentials(directory)
  const plane = await prepare(site, credentials.tokenFile)
  await start(site, etcdSpec(plane))
  await start(site, apiServerSpec(plane))

  const url = `https://127.0.0.1:${plane.ports.api}`
  const caFile = caFileIn(directory)
  const ca = await watched(site, 'certificate of the API server', () => certificateIn(caFile))
  await writeKubeconfigs(directory, { url, caFile }, credentials)
  const api = makeApiClient(url, ca, credentials.token('admin'))
  try {
    await watched(site, 'API server ready', async () => (await api.request('GET', '/readyz')).body === 'ok')
    if (plane.hasControllerManager) await start(site, controllerManagerSpec(plane))
    if (options.startScheduler !== false) await start(site, schedulerSpec(plane))
    if (plane.hasControllerManager)
      await watched(site, 'first work of the controllers', () => hasFirstWork(api))
  } catch (error) {
    await api.close()
    throw error
  }
  return { url, api, credentials, plane }
}

/** Ends the API server, starts it with the same command line and waits until it is ready. */
export async function restartApiServer(
  site: Pick<LaunchSite, 'components' | 'cleanup'>,
  { plane, api }: Launched
): Promise<void> {
  const spec = apiServerSpec(plane)
  const place = site.components.findIndex(({ name }) => name === spec.name)
  await site.components[place]?.stop()
  site.components[place] = await startComponent(spec, site.cleanup)
  await watched(site, 'API server ready', async () => (await api.request('GET', '/readyz')).body === 'ok')
}

/** Pods need the default service account; tenants need the role `edit`, which is put together from others. */
async function hasFirstWork(api: ApiClient): Promise<boolean> {
  const account = await api.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')
  const role = await api.request('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/edit')
  return account.status === 200 && JSON.stringify(role.body).includes('"pods"')
}

async function prepare({ directory, paths, options }: LaunchSite, tokenFile: string): Promise<ControlPlane> {
  await mkdir(join(directory, 'apiserver-certs'))
  await writeServiceAccountKeys(directory)
  const [etcd = 0, etcdPeer = 0, api = 0] = await freePorts(3)
  return {
    paths,
    directory,
    ports: { etcd, etcdPeer, api },
    tokenFile,
    hasControllerManager: options.startControllerManager !== false,
    auditPolicyFile: await writeAuditPolicy(directory, options),
    apiServerArgs: options.apiServerArgs ?? [],
    controllerManagerArgs: options.controllerManagerArgs ?? []
  }
}

async function writeServiceAccountKeys(directory: string): Promise<void> {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' }
  })
  const files = serviceAccountKeysIn(directory)
  await writeFile(files.privateKey, pair.privateKey, { mode: 0o600 })
  await writeFile(files.publicKey, pair.publicKey)
}

async function writeAuditPolicy(directory: string, { audit }: BedOptions): Promise<string | undefined> {
  if (audit === undefined) return undefined
  const file = join(directory, 'audit-policy.json')
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: audit }]
  }
  await writeFile(file, JSON.stringify(policy))
  return file
}

async function start({ components, cleanup }: LaunchSite, spec: ComponentSpec): Promise<void> {
  components.push(await startComponent(spec, cleanup))
}

/** Waits for `probe`, but no longer than every component lives. */
async function watched<T>(
  { components }: Pick<LaunchSite, 'components'>,
  description: string,
  probe: () => Promise<T>
): Promise<Seen<T>> {
  const died = new AbortController()
  const death = Promise.race(components.map((component) => component.ended.then(() => component)))
  const wait = until(description, probe, READY_TIMEOUT_MS, died.signal)
  const first = await Promise.race([wait.then((value) => ({ value })), death])
  if ('value' in first) return first.value
  died.abort()
  wait.catch(() => undefined)
  throw new Error(first.obituary() ?? `${first.name} ended`)
}

async function certificateIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.includes('END CERTIFICATE') ? text : undefined
}
