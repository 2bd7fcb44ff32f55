import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse
} from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { fieldAt, isRecord } from '../../src/core/json.ts'

/** An object as a test writes it; apiVersion, kind and resourceVersion are filled in. */
export interface FakeObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

/** A refusal; with `retryAfterSeconds` it says when to come again. */
export interface StatusFault {
  readonly status: number
  readonly message?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/**
 * What goes wrong with a request: an answer with a status (Status object, Retry-After if given), a body that is not JSON, the
 * connection cut before the answer (`reset`) or in the middle of it (`cut`), or no answer at all (`hang`).
 */
export type Fault = StatusFault | 'garbage' | 'reset' | 'cut' | 'hang'

/** Which requests a fault meets: first pages, pages with a token, watches. */
export type FaultPlace = 'list' | 'page' | 'watch'

/** A request that was received. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Common name of the client's certificate, if it showed one. */
  readonly clientName: string | undefined
}

/** A server that speaks as much of the Kubernetes API as a list-and-watch reader needs, with faults on demand. */
export interface FakeApiServer {
  readonly url: string
  /** Every request so far. */
  readonly seen: readonly SeenRequest[]
  /** TCP connections accepted so far. */
  connections(): number
  /** From now on every request must carry this bearer token. */
  requireToken(token: string): void
  /** The collection at a path; the first call makes it. */
  collection(path: string, apiVersion: string, kind: string): FakeCollection
  /** Answers requests to one path by hand. */
  answer(path: string, handler: (seen: SeenRequest) => { status: number; body: string }): void
  /** Version of the last change. */
  version(): number
  /** Cuts every connection, as a server does that is started anew. */
  restart(): void
  /** Starts anew from a backup: what came after `version` never was, and versions are counted from there. */
  restore(version: number): void
  /** Text of a kubeconfig (JSON, hence YAML) for this server; `user` and `cluster` add fields. */
  kubeconfig(user?: object, cluster?: object): string
  close(): Promise<void>
}

/** Starts the server on a free loopback port; with `tls` it serves HTTPS. */
export async function startFakeApiServer(tls?: ServerOptions): Promise<FakeApiServer> {
  const state = new ServerState()
  const listener: RequestListener = (request, response) => {
    void state.serve(request, response)
  }
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('connection', () => {
    state.connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return {
    url,
    seen: state.seen,
    connections: () => state.connections,
    requireToken: (token) => {
      state.token = token
    },
    collection: (path, apiVersion, kind) => state.collection(path, apiVersion, kind),
    answer: (path, handler) => {
      state.handlers.set(path, handler)
    },
    version: () => state.version,
    restart: () => server.closeAllConnections(),
    restore: (version) => {
      state.version = version
      for (const collection of state.collections.values()) collection.forgetAfter(version)
      server.closeAllConnections()
    },
    kubeconfig: (user = {}, cluster = { 'insecure-skip-tls-verify': true }) =>
      kubeconfigOf(url, user, cluster),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

function kubeconfigOf(server: string, user: object, cluster: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server, ...cluster } }],
    users: [{ name: 'tester', user }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'tester' } }],
    'current-context': 'fake'
  })
}

class ServerState {
  readonly seen: SeenRequest[] = []
  readonly handlers = new Map<string, (seen: SeenRequest) => { status: number; body: string }>()
  readonly collections = new Map<string, FakeCollection>()
  connections = 0
  token: string | undefined
  version = 100

  collection(path: string, apiVersion: string, kind: string): FakeCollection {
    const known = this.collections.get(path)
    if (known !== undefined) return known
    const made = new FakeCollection(apiVersion, kind, {
      now: () => this.version,
      next: () => {
        this.version += 1
        return this.version
      }
    })
    this.collections.set(path, made)
    return made
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request)
    this.seen.push(seen)
    if (this.token !== undefined && seen.headers.authorization !== `Bearer ${this.token}`) {
      sendStatus(response, { status: 401, message: 'Unauthorized' })
      return
    }
    const handler = this.handlers.get(seen.path)
    const collection = this.collections.get(seen.path)
    if (handler !== undefined) {
      const { status, body } = handler(seen)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    } else if (collection === undefined) {
      sendStatus(response, { status: 404, message: `${seen.path} not found` })
    } else {
      await collection.serve(seen, response)
    }
  }
}

