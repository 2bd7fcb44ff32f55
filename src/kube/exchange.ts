import type { Dispatcher } from 'undici'
import { AppError } from '../core/errors.ts'
import { refusalOf } from './kube-error.ts'

/** One request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with a slash; names are already encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Limit for the whole exchange, body included; default 30 000, 0 for none (watches). */
  readonly timeoutMs?: number
}

/** An answer with a status below 300. */
export interface KubeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body in pieces; leaving the loop early ends the exchange. @throws AppError KUBE_UNREACHABLE while iterated */
  readonly body: AsyncIterable<Uint8Array>
  /** The whole body. @throws AppError KUBE_UNREACHABLE, KUBE_REFUSED (not JSON) */
  json(): Promise<unknown>
}

/** Limit for one exchange that names none, ms. */
const DEFAULT_TIMEOUT_MS = 30_000

/** How much of a refusal's body is read, bytes; a Status object has a few hundred. */
const MAX_REFUSAL_BYTES = 64 * 1024

/**
 * The answer to hand out.
 * @throws KubeError when its status is 300 or more; AppError KUBE_UNREACHABLE when its words cannot be read
 */
export async function answerOf(
  request: KubeRequest,
  response: Dispatcher.ResponseData
): Promise<KubeResponse> {
  const { statusCode: status, headers, body } = response
  if (status >= 300) {
    throw refusalOf(request, {
      status,
      text: await beginningOf(request, body),
      retryAfter: headers['retry-after'],
      date: headers.date
    })
  }
  return { status, headers, body: piecesOf(request, body), json: () => jsonOf(request, response) }
}

async function* piecesOf(request: KubeRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw unreachable(request, cause)
  }
}

async function jsonOf(request: KubeRequest, response: Dispatcher.ResponseData): Promise<unknown> {
  const text = await response.body.text().catch((cause: unknown) => {
    throw unreachable(request, cause)
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    const what = `${request.method} ${request.path}: status ${response.statusCode} with a body that is not JSON`
    throw new AppError('KUBE_REFUSED', what, { cause })
  }
}

async function beginningOf(request: KubeRequest, body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of piecesOf(request, body)) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= MAX_REFUSAL_BYTES) break
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Reads away what is left of a body, so that its connection can serve again. */
export async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: MAX_REFUSAL_BYTES }).catch(() => undefined) // its content does not matter
}

/** A signal that follows the caller's and the time limit; `end` gives both up. */
export function limitExchange(request: KubeRequest): { signal: AbortSignal; end: () => void } {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = request
  const controller = new AbortController()
  const follow = () => controller.abort(signal?.reason)
  if (signal?.aborted === true) follow()
  signal?.addEventListener('abort', follow, { once: true })
  const expire = () => controller.abort(new Error(`no complete answer within ${timeoutMs} ms`))
  const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
  return { signal: controller.signal, end }
}

/** The fault that stands for an exchange without a complete answer. */
export function unreachable({ method, path }: KubeRequest, cause: unknown): AppError {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return new AppError('KUBE_UNREACHABLE', `${method} ${path}: ${problem}`, { cause })
}

/** What `promise` gives, unless `signal` aborts first. @throws the signal's reason */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
