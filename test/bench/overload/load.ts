import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'

/** What is sent: reviews of one webhook. */
export interface Review {
  readonly path: '/isolation' | '/rewrite'
  readonly body: string
}

/** A load: arrivals at a fixed rate, whatever becomes of those before them, as from API servers. */
export interface LoadOrder {
  readonly port: number
  /** Calls that may be in flight at one time, each on a connection of its own: API servers have such a bound too. */
  readonly connections: number
  readonly perSecond: number
  readonly seconds: number
  /** Sent in turn. */
  readonly reviews: readonly Review[]
}

/** One call that was answered. */
export interface Answered {
  readonly path: Review['path']
  readonly status: number
  /** From the start of the load to the sending, ms. */
  readonly sentMs: number
  readonly latencyMs: number
}

/** What became of a load. */
export interface LoadResult {
  /** Arrivals that the rate asked for. */
  readonly offered: number
  /** Arrivals that found all connections taken: an API server would have turned them away by itself. */
  readonly turnedAway: number
  /** Calls that ended without an answer. */
  readonly broken: number
  /** Longest time for which the sender itself did not run, ms: as much of any latency may be its own. */
  readonly longestPauseMs: number
  readonly answered: readonly Answered[]
}

/** Longest wait for the answers that are due when the load ends, ms. */
const PATIENCE_MS = 5_000

interface Call {
  readonly path: Review['path']
  readonly sentMs: number
}

/** A connection that carries one call at a time. */
interface Carrier {
  readonly socket: TLSSocket
  call: Call | undefined
  answer: string
}

/** Sends a load over connections that are opened before it begins. */
export async function sendLoad(order: LoadOrder): Promise<LoadResult> {
  const load = new Load(order)
  await load.open()
  try {
    return await load.run()
  } finally {
    load.close()
  }
}

class Load {
  readonly #order: LoadOrder
  readonly #requests: readonly { readonly path: Review['path']; readonly bytes: Buffer }[]
  readonly #free: Carrier[] = []
  readonly #carriers = new Set<Carrier>()
  readonly #answered: Answered[] = []
  #startMs = 0
  #offered = 0
  #turnedAway = 0
  #broken = 0
  #longestPauseMs = 0

  constructor(order: LoadOrder) {
    this.#order = order
    this.#requests = order.reviews.map(({ path, body }) => ({ path, bytes: requestOf(path, body) }))
  }

  async open(): Promise<void> {
    for (let index = 0; index < this.#order.connections; index += 1) await this.#dial()
  }

  close(): void {
    for (const { socket } of this.#carriers) socket.destroy()
  }

  async run(): Promise<LoadResult> {
    const { perSecond, seconds } = this.#order
    this.#startMs = performance.now()
    let beforeMs = this.#startMs
    for (;;) {
      const nowMs = performance.now()
      this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - beforeMs)
      beforeMs = nowMs
      const elapsedMs = nowMs - this.#startMs
      const due = Math.floor((Math.min(elapsedMs, seconds * 1000) / 1000) * perSecond)
      while (this.#offered < due) this.#arrive()
      if (elapsedMs >= seconds * 1000) break
      await pause(1)
    }
    const endMs = performance.now() + PATIENCE_MS
    while (this.#inFlight() > 0 && performance.now() < endMs) await pause(5)
    return {
      offered: this.#offered,
      turnedAway: this.#turnedAway,
      broken: this.#broken + this.#inFlight(),
      longestPauseMs: this.#longestPauseMs,
      answered: this.#answered
    }
  }

  #inFlight(): number {
    return [...this.#carriers].filter(({ call }) => call !== undefined).length
  }

  #arrive(): void {
    const request = this.#requests[this.#offered % this.#requests.length]
    this.#offered += 1
    const carrier = this.#free.pop()
    if (request === undefined || carrier === undefined) {
      this.#turnedAway += 1
      return
    }
    carrier.call = { path: request.path, sentMs: performance.now() }
    carrier.socket.write(request.bytes)
  }

  #dial(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = connect({ port: this.#order.port, host: '127.0.0.1', rejectUnauthorized: false })
    const carrier: Carrier = { socket, call: undefined, answer: '' }
    this.#carriers.add(carrier)
    socket.once('secureConnect', () => {
      this.#free.push(carrier)
      resolve()
    })
    socket.on('error', () => undefined) // every end is seen as a close
    socket.on('data', (piece: Buffer) => this.#hear(carrier, piece))
    socket.once('close', () => {
      if (carrier.call !== undefined) this.#broken += 1
      this.#carriers.delete(carrier)
      const place = this.#free.indexOf(carrier)
      if (place >= 0) this.#free.splice(place, 1)
      resolve()
      void this.#redial()
    })
    return promise
  }

  /** A connection that was closed is replaced while the load lasts. */
  async #redial(): Promise<void> {
    const lasts = performance.now() - this.#startMs < this.#order.seconds * 1000
    if (this.#startMs > 0 && lasts) await this.#dial()
  }

  #hear(carrier: Carrier, piece: Buffer): void {
    carrier.answer += piece.toString('latin1')
    const { call, answer } = carrier
    if (call === undefined || !isWhole(answer)) return
    this.#answered.push({
      path: call.path,
      status: Number(answer.slice(9, 12)),
      sentMs: call.sentMs - this.#startMs,
      latencyMs: performance.now() - call.sentMs
    })
    carrier.answer = ''
    carrier.call = undefined
    if (/^connection: close/im.test(answer)) carrier.socket.end()
    else this.#free.push(carrier)
  }
}

function requestOf(path: string, body: string): Buffer {
  const head = [
    `POST ${path}?timeout=2s HTTP/1.1`,
    'Host: rightslice.rightslice-system.svc',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Whether head and body of an answer are there; the server says the length of every body. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(answer)?.[1]
  return head >= 0 && answer.length >= head + 4 + Number(length ?? 0)
}
