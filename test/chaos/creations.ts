import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { fieldAt, isRecord, type JsonRecord, stringOf } from '../../src/core/json.ts'

/** Pods that are created, and how often. */
export interface CreationOrder {
  /** `https://127.0.0.1:PORT` of the API server, and what is needed to be let in. */
  readonly url: string
  readonly ca: string
  readonly token: string
  readonly namespace: string
  /** Begins the name of every pod. */
  readonly prefix: string
  /** A pod that has to be let in and rewritten; each creation gives it a name of its own. */
  readonly pod: JsonRecord
  /** A pod that the policy has to refuse. */
  readonly breaking: JsonRecord
  /** Every so many creations one is of the pod that has to be refused. */
  readonly breakingEvery: number
  readonly perSecond: number
}

/** One creation and what came of it. */
export interface Creation {
  readonly isBreaking: boolean
  /** From the moment it was due to its answer, ms, attempts and pauses included. */
  readonly latencyMs: number
  /** How often it was sent; more than once where the API server refused or cut the connection. */
  readonly attempts: number
  /** Undefined where no answer came in time. */
  readonly status: number | undefined
  /** What the API server said of a failure, or the last fault of the connection. */
  readonly message: string
  /** Whether the pod was given a share; unknown where it is there but its answer was lost. */
  readonly share: 'given' | 'none' | 'unknown'
}

/** What was finished since the last look. */
export interface CreationBatch {
  readonly creations: readonly Creation[]
  /** Sent and not answered yet. */
  readonly inFlight: number
  /** Longest time for which the sender itself did not run, ms: as much of any latency may be its own. */
  readonly longestPauseMs: number
}

/** Longest wait for an answer, ms. An API server gives a request up after 34 s or 60 s by itself, so nothing of it is cut off here. */
export const PATIENCE_MS = 70_000

/** Shortest and longest pause before a creation is sent again, ms; spread, as clients do it, so that not all come at once. */
const AGAIN_MS = { shortest: 250, longest: 750 }

/** Pause between two looks whether a creation is due, ms. */
const TICK_MS = 4

/** Faults of a connection on which no answer came: the API server is not there, or was just leaving. */
const NOT_THERE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'])

/** Creates pods on schedule, whatever becomes of those before: a creation that hangs delays none that follows. */
export class Creations {
  readonly #order: CreationOrder
  readonly #agent: Agent
  readonly #open = new Set<Promise<void>>()
  #finished: Creation[] = []
  #longestPauseMs = 0
  #isEnding = false

  constructor(order: CreationOrder) {
    this.#order = order
    this.#agent = new Agent({
      connect: { ca: order.ca },
      allowH2: false,
      headersTimeout: PATIENCE_MS,
      bodyTimeout: PATIENCE_MS
    })
  }

  /** Sends until `end` is called. */
  async run(): Promise<void> {
    const startMs = performance.now()
    let beforeMs = startMs
    let count = 0
    while (!this.#isEnding) {
      const nowMs = performance.now()
      this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - beforeMs)
      beforeMs = nowMs
      for (; count <= ((nowMs - startMs) / 1000) * this.#order.perSecond; count += 1)
        this.#begin(count, startMs + (count / this.#order.perSecond) * 1000)
      await pause(TICK_MS)
    }
  }

  /** What was finished since the last call. */
  take(): CreationBatch {
    const batch = {
      creations: this.#finished,
      inFlight: this.#open.size,
      longestPauseMs: this.#longestPauseMs
    }
    this.#finished = []
    this.#longestPauseMs = 0
    return batch
  }

  /** Sends nothing new, waits for the answers that are due, and returns the rest. */
  async end(): Promise<CreationBatch> {
    this.#isEnding = true
    await Promise.all(this.#open)
    await this.#agent.close()
    return this.take()
  }

  #begin(count: number, dueMs: number): void {
    const { breakingEvery, prefix } = this.#order
    const isBreaking = count % breakingEvery === breakingEvery - 1
    const work = this.#create(`${prefix}-${count}`, isBreaking, dueMs).then((creation) => {
      this.#finished.push(creation)
      this.#open.delete(work)
    })
    this.#open.add(work)
  }

  async #create(name: string, isBreaking: boolean, dueMs: number): Promise<Creation> {
    const { pod, breaking } = this.#order
    const body = JSON.stringify(named(isBreaking ? breaking : pod, name))
    for (let attempts = 1; ; attempts += 1) {
      const answer = await this.#send(body, dueMs)
      const latencyMs = performance.now() - dueMs
      const isOver = answer.kind !== 'not-there' || latencyMs > PATIENCE_MS
      if (isOver) return { ...outcomeOf(answer, attempts), isBreaking, latencyMs, attempts }
      await pause(AGAIN_MS.shortest + Math.random() * (AGAIN_MS.longest - AGAIN_MS.shortest))
    }
  }

  async #send(body: string, dueMs: number): Promise<Sent> {
    const { url, token, namespace } = this.#order
    try {
      const response = await request(`${url}/api/v1/namespaces/${namespace}/pods`, {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(dueMs + PATIENCE_MS - performance.now()))),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body
      })
      return { kind: 'answer', status: response.statusCode, body: await response.body.json() }
    } catch (fault) {
      const code = isRecord(fault) ? stringOf(fault, 'code') : undefined
      return { kind: NOT_THERE.has(code ?? '') ? 'not-there' : 'no-answer', fault: String(fault) }
    }
  }
}

type Sent =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'not-there' | 'no-answer'; readonly fault: string }

function named(pod: JsonRecord, name: string): JsonRecord {
  const { metadata } = pod
  return { ...pod, metadata: { ...(isRecord(metadata) ? metadata : {}), name } }
}

function outcomeOf(sent: Sent, attempts: number): Pick<Creation, 'status' | 'message' | 'share'> {
  if (sent.kind !== 'answer') return { status: undefined, message: sent.fault, share: 'none' }
  const { status, body } = sent
  // Sent again and there already: the connection was cut after the pod had come in, and its answer is lost.
  if (status === 409 && attempts > 1) return { status: 201, message: '', share: 'unknown' }
  const message = status === 201 ? '' : (stringOf(body, 'message') ?? JSON.stringify(body))
  return { status, message, share: isShared(body) ? 'given' : 'none' }
}

/** A pod that was rewritten carries a label of ours, and asks for something else than it was sent with. */
function isShared(body: unknown): boolean {
  return (
    fieldAt(body, 'metadata', 'labels', 'rightslice.dev/slice') !== undefined &&
    !JSON.stringify(fieldAt(body, 'spec')).includes('"nvidia.com/gpu"')
  )
}