/** One kind of object on the fake server. */
export class FakeCollection {
  /** When set, what is sent goes out in pieces of so many bytes, each a chunk of its own. */
  pieceBytes: number | undefined
  /** Watches that are open now, oldest first. */
  streams: readonly FakeStream[] = []
  readonly #apiVersion: string
  readonly #kind: string
  readonly #versions: { now: () => number; next: () => number }
  readonly #faults: { readonly place: FaultPlace; readonly fault: Fault }[] = []
  #history: readonly {
    readonly version: number
    readonly key: string
    readonly event: WireEvent
    readonly quiet: boolean
  }[] = []
  #oldest = 0
  #opened: FakeStream[] = []
  #waiting: { readonly count: number; readonly resolve: (stream: FakeStream) => void }[] = []

  constructor(apiVersion: string, kind: string, versions: { now: () => number; next: () => number }) {
    this.#apiVersion = apiVersion
    this.#kind = kind
    this.#versions = versions
  }

  /** Adds or replaces an object and tells the watches. */
  put(object: FakeObject): void {
    this.#record(object, false)
  }

  /** Adds or replaces an object and tells nobody: an event that gets lost. */
  putUnheard(object: FakeObject): void {
    this.#record(object, true)
  }

  /** Removes an object and tells the watches. */
  remove(name: string, namespace = ''): void {
    const key = `${namespace}/${name}`
    const object = this.#stateAt(Number.MAX_SAFE_INTEGER).get(key)
    if (object === undefined) return
    this.#keep(key, 'DELETED', object, false)
  }

  /** Sends a bookmark with the current version to every watch. */
  bookmark(): void {
    const metadata = { resourceVersion: String(this.#versions.now()), creationTimestamp: null }
    const object = { apiVersion: this.#apiVersion, kind: this.#kind, metadata }
    for (const stream of this.streams) stream.send({ type: 'BOOKMARK', object })
  }

  /** Forgets all history: older versions and page tokens have expired from now on. */
  expire(): void {
    this.#oldest = this.#versions.next()
  }

  /** Drops what came after `version`. */
  forgetAfter(version: number): void {
    this.#history = this.#history.filter((entry) => entry.version <= version)
    this.#oldest = Math.min(this.#oldest, version)
  }

  /** Sends the last events once more to every watch, in their order. */
  repeat(count: number): void {
    for (const { event, quiet } of this.#history.slice(-count))
      if (!quiet) for (const stream of this.streams) stream.send(event)
  }

  /** Forgets the faults that are planned and did not come about. */
  endFaults(): void {
    this.#faults.length = 0
  }

  /** Objects by key (`namespace/name`) as they are now. */
  truth(): ReadonlyMap<string, object> {
    return this.#stateAt(Number.MAX_SAFE_INTEGER)
  }

  /** Lets the next `times` requests of a sort fail. */
  failNext(place: FaultPlace, fault: Fault, times = 1): void {
    for (let n = 0; n < times; n += 1) this.#faults.push({ place, fault })
  }

  /** How many watches were opened so far. */
  watchCount(): number {
    return this.#opened.length
  }

  /** The watch that is opened as number `count` (1 is the first ever). */
  async untilWatch(count: number): Promise<FakeStream> {
    const opened = this.#opened[count - 1]
    if (opened !== undefined) return opened
    const { promise, resolve } = Promise.withResolvers<FakeStream>()
    this.#waiting.push({ count, resolve })
    return promise
  }

  async serve(seen: SeenRequest, response: ServerResponse): Promise<void> {
    const place = placeOf(seen)
    const at = this.#faults.findIndex((planned) => planned.place === place)
    const [planned] = at === -1 ? [] : this.#faults.splice(at, 1)
    if (planned !== undefined) sendFault(response, planned.fault)
    else if (place === 'watch') this.#openWatch(seen, response)
    else await this.#sendPage(seen, response)
  }

  #record(object: FakeObject, quiet: boolean): void {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`
    const known = this.#stateAt(Number.MAX_SAFE_INTEGER).has(key)
    this.#keep(key, known ? 'MODIFIED' : 'ADDED', object, quiet)
  }

  #keep(key: string, type: string, object: object, quiet: boolean): void {
    const version = this.#versions.next()
    const metadata = { ...recordAt(object, 'metadata'), resourceVersion: String(version) }
    const event = { type, object: { apiVersion: this.#apiVersion, kind: this.#kind, ...object, metadata } }
    this.#history = [...this.#history, { version, key, event, quiet }]
    if (!quiet) for (const stream of this.streams) stream.send(event)
  }

  #stateAt(version: number): Map<string, object> {
    const objects = new Map<string, object>()
    for (const { version: at, key, event } of this.#history) {
      if (at > version) break
      if (event.type === 'DELETED') objects.delete(key)
      else objects.set(key, event.object)
    }
    return objects
  }

  async #sendPage({ query, headers }: SeenRequest, response: ServerResponse): Promise<void> {
    const [version, start] = (query['continue'] ?? `${query['resourceVersion'] ?? this.#versions.now()}:0`)
      .split(':')
      .map(Number)
    if (version === undefined || start === undefined || !this.#has(version)) {
      sendStatus(response, this.#refusalOf(version))
      return
    }
    const all = [...this.#stateAt(version).values()]
    const end = start + Number(query['limit'] ?? all.length)
    const metadataOnly = isMetadataOnly(headers)
    const page = {
      apiVersion: metadataOnly ? 'meta.k8s.io/v1' : this.#apiVersion,
      kind: metadataOnly ? 'PartialObjectMetadataList' : `${this.#kind}List`,
      metadata: {
        resourceVersion: String(version),
        ...(end < all.length ? { continue: `${version}:${end}` } : {})
      },
      items: all.slice(start, end).map((object) => (metadataOnly ? metadataOf(object) : object))
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    await writePieces(response, Buffer.from(JSON.stringify(page)), this.pieceBytes)
    response.end()
  }

  #has(version: number): boolean {
    return version >= this.#oldest && version <= this.#versions.now()
  }

  #refusalOf(version = 0): StatusFault {
    return version < this.#oldest
      ? { status: 410, message: 'The provided continue parameter is too old' }
      : { status: 504, message: `Too large resource version: ${version}` }
  }

  #openWatch(seen: SeenRequest, response: ServerResponse): void {
    const stream = new FakeStream(seen, response, () => this.pieceBytes)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    this.streams = [...this.streams, stream]
    response.once('close', () => {
      this.streams = this.streams.filter((other) => other !== stream)
    })
    this.#opened.push(stream)
    const from = Number(seen.query['resourceVersion'] ?? 0)
    if (from < this.#oldest) stream.fail(410, `too old resource version: ${from} (${this.#oldest})`)
    else
      for (const { version, event, quiet } of this.#history) if (version > from && !quiet) stream.send(event)
    for (const { resolve } of this.#waiting.filter(({ count }) => count === this.#opened.length))
      resolve(stream)
  }
}

interface WireEvent {
  readonly type: string
  readonly object: object
}

/** One open watch. */
export class FakeStream {
  readonly query: Readonly<Record<string, string>>
  /** When set, events get lost on the way: the connection stays open and nothing comes. */
  silent = false
  readonly #response: ServerResponse
  readonly #from: number
  readonly #metadataOnly: boolean
  readonly #pieceBytes: () => number | undefined
  #written: Promise<void> = Promise.resolve()

  constructor(seen: SeenRequest, response: ServerResponse, pieceBytes: () => number | undefined) {
    this.query = seen.query
    this.#from = Number(seen.query['resourceVersion'] ?? 0)
    this.#response = response
    this.#metadataOnly = isMetadataOnly(seen.headers)
    this.#pieceBytes = pieceBytes
  }

  /** Sends an event as one line, unless it is of a version that the reader has seen already, as it says. */
  send({ type, object }: WireEvent): void {
    if (this.silent || this.#isOld(type, object)) return
    const shown = this.#metadataOnly && type !== 'ERROR' ? metadataOf(object) : object
    this.sendRaw(`${JSON.stringify({ type, object: shown })}\n`)
  }

  /** Sends an ERROR event. */
  fail(code: number, message: string, retryAfterSeconds?: number): void {
    this.send({ type: 'ERROR', object: statusObject({ status: code, message, retryAfterSeconds }) })
  }

  #isOld(type: string, object: object): boolean {
    if (type === 'ERROR') return false
    const version = Number(fieldAt(object, 'metadata', 'resourceVersion'))
    return type === 'BOOKMARK' ? version < this.#from : version <= this.#from
  }

  /** Sends bytes as they are. */
  sendRaw(content: string | Uint8Array): void {
    const pieceBytes = this.#pieceBytes()
    this.#written = this.#written.then(() => writePieces(this.#response, Buffer.from(content), pieceBytes))
  }

  /** Ends the watch as a server does whose time limit has come. */
  async end(): Promise<void> {
    await this.#written
    this.#response.end()
  }

  /** Cuts the connection. */
  async reset(): Promise<void> {
    await this.#written
    this.#response.socket?.resetAndDestroy()
  }
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  const url = new URL(request.url ?? '/', 'http://fake')
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: Buffer.concat(pieces).toString('utf8'),
    clientName: clientNameOf(request)
  }
}

function clientNameOf({ socket }: IncomingMessage): string | undefined {
  const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined
  return typeof name === 'string' ? name : undefined
}

function placeOf({ query }: SeenRequest): FaultPlace {
  if (query['watch'] === 'true') return 'watch'
  return query['continue'] === undefined ? 'list' : 'page'
}

function sendFault(response: ServerResponse, fault: Fault): void {
  if (fault === 'hang') return
  if (fault === 'reset') response.socket?.resetAndDestroy()
  else if (fault === 'garbage') response.writeHead(200).end('<html>not what you asked for</html>')
  else if (fault === 'cut')
    response.writeHead(200, { 'content-length': 1000 }).write('{"items": [', () => response.destroy())
  else sendStatus(response, fault)
}

function sendStatus(response: ServerResponse, fault: StatusFault): void {
  const retryAfter =
    fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }
  response.writeHead(fault.status, { 'content-type': 'application/json', ...retryAfter })
  response.end(JSON.stringify(statusObject(fault)))
}

function statusObject({ status, message = 'made to fail', retryAfterSeconds }: StatusFault): object {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', message, code: status, ...details }
}

function isMetadataOnly(headers: IncomingMessage['headers']): boolean {
  return headers.accept?.includes('as=PartialObjectMetadata') === true
}

function metadataOf(object: object): object {
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: recordAt(object, 'metadata')
  }
}

function recordAt(object: object, field: string): object {
  const value = fieldAt(object, field)
  return isRecord(value) ? value : {}
}

/** Each piece becomes a chunk of its own, so the reader gets it as a piece of its own. */
async function writePieces(
  response: ServerResponse,
  bytes: Buffer,
  pieceBytes = bytes.length
): Promise<void> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (response.writableEnded) return // the server ended the watch in the meantime
    response.write(bytes.subarray(start, start + pieceBytes))
    if (pieceBytes < bytes.length) await nextTurn()
  }
}
