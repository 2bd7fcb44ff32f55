import { setTimeout as delay } from 'node:timers/promises'
import type { ReadingCost, SourceFault } from '../ports/usage-source.ts'
import type { Access } from './access.ts'
import { type Envelope, readEnvelope } from './api-answer.ts'
import { exchange } from './exchange.ts'
import { endsReading, type Fault, FaultBook, faultOf } from './fault.ts'
import { Limiter } from './limiter.ts'
import type { SourceLimits } from './source-options.ts'

/** What a reading asks with. */
export interface AskingMeans {
  readonly baseUrl: URL
  readonly access: Access
  readonly limits: SourceLimits
  /** Sent with every query. */
  readonly parameters: Readonly<Record<string, string>>
  readonly random: () => number
  readonly signal: AbortSignal
}

/** One question to the API; GET only where the API has nothing else. */
export interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly form: Readonly<Record<string, string>>
}

/** Upper bound of the first pause before a repeat, ms; doubles with each. */
const FIRST_PAUSE_MS = 400

/** The questions of one reading: bounded in number at a time, in time, in bytes and in repeats. */
export class Asking {
  readonly faults = new FaultBook()
  readonly #means: AskingMeans
  readonly #limiter: Limiter
  readonly #startedMs = performance.now()
  #queries = 0
  #bytes = 0
  #end: Fault | undefined

  constructor(means: AskingMeans) {
    this.#means = means
    this.#limiter = new Limiter(means.limits.concurrency)
  }

  /** Whether asking on is of no use. */
  get ended(): boolean {
    return this.#end !== undefined
  }

  /** What the reading cost so far. */
  cost(): ReadingCost {
    const elapsedMs = Math.round(performance.now() - this.#startedMs)
    return { queries: this.#queries, bytes: this.#bytes, elapsedMs }
  }

  /** The kinds of trouble met so far. */
  troubles(): readonly SourceFault[] {
    return this.faults.list()
  }

  /**
   * Asks one question, again with a pause when the server is busy or the connection breaks: reading changes nothing there.
   * Faults are in the book already, except `too-large` and `timeout`, which the caller may answer by asking for less.
   * @param question its path comes after the base address: `/api/v1/query`
   */
  ask(question: Question): Promise<Envelope> {
    return this.#limiter.run(() => this.#askInTurn(question))
  }

  async #askInTurn(question: Question): Promise<Envelope> {
    for (let attempt = 1; ; attempt += 1) {
      const envelope = this.#ending() ?? (await this.#askOnce(question))
      if (envelope.kind === 'data') return envelope
      const { fault } = envelope
      if (isWorthRepeating(fault) && attempt < this.#means.limits.attempts) {
        await this.#pause(fault, attempt)
        continue
      }
      if (endsReading(fault.kind)) this.#end ??= fault
      if (fault.kind !== 'too-large' && fault.kind !== 'timeout') this.faults.add(fault)
      return envelope
    }
  }

  /** The fault that stands for a question which is not asked any more. */
  #ending(): Envelope | undefined {
    const { limits, signal, baseUrl } = this.#means
    if (this.#end !== undefined) return { kind: 'fault', fault: this.#end }
    if (signal.aborted) return { kind: 'fault', fault: faultOf('aborted', `${baseUrl.origin}: given up`) }
    if (this.#leftMs() <= 0) return this.#spent(`${limits.readingTimeoutMs} ms`)
    if (this.#bytes >= limits.readingBytes) return this.#spent(`${limits.readingBytes} bytes`)
    return undefined
  }

  #spent(what: string): Envelope {
    return { kind: 'fault', fault: faultOf('budget', `${this.#means.baseUrl.origin}: ${what} are used up`) }
  }

  #leftMs(): number {
    return this.#means.limits.readingTimeoutMs - (performance.now() - this.#startedMs)
  }

  async #askOnce({ method, path, form }: Question): Promise<Envelope> {
    const { baseUrl, access, limits, parameters, signal } = this.#means
    const url = new URL(`${baseUrl.pathname.replace(/\/$/, '')}${path}`, baseUrl)
    const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.requestTimeoutMs, this.#leftMs())))
    this.#queries += 1
    const fields = new URLSearchParams({ ...parameters, ...form, timeout: `${timeoutMs}ms` })
    if (method === 'GET') url.search = fields.toString()
    const exchanged = await exchange(access, {
      url,
      method,
      ...(method === 'POST' && { form: fields }),
      accept: 'application/json',
      timeoutMs,
      maxBytes: limits.answerBytes,
      signal
    })
    this.#bytes += exchanged.bytes
    if (exchanged.kind === 'fault') return { kind: 'fault', fault: mend(exchanged.fault) }
    return readEnvelope(exchanged.text, `${url.origin}${url.pathname}`)
  }

  async #pause(fault: Fault, attempt: number): Promise<void> {
    const boundMs = FIRST_PAUSE_MS * 2 ** (attempt - 1)
    const pauseMs = (fault.retryAfterMs ?? 0) + Math.round(this.#means.random() * boundMs)
    const ms = Math.min(pauseMs, Math.max(0, this.#leftMs()))
    await delay(ms, undefined, { signal: this.#means.signal }).catch(() => undefined) // the next look sees the abort
  }
}

/** A query that took too long comes as status 503, like a busy server, but repeating it would only cost as much again. */
function mend(fault: Fault): Fault {
  const late = fault.kind === 'throttled' && /"errorType":\s*"(timeout|canceled)"/.test(fault.message)
  return late ? { ...fault, kind: 'timeout' } : fault
}

function isWorthRepeating({ kind }: Fault): boolean {
  return kind === 'throttled' || kind === 'server-error' || kind === 'unreachable'
}
