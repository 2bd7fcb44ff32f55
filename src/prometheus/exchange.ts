import type { Dispatcher } from 'undici'
import type { SourceFaultKind } from '../ports/usage-source.ts'
import type { Access } from './access.ts'
import { cleanText, type Fault, faultOf, faultOfError } from './fault.ts'

/** One request with its bounds. */
export interface ExchangeRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  /** Sent as a form; absent: no body. */
  readonly form?: URLSearchParams
  readonly accept: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** A whole answer within the bounds, whatever its status below 300 or with a body that explains a refusal; or a fault. */
export type Exchanged =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly bytes: number }
  | { readonly kind: 'fault'; readonly fault: Fault; readonly bytes: number }

/** Longest pause that a server may ask for, ms. */
const MAX_RETRY_AFTER_MS = 30_000

/**
 * Sends one request and reads its answer, both within one time limit. Follows no redirect, since that would carry our
 * credentials to a place that nobody configured; stops reading as soon as the answer is larger than allowed. Never throws.
 */
export async function exchange(access: Access, request: ExchangeRequest): Promise<Exchanged> {
  const entry = await access.enter()
  if (entry.kind === 'fault') return { ...entry, bytes: 0 }
  const timeout = AbortSignal.timeout(request.timeoutMs)
  const signal = AbortSignal.any([timeout, request.signal])
  const where = `${request.url.origin}${request.url.pathname}`
  const counted = { bytes: 0 }
  try {
    const response = await entry.dispatcher.request({
      origin: request.url.origin,
      path: `${request.url.pathname}${request.url.search}`,
      method: request.method,
      headers: headersOf(request, entry.headers),
      body: request.form?.toString() ?? null,
      signal
    })
    return await readAnswer(request, response, counted)
  } catch (error) {
    return { kind: 'fault', fault: causeOf(request, error, timeout, where), bytes: counted.bytes }
  }
}

function headersOf(request: ExchangeRequest, own: Readonly<Record<string, string>>): Record<string, string> {
  const form = request.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  return { ...own, ...form, accept: request.accept, 'user-agent': 'rightslice' }
}

function causeOf(request: ExchangeRequest, error: unknown, timeout: AbortSignal, where: string): Fault {
  if (request.signal.aborted) return faultOf('aborted', `${where}: given up`)
  if (timeout.aborted)
    return faultOf('timeout', `${where}: no complete answer within ${request.timeoutMs} ms`)
  return faultOfError(error, where)
}

async function readAnswer(
  request: ExchangeRequest,
  response: Dispatcher.ResponseData,
  counted: { bytes: number }
): Promise<Exchanged> {
  const { statusCode: status, headers, body } = response
  const where = `${request.url.origin}${request.url.pathname}`
  const refusal = refusalOf(status, headers, where)
  const pieces: Buffer[] = []
  for await (const piece of body) {
    const bytes: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece)
    counted.bytes += bytes.length // the caller's record of what was read, also when reading fails
    if (counted.bytes > request.maxBytes) {
      const fault = refusal ?? faultOf('too-large', `${where}: more than ${request.maxBytes} bytes`)
      return { kind: 'fault', fault, bytes: counted.bytes } // leaving the loop ends the connection
    }
    pieces.push(bytes)
  }
  const text = Buffer.concat(pieces).toString('utf8')
  if (refusal === undefined) return { kind: 'answer', status, text, bytes: counted.bytes }
  const words = cleanText(text.trim()).slice(0, 160)
  const fault = { ...refusal, message: cleanText(`${refusal.message}${words === '' ? '' : `: ${words}`}`) }
  return { kind: 'fault', fault, bytes: counted.bytes }
}

type Headers = Dispatcher.ResponseData['headers']

/** The fault that a status stands for; 400 and 422 are answers, since their bodies say what is wrong with the query. */
function refusalOf(status: number, headers: Headers, where: string): Fault | undefined {
  const text = `${where}: status ${status}`
  if (status < 300 || status === 400 || status === 422) return faultOfEncoding(headers, where)
  if (status < 400) {
    const target = String(headers['location'] ?? 'nowhere')
    return faultOf(
      'redirected',
      `${text}, to ${target}: not followed; configure the address that answers itself`
    )
  }
  const pauseMs = retryAfterMs(headers['retry-after'])
  return faultOf(kindsByStatus.get(status) ?? (status >= 500 ? 'server-error' : 'refused'), text, pauseMs)
}

const kindsByStatus: ReadonlyMap<number, SourceFaultKind> = new Map([
  [401, 'unauthorised'],
  [403, 'unauthorised'],
  [407, 'unauthorised'],
  [413, 'too-large'],
  [429, 'throttled'],
  [503, 'throttled']
])

function faultOfEncoding(headers: Headers, where: string): Fault | undefined {
  const encoding = String(headers['content-encoding'] ?? 'identity')
  if (encoding === 'identity') return undefined
  return faultOf('bad-answer', `${where}: compressed (${encoding}) though that was not asked for`)
}

function retryAfterMs(header: unknown): number | undefined {
  const seconds = typeof header === 'string' ? Number(header) : Number.NaN
  return seconds >= 0 ? Math.min(MAX_RETRY_AFTER_MS, seconds * 1000) : undefined
}
