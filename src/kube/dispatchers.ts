import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { AppError } from '../core/errors.ts'
import type { Credentials } from './credentials.ts'

/** Longest wait for a TCP and TLS handshake, ms. */
const CONNECT_TIMEOUT_MS = 5_000

/** Silence on a connection after which the kernel asks whether the other side still lives, ms. */
const TCP_KEEP_ALIVE_MS = 15_000

/** How long an unused connection is kept, ms; shorter than the idle limits of common load balancers (60 s). */
const IDLE_TIMEOUT_MS = 30_000

/** The pool of connections in use: one, until the TLS material changes. */
export class Dispatchers {
  readonly #all = new Set<Dispatcher>()
  #current: { key: string; dispatcher: Dispatcher } | undefined
  #closed = false

  /**
   * The pool for these credentials; the same one as before unless CA, certificate or proxy differ.
   * @throws AppError KUBE_UNREACHABLE after `close`, CONFIG_INVALID for a proxy that is not HTTP
   */
  of(credentials: Credentials): Dispatcher {
    if (this.#closed) throw new AppError('KUBE_UNREACHABLE', 'the connection is closed')
    const key = keyOf(credentials)
    if (this.#current?.key === key) return this.#current.dispatcher
    this.#retire()
    const dispatcher = openDispatcher(credentials)
    this.#all.add(dispatcher)
    this.#current = { key, dispatcher }
    return dispatcher
  }

  /** Ends all exchanges and connections. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#all].map((dispatcher) => dispatcher.destroy()))
    this.#all.clear()
  }

  /** Lets the old pool finish what it carries. */
  #retire(): void {
    const old = this.#current?.dispatcher
    if (old === undefined) return
    const drop = () => this.#all.delete(old)
    old.close().then(drop, drop)
  }
}

function keyOf({ serverUrl, proxyUrl, tls }: Credentials): string {
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = tls
  return [serverUrl, proxyUrl, ca, cert, key, pfx, passphrase, servername, rejectUnauthorized]
    .map(String)
    .join('\n')
}

function openDispatcher({ proxyUrl, tls }: Credentials): Dispatcher {
  // The readers have their own limits (watches are long and may be quiet), so undici's are off.
  const limits = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_TIMEOUT_MS }
  const connect = { timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS }
  if (proxyUrl === undefined) return new Agent({ ...limits, connect: { ...connect, ...tls } })
  if (!/^https?:/.test(proxyUrl)) {
    throw new AppError(
      'CONFIG_INVALID',
      `kubeconfig: proxy-url ${proxyUrl}: only http and https proxies are supported`
    )
  }
  return new ProxyAgent({ ...limits, uri: proxyUrl, connect, requestTls: tls })
}
