import { cleanLabel } from '../core/usage/dialect-labels.ts'
import type { SourceFault, SourceFaultKind } from '../ports/usage-source.ts'

/** Trouble as a value: what kind, a sentence, and how long the other side asks to be left alone. */
export interface Fault {
  readonly kind: SourceFaultKind
  readonly message: string
  readonly retryAfterMs?: number
}

/** Longest message of a fault, characters. */
const MAX_MESSAGE = 300

/** A fault whose message may hold text of strangers. */
export function faultOf(kind: SourceFaultKind, message: string, retryAfterMs?: number): Fault {
  return { kind, message: cleanText(message), ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Text of a stranger made fit for a log line: no control characters, at most 300 characters. */
export function cleanText(text: string): string {
  const parts = text.slice(0, MAX_MESSAGE).match(/.{1,200}/gs) ?? []
  return parts.map(cleanLabel).join('')
}

/** Kinds after which asking the same address again in this reading is of no use. */
const hopeless: ReadonlySet<SourceFaultKind> = new Set([
  'unreachable',
  'tls',
  'redirected',
  'unauthorised',
  'credentials',
  'budget',
  'aborted'
])

/** Whether the rest of a reading is given up after a fault of this kind. */
export function endsReading(kind: SourceFaultKind): boolean {
  return hopeless.has(kind)
}

/** Faults of one reading, each kind once with its count and its first message. */
export class FaultBook {
  readonly #faults = new Map<SourceFaultKind, SourceFault>()

  /** Counts one fault. */
  add({ kind, message }: Fault): void {
    const before = this.#faults.get(kind)
    this.#faults.set(kind, { kind, message: before?.message ?? message, count: (before?.count ?? 0) + 1 })
  }

  /** All of them, by kind. */
  list(): readonly SourceFault[] {
    return [...this.#faults.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1))
  }
}

/** Codes of errors that mean that the other side's certificate or TLS is at fault. @source Node.js, X509 certificate error codes */
const tlsCode =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET|DECODE|DECRYPT)_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH|ERR_OSSL)/

/** The fault behind an error that a connection threw. */
export function faultOfError(error: unknown, where: string): Fault {
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const text = `${where}: ${message === '' ? code : message}`
  return tlsCode.test(code) ? faultOf('tls', text) : faultOf('unreachable', text)
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code: unknown = 'code' in error ? error.code : undefined
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code
  return error.cause === undefined ? '' : codeOf(error.cause)
}
