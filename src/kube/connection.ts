import type { Dispatcher } from 'undici'
import { AppError } from '../core/errors.ts'
import { type ClusterChoice, type Credentials, loadCredentialSource } from './credentials.ts'
import { Dispatchers } from './dispatchers.ts'
import {
  answerOf,
  drain,
  type KubeRequest,
  type KubeResponse,
  limitExchange,
  unlessAborted,
  unreachable
} from './exchange.ts'

/** A way to the API server: one pool of connections, credentials kept fresh. */
export interface KubeConnection {
  /** Address of the API server, as configured. */
  readonly serverUrl: string
  /**
   * Sends a request; after a 401 the credentials are loaded anew and the request is sent once more.
   * @throws KubeError (KUBE_UNAVAILABLE, KUBE_REFUSED, KUBE_EXPIRED) for an answer of 300 or more; AppError KUBE_UNREACHABLE otherwise
   */
  request(request: KubeRequest): Promise<KubeResponse>
  /** Ends every exchange, also those that still run. */
  close(): Promise<void>
}

/** How long credentials that were read are used before they are read again, ms; bounds the age of a rotated token. */
const CREDENTIALS_AGE_MS = 30_000

/**
 * Prepares the way to a cluster; nothing is sent yet.
 * @throws AppError CONFIG_INVALID when the configuration or its credentials cannot be read
 */
export async function connectCluster(choice: ClusterChoice = {}): Promise<KubeConnection> {
  const session = new Session(choice)
  try {
    const credentials = await session.credentials()
    session.dispatchers.of(credentials) // a proxy that cannot be used shows now
    return {
      serverUrl: credentials.serverUrl,
      request: (request) => send(session, request),
      close: () => session.dispatchers.close()
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('CONFIG_INVALID', `kubeconfig: credentials cannot be read: ${String(cause)}`, {
      cause
    })
  }
}

/** Credentials in use and the pools that belong to them. */
class Session {
  readonly dispatchers = new Dispatchers()
  readonly #choice: ClusterChoice
  #source: ReturnType<typeof loadCredentialSource> | undefined
  #current: Promise<Credentials> | undefined
  #readAtMs = 0

  constructor(choice: ClusterChoice) {
    this.#choice = choice
  }

  credentials(): Promise<Credentials> {
    if (this.#current !== undefined && performance.now() - this.#readAtMs < CREDENTIALS_AGE_MS)
      return this.#current
    this.#readAtMs = performance.now()
    const current = this.#read()
    this.#current = current
    current.catch(() => this.forget(current)) // a failed read is not kept; its callers see the error
    return current
  }

  /** Makes the next `credentials()` load everything anew, unless another request has caused that already. */
  forget(used: Promise<Credentials>): void {
    if (this.#current !== used) return
    this.#current = undefined
    this.#source = undefined
  }

  async #read(): Promise<Credentials> {
    this.#source ??= loadCredentialSource(this.#choice)
    return (await this.#source)()
  }
}

async function send(session: Session, request: KubeRequest): Promise<KubeResponse> {
  const first = session.credentials()
  const response = await attempt(session, first, request)
  if (response.statusCode !== 401) return answerOf(request, response)
  await drain(response.body)
  session.forget(first)
  return answerOf(request, await attempt(session, session.credentials(), request))
}

async function attempt(
  session: Session,
  credentials: Promise<Credentials>,
  request: KubeRequest
): Promise<Dispatcher.ResponseData> {
  const exchange = limitExchange(request)
  try {
    const known = await unlessAborted(credentials, exchange.signal)
    const base = new URL(known.serverUrl)
    const response = await session.dispatchers.of(known).request({
      origin: base.origin,
      path: `${base.pathname.replace(/\/+$/, '')}${request.path}${queryOf(request)}`,
      method: request.method,
      headers: headersOf(known, request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: exchange.signal
    })
    response.body.once('close', exchange.end)
    response.body.on('error', () => undefined) // who reads the body sees it; unread, it must not end the process
    return response
  } catch (cause) {
    exchange.end()
    throw unreachable(request, exchange.signal.aborted ? exchange.signal.reason : cause)
  }
}

function queryOf({ query = {} }: KubeRequest): string {
  const known = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) known.append(name, String(value))
  }
  return known.size === 0 ? '' : `?${known.toString()}`
}

function headersOf(credentials: Credentials, request: KubeRequest): Record<string, string> {
  const body = request.body === undefined ? {} : { 'content-type': 'application/json' }
  return {
    accept: 'application/json',
    'accept-encoding': 'identity', // unsaid, every encoding would be welcome, and none is read
    'user-agent': 'rightslice',
    ...body,
    ...request.headers,
    ...credentials.headers
  }
}
