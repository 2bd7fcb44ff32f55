import { fieldAt, fieldOf, isRecord, listOf, stringOf, stringsOf } from '../core/json.ts'
import { parseSampleValue } from '../core/usage/dialect-value.ts'
import { type Fault, faultOf } from './fault.ts'

/** What an answer's envelope holds. */
export type Envelope =
  | { readonly kind: 'data'; readonly data: unknown; readonly warnings: readonly string[] }
  | { readonly kind: 'fault'; readonly fault: Fault }

/** One row of an instant vector. */
export interface VectorRow {
  readonly labels: Readonly<Record<string, string>>
  /** As printed by the server; may be NaN or infinite. */
  readonly value: number
}

/** All samples of one series. */
export interface MatrixRow {
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly { readonly timeMs: number; readonly value: number }[]
}

/** Rows that could be read, and how many could not. */
export interface Rows<T> {
  readonly rows: readonly T[]
  readonly malformed: number
}

/** Words of a server that the question was too big for it. */
const tooMuch = /too many|too much|limit|exceed|too large/i

/** Reads the envelope of the API. @source https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview */
export function readEnvelope(text: string, where: string): Envelope {
  const body = parsed(text)
  const status = fieldOf(body, 'status')
  if (status === 'error') return { kind: 'fault', fault: refusalOf(body, where) }
  if (status !== 'success') {
    return {
      kind: 'fault',
      fault: faultOf('bad-answer', `${where}: not an answer of the Prometheus API: ${text.slice(0, 80)}`)
    }
  }
  const partial = fieldOf(body, 'isPartial') === true ? ['isPartial is true'] : []
  return { kind: 'data', data: fieldOf(body, 'data'), warnings: [...stringsOf(body, 'warnings'), ...partial] }
}

function refusalOf(body: unknown, where: string): Fault {
  const type = stringOf(body, 'errorType') ?? ''
  const words = stringOf(body, 'error') ?? ''
  const message = `${where}: ${type}: ${words}`
  if (type === 'timeout' || type === 'canceled') return faultOf('timeout', message)
  return faultOf(tooMuch.test(words) ? 'too-large' : 'refused', message)
}

/** Rows of an instant vector; undefined when the data is something else. */
export function readVector(data: unknown): Rows<VectorRow> | undefined {
  return readRows(data, 'vector', (item) => {
    const labels = labelsOf(item)
    const value = valueOf(listOf(item, 'value')[1])
    return labels === undefined || value === undefined ? undefined : { labels, value }
  })
}

/** Rows of raw samples; undefined when the data is something else. */
export function readMatrix(data: unknown): Rows<MatrixRow> | undefined {
  return readRows(data, 'matrix', (item) => {
    const labels = labelsOf(item)
    const samples = listOf(item, 'values').flatMap((pair) => sampleOf(pair) ?? [])
    return labels === undefined ? undefined : { labels, samples }
  })
}

/** Strings of a list answer (label names, label values); undefined when the data is something else. */
export function readStrings(data: unknown): readonly string[] | undefined {
  return Array.isArray(data) ? data.filter((item) => typeof item === 'string') : undefined
}

function readRows<T>(
  data: unknown,
  type: string,
  read: (item: unknown) => T | undefined
): Rows<T> | undefined {
  const result = fieldAt(data, 'result')
  if (fieldAt(data, 'resultType') !== type || !Array.isArray(result)) return undefined
  const rows: T[] = []
  for (const item of result) {
    const row = read(item)
    if (row !== undefined) rows.push(row)
  }
  return { rows, malformed: result.length - rows.length }
}

/** The labels as they were parsed: copies of tens of thousands would cost more than everything that is kept. */
function labelsOf(item: unknown): Readonly<Record<string, string>> | undefined {
  const metric = fieldOf(item, 'metric')
  return areLabels(metric) ? metric : undefined
}

function areLabels(metric: unknown): metric is Readonly<Record<string, string>> {
  return isRecord(metric) && Object.values(metric).every((value) => typeof value === 'string')
}

function sampleOf(pair: unknown): { timeMs: number; value: number } | undefined {
  if (!Array.isArray(pair)) return undefined
  const [time, printed]: unknown[] = pair
  const value = valueOf(printed)
  if (typeof time !== 'number' || !Number.isFinite(time) || value === undefined) return undefined
  return { timeMs: Math.round(time * 1000), value }
}

/** Values are printed as strings, since JSON has no NaN. */
function valueOf(printed: unknown): number | undefined {
  return typeof printed === 'string' ? parseSampleValue(printed) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller quotes the text instead
  }
}
