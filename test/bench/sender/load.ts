import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { closesAfter, isRight, isWhole, statusOf } from './answer.ts'
import { type PreparedRequest, type Review, requestMaker } from './request.ts'

/** A load: arrivals at a fixed rate, whatever becomes of those before them, as from API servers. */
export interface LoadOrder {
  readonly port: number
  /** Calls that may be in flight at one time, each on a connection of its own: API servers have such a bound too. */
  readonly connections: number
  /** `flat-out`: on each connection the next call follows the answer. */
  readonly perSecond: number | 'flat-out'
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
  /** Answers that were not what they should have been: another uid, another decision, another status. */
  readonly wrong: number
  /** Longest time for which the sender itself did not run, ms: as much of any latency may be its own. */
  readonly longestPauseMs: number
  /** 99th percentile of what the sender's own loop came late by, ms: it is in every latency. */
  readonly ownDelayMs: number
  readonly answered: readonly Answered[]
}

/** Longest wait for the answers that are due when the load ends, ms. */
const PATIENCE_MS = 5_000

interface Call extends Pick<PreparedRequest, 'uid'> {
  readonly review: Review
  readonly sentMs: number
}

/** A connection that carries one call at a time. */
interface Carrier {
  readonly socket: TLSSocket
  call: Call | undefined
  answer: string
}

/** Sends a load over connections that are opened before it begins, and looks at every answer. */
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
  readonly #makers: readonly { readonly review: Review; readonly make: () => PreparedRequest }[]
  readonly #free: Carrier[] = []
  readonly #carriers = new Set<Carrier>()
  readonly #answered: Answered[] = []
  #startMs = 0
  #offered = 0
  #turnedAway = 0
  #broken = 0
  #wrong = 0
  #longestPauseMs = 0

  constructor(order: LoadOrder) {
    this.#order = order
    this.#makers = order.reviews.map((review) => ({ review, make: requestMaker(review) }))
  }

  async open(): Promise<void> {
    for (let index = 0; index < this.#order.connections; index += 1) await this.#dial()
  }

  close(): void {
    for (const { socket } of this.#carriers) socket.destroy()
  }

  async run(): Promise<LoadResult> {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    this.#startMs = performance.now()
    await (this.#order.perSecond === 'flat-out' ? this.#saturate() : this.#keepRate(this.#order.perSecond))
    delays.disable()
    const endMs = performance.now() + PATIENCE_MS
    while (this.#inFlight() > 0 && performance.now() < endMs) await pause(5)
    return {
      offered: this.#offered,
      turnedAway: this.#turnedAway,
      broken: this.#broken + this.#inFlight(),
      wrong: this.#wrong,
      longestPauseMs: this.#longestPauseMs,
      ownDelayMs: Math.max(0, delays.percentile(99) / 1e6 - 1),
      answered: this.#answered
    }
  }

  /** Fires when the schedule says so; what comes late because the sender did not run is sent then, all at once. */
  async #keepRate(perSecond: number): Promise<void> {
    let beforeMs = this.#startMs
    for (;;) {
      const nowMs = performance.now()
      this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - beforeMs)
      beforeMs = nowMs
      const elapsedMs = Math.min(nowMs - this.#startMs, this.#order.seconds * 1000)
      const due = Math.floor((elapsedMs / 1000) * perSecond)
      while (this.#offered < due) this.#arrive()
      if (!this.#lasts()) return
      await pause(1)
    }
  }

  async #saturate(): Promise<void> {
    while (this.#free.length > 0) this.#arrive()
    await pause(this.#order.seconds * 1000)
  }

  #lasts(): boolean {
    return performance.now() - this.#startMs < this.#order.seconds * 1000
  }

  #inFlight(): number {
    return [...this.#carriers].filter(({ call }) => call !== undefined).length
  }

  #arrive(): void {
    const next = this.#makers[this.#offered % this.#makers.length]
    this.#offered += 1
    const carrier = this.#free.pop()
    if (next === undefined || carrier === undefined) {
      this.#turnedAway += 1
      return
    }
    const { uid, bytes } = next.make()
    carrier.call = { review: next.review, uid, sentMs: performance.now() }
    carrier.socket.write(bytes)
  }

  #dial(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = connect({ port: this.#order.port, host: '127.0.0.1', rejectUnauthorized: false })
    const carrier: Carrier = { socket, call: undefined, answer: '' }
    this.#carriers.add(carrier)
    socket.once('secureConnect', () => {
      this.#release(carrier)
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
    if (this.#startMs > 0 && this.#lasts()) await this.#dial()
  }

  #hear(carrier: Carrier, piece: Buffer): void {
    carrier.answer += piece.toString('latin1')
    const { call, answer } = carrier
    if (call === undefined || !isWhole(answer)) return
    const { path, told } = call.review
    this.#answered.push({
      path,
      status: statusOf(answer),
      sentMs: call.sentMs - this.#startMs,
      latencyMs: performance.now() - call.sentMs
    })
    if (!isRight(answer, { uid: call.uid, told })) this.#wrong += 1
    carrier.answer = ''
    carrier.call = undefined
    if (closesAfter(answer)) carrier.socket.end()
    else this.#release(carrier)
  }

  #release(carrier: Carrier): void {
    this.#free.push(carrier)
    if (this.#order.perSecond === 'flat-out' && this.#startMs > 0 && this.#lasts()) this.#arrive()
  }
}
