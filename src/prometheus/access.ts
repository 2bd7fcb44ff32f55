import { readFile } from 'node:fs/promises'
import { Agent, type Dispatcher } from 'undici'
import { type Fault, faultOf } from './fault.ts'
import type { AccessFiles } from './source-options.ts'

/** A pool of connections and the headers to send with it, as the files say at this moment. */
export type Entry =
  | {
      readonly kind: 'entry'
      readonly dispatcher: Dispatcher
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly kind: 'fault'; readonly fault: Fault }

/** Longest wait for a TCP and TLS handshake, ms. */
const CONNECT_TIMEOUT_MS = 5_000

/** How long an unused connection is kept, ms; shorter than the idle limits of common load balancers (60 s). */
const IDLE_TIMEOUT_MS = 20_000

/** Ways in: files are read anew each time, connections are made anew when certificates changed. */
export class Access {
  readonly #files: AccessFiles
  readonly #connections: number
  readonly #open = new Set<Agent>()
  #current: { key: string; agent: Agent } | undefined

  constructor(files: AccessFiles, connections: number) {
    this.#files = files
    this.#connections = connections
  }

  /** The way in as it is now; a file that cannot be read is a fault that names it. */
  async enter(): Promise<Entry> {
    try {
      const tls = {
        ca: await optional(this.#files.caFile),
        cert: await optional(this.#files.certificateFile),
        key: await optional(this.#files.keyFile)
      }
      return { kind: 'entry', dispatcher: this.#agentFor(tls), headers: await readHeaders(this.#files) }
    } catch (error) {
      return {
        kind: 'fault',
        fault: faultOf('credentials', error instanceof Error ? error.message : String(error))
      }
    }
  }

  /** Ends all exchanges and connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((agent) => agent.destroy()))
    this.#open.clear()
    this.#current = undefined
  }

  #agentFor(tls: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>): Agent {
    const key = JSON.stringify(tls)
    if (this.#current?.key === key) return this.#current.agent
    this.#retire()
    const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined))
    const agent = new Agent({
      connections: this.#connections,
      allowH2: false,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: 0, // the exchange has one limit for everything
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...given }
    })
    this.#open.add(agent)
    this.#current = { key, agent }
    return agent
  }

  /** Lets the old pool finish what it carries. */
  #retire(): void {
    const old = this.#current?.agent
    if (old === undefined) return
    const drop = (): boolean => this.#open.delete(old)
    old.close().then(drop, drop)
  }
}

async function optional(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : readFile(file, 'utf8')
}

async function readHeaders(files: AccessFiles): Promise<Record<string, string>> {
  const headers: Record<string, string> = {}
  const token = await secretIn(files.bearerTokenFile)
  const password = await secretIn(files.passwordFile)
  const tenant = (await secretIn(files.tenantFile)) ?? files.tenant
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  else if (files.username !== undefined) {
    headers['authorization'] =
      `Basic ${Buffer.from(`${files.username}:${password ?? ''}`).toString('base64')}`
  }
  if (tenant !== undefined) headers['x-scope-orgid'] = tenant
  return headers
}

/** Content of a file without the newline at its end. @throws Error for one that no header can carry */
async function secretIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const secret = (await readFile(file, 'utf8')).trim()
  if (!/^[\x20-\x7e]+$/.test(secret)) throw new Error(`${file}: empty, or not one line of plain text`)
  return secret
}
