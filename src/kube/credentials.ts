import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { AppError } from '../core/errors.ts'

/** Which cluster to talk to. */
export interface ClusterChoice {
  /** Path of a kubeconfig file; absent: KUBECONFIG, else ~/.kube/config, else the pod's service account. */
  readonly kubeconfig?: string | undefined
  /** Context of the kubeconfig; absent: its current one. */
  readonly context?: string | undefined
}

/** What the TLS connection to the API server needs. */
export type TlsMaterial = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>

/** Where the API server is and how we prove who we are, at this moment. */
export interface Credentials {
  /** Address, perhaps with a path in front of every request's path. */
  readonly serverUrl: string
  /** URL of an HTTP proxy on the way, if any. */
  readonly proxyUrl: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly tls: TlsMaterial
}

/** Reads the credentials of one loaded configuration; tokens are read anew as client-node sees fit. */
export type CredentialSource = () => Promise<Credentials>

/**
 * Loads the cluster's configuration, with nothing remembered from an earlier load.
 * @throws AppError CONFIG_INVALID when it cannot be read or names no cluster
 */
export async function loadCredentialSource(choice: ClusterChoice): Promise<CredentialSource> {
  const { KubeConfig } = await import('@kubernetes/client-node') // costs about half a second: only who needs a cluster pays
  const config = new KubeConfig()
  const where = choice.kubeconfig ?? 'the default kubeconfig'
  try {
    if (choice.kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(choice.kubeconfig)
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `kubeconfig: ${where} cannot be read: ${String(cause)}`, { cause })
  }
  if (choice.context !== undefined) config.setCurrentContext(choice.context)
  checkCluster(config, where)
  return () => readCredentials(config)
}

/** What client-node falls back to when it finds no configuration at all. */
const NO_CONFIGURATION = { context: 'loaded-context', server: 'http://localhost:8080' }

function checkCluster(config: KubeConfig, where: string): void {
  const server = config.getCurrentCluster()?.server
  const context = config.getCurrentContext()
  if (context === NO_CONFIGURATION.context && server === NO_CONFIGURATION.server) {
    throw new AppError(
      'CONFIG_INVALID',
      'kubeconfig: none found, and this is not a pod with a service account'
    )
  }
  if (server === undefined || !URL.canParse(server)) {
    const known = config.contexts.map(({ name }) => name).join(', ')
    throw new AppError(
      'CONFIG_INVALID',
      `kubeconfig: context "${context}" of ${where} names no cluster (has: ${known})`
    )
  }
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const cluster = config.getCurrentCluster()
  return {
    serverUrl: cluster?.server ?? '',
    proxyUrl: cluster?.proxyUrl,
    headers: authHeaders(options),
    tls: tlsMaterial(options)
  }
}

function authHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers[name.toLowerCase()] = String(value).trim() // token files end in a newline
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  }
  return headers
}

function tlsMaterial(options: RequestOptions): TlsMaterial {
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = options
  const all: TlsMaterial = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
