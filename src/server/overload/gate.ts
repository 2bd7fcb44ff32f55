import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '../../ports/log.ts'
import type { OverloadMetrics, ShedCause } from '../../ports/metrics.ts'
import { type Lane, laneAt, WaitingLine } from './lanes.ts'
import { isSmall, LargeBodies } from './large-bodies.ts'
import { LineClock } from './line-clock.ts'
import { Pace } from './pace.ts'
import { ShedLog } from './shed-log.ts'

/** What answers a request. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** What the gate works with. */
export interface GateParts {
  /** Answers what is let in. */
  readonly serve: Listener
  /** Larger bodies are refused by `serve` before they are read, bytes. */
  readonly largestBodyBytes: number
  /** Whether the process is about to stop; every answer then asks its client to close the connection. */
  readonly isDraining: () => boolean
  readonly log: Log
  readonly metrics: OverloadMetrics
  /** How long a body may take to arrive once its request is let in, ms; default: 10 s, longer than any API server waits. */
  readonly bodyMs?: number
}

const BODY_MS = 10_000

/**
 * So long reviews are served before it is looked who else has come, ms: as long as the last look took, so that sending back never takes more
 * than half of the time, but within these bounds, since whoever is sent back waits for the end of it.
 */
const SLICE_MS = { least: 4, most: 12 }

/** A review that has waited so long by any clock, ms, is sent back after all: no webhook has a timeout below 2 s, and nobody would hear its answer. */
const LATE_MS = 1_500

/** Whoever is sent back may come again after this time, s; API servers do so within the timeout of the webhook. */
const RETRY_AFTER_SECONDS = '1'

const BUSY = JSON.stringify({ code: 'OVERLOADED', message: 'too much to do, try again' })

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly lane: Lane
  /** When it came, by the clock of the process, ms. */
  readonly cameMs: number
}

/**
 * Stands before everything else and lets in what can be answered in time. Requests that have arrived wait in lanes, and those of the first
 * lane are served first. One that would have to wait too long is sent back at once: 503 with `Retry-After`, before its body is
 * looked at.
 */
export class Gate {
  readonly #parts: GateParts
  readonly #clock = new LineClock()
  readonly #line = new WaitingLine<Waiting>()
  readonly #pace = new Pace()
  readonly #bodies: LargeBodies
  readonly #shedLog: ShedLog
  /** The last answer that a connection is to get, or got. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>()
  /** End of the time for serving before the next look at who has come; undefined: that look has been taken. */
  #sliceEndMs: number | undefined
  #nextSliceIsDue = false
  /** When the last request was served; undefined: nobody waited since. */
  #servedMs: number | undefined

  constructor(parts: GateParts) {
    this.#parts = parts
    this.#bodies = new LargeBodies(parts.largestBodyBytes)
    this.#shedLog = new ShedLog(parts.log)
  }

  /** Takes a request that has arrived; its body may still be on the way. */
  readonly admit: Listener = (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    if (this.#answers.get(socket)?.writableEnded === false) return this.#cutPipelining(socket)
    this.#answers.set(socket, response)
    const lane = laneAt(request.url ?? '')
    const nowMs = this.#clock.nowMs()
    if (this.#waitMs(lane, nowMs) > lane.waitMs) return this.#shed(request, response, { lane, cause: 'busy' })
    const bytes = this.#bodies.take(request)
    if (bytes === undefined) return this.#shed(request, response, { lane, cause: 'bodies' })
    if (bytes > 0) response.once('close', () => this.#bodies.giveBack(bytes))
    this.#sliceEndMs = undefined
    this.#line.push(lane, { request, response, lane, cameMs: performance.now() }, nowMs)
    setImmediate(this.#turn)
  }

  /** How long one that comes now would have to wait: by what stands before it, and by how long others wait already. */
  #waitMs(lane: Lane, nowMs: number): number {
    return Math.max(this.#pace.expectedMs(this.#line.ahead(lane)), this.#line.waitedMs(lane, nowMs))
  }

  /** Ends what runs by itself. */
  close(): void {
    this.#shedLog.close()
  }

  /** One turn for each request that waits: turns come after everything that has arrived was read, so that the lanes can tell. */
  readonly #turn = (): void => {
    const nowMs = this.#clock.nowMs()
    this.#sliceEndMs ??= nowMs + this.#sliceMs(nowMs)
    if (nowMs > this.#sliceEndMs) return this.#waitForNextSlice()
    const next = this.#line.take(nowMs)
    if (next === undefined) return
    if (this.#servedMs !== undefined) this.#pace.measured(nowMs - this.#servedMs)
    this.#servedMs = this.#line.isEmpty() ? undefined : nowMs
    this.#letIn(next)
  }

  #sliceMs(nowMs: number): number {
    const lookMs = nowMs - (this.#servedMs ?? nowMs)
    return Math.min(Math.max(lookMs, SLICE_MS.least), SLICE_MS.most)
  }

  /** Immediates that are asked for now run after the next look at who has come, in this order. */
  #waitForNextSlice(): void {
    if (!this.#nextSliceIsDue) setImmediate(this.#beginSlice)
    this.#nextSliceIsDue = true
    setImmediate(this.#turn)
  }

  readonly #beginSlice = (): void => {
    this.#nextSliceIsDue = false
    this.#sliceEndMs = undefined
  }

  #letIn({ request, response, lane, cameMs }: Waiting): void {
    if (request.socket.destroyed) return
    if (performance.now() - cameMs > LATE_MS) return this.#shed(request, response, { lane, cause: 'busy' })
    if (!request.complete) this.#limitBody(request, response)
    this.#parts.serve(request, response)
  }

  /** Whoever sends a body byte by byte holds a connection, and nothing more, and not for long. */
  #limitBody({ socket }: IncomingMessage, response: ServerResponse): void {
    const { bodyMs = BODY_MS, metrics } = this.#parts
    const timer = setTimeout(() => {
      metrics.connectionCut('slow')
      socket.destroy()
    }, bodyMs)
    response.once('close', () => clearTimeout(timer))
  }

  /** API servers never send a second request before the first is answered; whoever does could make a queue of its own. */
  #cutPipelining(socket: Duplex): void {
    this.#parts.metrics.connectionCut('pipelined')
    socket.destroy()
  }

  #shed(
    request: IncomingMessage,
    response: ServerResponse,
    { lane, cause }: { readonly lane: Lane; readonly cause: ShedCause }
  ): void {
    const { metrics, isDraining } = this.#parts
    metrics.shed(lane.webhook, cause)
    this.#shedLog.shed(lane.webhook, cause)
    response.writeHead(503, {
      'content-type': 'application/json',
      'content-length': BUSY.length,
      'retry-after': RETRY_AFTER_SECONDS,
      // What is left of a large body is not waited for.
      ...(isDraining() || !isSmall(request) ? { connection: 'close' } : {})
    })
    response.end(BUSY)
  }
}
