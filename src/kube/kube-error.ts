import { AppError, type ErrorCode } from '../core/errors.ts'
import { fieldAt, stringOf } from '../core/json.ts'

/** What a refusal consists of; `path` is without the query. */
export interface Refusal {
  readonly method: string
  readonly path: string
  /** HTTP status, or the code of an ERROR event inside a watch. */
  readonly status: number
  readonly message: string
  /** How long the server asks to be left alone, ms. */
  readonly retryAfterMs?: number | undefined
  /** Time by the clock of the server, ms since the epoch. */
  readonly serverMs?: number | undefined
}

/**
 * The API server answered with a refusal: code KUBE_EXPIRED for status 410, KUBE_UNAVAILABLE for 429 and from 500 on, else
 * KUBE_REFUSED.
 * The message names method, path, status and the server's own words.
 */
export class KubeError extends AppError {
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly serverMs: number | undefined

  constructor(refusal: Refusal) {
    const { method, path, status, message, retryAfterMs, serverMs } = refusal
    super(codeOf(status), `${method} ${path}: status ${status}: ${message}`)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.serverMs = serverMs
  }
}

function codeOf(status: number): ErrorCode {
  if (status === 410) return 'KUBE_EXPIRED'
  return status === 429 || status >= 500 ? 'KUBE_UNAVAILABLE' : 'KUBE_REFUSED'
}

/** The stream of a watch cannot be read on (garbled, too long, without a version): what follows it is unknown. */
export class StreamBroken extends AppError {
  constructor(path: string, problem: string, cause?: unknown) {
    super('KUBE_REFUSED', `GET ${path}: watch unreadable: ${problem}`, { cause })
  }
}

/** How much of an unexpected answer (a proxy's page, say) is quoted in a message, characters. */
const MAX_QUOTE = 200

/**
 * Words of a refusal's body: the message of a Status object, else the beginning of the text.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export function refusalMessage(text: string): string {
  const message = stringOf(parsed(text), 'message')
  if (message !== undefined) return message
  return text.trim() === '' ? 'no message' : text.trim().slice(0, MAX_QUOTE)
}

/** Pause that a refusal asks for, ms: the Retry-After header in seconds, else the Status object's own field. */
export function retryAfterMs(header: unknown, status: unknown): number | undefined {
  const seconds = typeof header === 'string' ? header : fieldAt(status, 'details', 'retryAfterSeconds')
  const number = Number(seconds ?? Number.NaN)
  return Number.isFinite(number) && number >= 0 ? number * 1000 : undefined
}

/** Time by the clock of a server, from its Date header; undefined when it sent none, ms since the epoch. */
export function serverMs(header: unknown): number | undefined {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** The refusal that an HTTP answer or an ERROR event stands for. */
export function refusalOf(
  request: { readonly method: string; readonly path: string },
  answer: {
    readonly status: number
    readonly text: string
    readonly retryAfter?: unknown
    readonly date?: unknown
  }
): KubeError {
  return new KubeError({
    method: request.method,
    path: request.path,
    status: answer.status,
    message: refusalMessage(answer.text),
    retryAfterMs: retryAfterMs(answer.retryAfter, parsed(answer.text)),
    serverMs: serverMs(answer.date)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the caller quotes the text instead
  }
}
