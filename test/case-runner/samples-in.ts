import { isRecord, type JsonRecord, listOf, stringMapOf } from '../../src/core/json.ts'
import { recordOr } from './case-file.ts'

/** One value as the case gives it. */
export interface RawSample {
  /** Name of the metric; '' where only the query tells it. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Value as text: `NaN`, `+Inf`, `9.2e+18`. */
  readonly text: string
  /** Time as the case counts it, seconds; undefined for an instant that is not told. */
  readonly atSeconds: number | undefined
}

/** Parts of an input that hold no samples, whatever they look like. */
const NO_SAMPLES = new Set(['policy', 'policies', 'pod', 'cluster', 'source', 'nodeLabel', 'nodeLabels'])

/**
 * Every sample that a case gives, in any of its forms and under any key: lines of an exposition, lines with the name among the
 * labels, answers of the HTTP API (vector, matrix), labels beside a value or values, and bare values with times.
 */
export function samplesIn(input: JsonRecord): readonly RawSample[] {
  return Object.entries(input).flatMap(([key, value]) => (NO_SAMPLES.has(key) ? [] : walk(value)))
}

function walk(value: unknown): readonly RawSample[] {
  if (typeof value === 'string') return value.split('\n').flatMap((line) => fromLine(line.trim()) ?? [])
  if (Array.isArray(value)) return value.flatMap(walk)
  if (!isRecord(value)) return []
  const own = fromRecord(value)
  return own.length > 0 ? own : Object.values(value).flatMap(walk)
}

const line = /^([a-z_:][\w:]*)?\s*(?:\{(.*)\})?\s+([+-]?(?:\d|\.\d|inf|nan)[\w.+-]*)(?:\s+(\d+(?:\.\d+)?))?$/i
const label = /([a-zA-Z_][\w]*)\s*=\s*"((?:[^"\\]|\\.)*)"/g

function fromLine(text: string): RawSample | undefined {
  const [, name, inner, value = '', time] = text.startsWith('#') ? [] : (line.exec(text) ?? [])
  if (name === undefined && inner === undefined) return undefined
  if (inner === undefined && !isBare(text)) return undefined
  const labels = Object.fromEntries(
    [...(inner ?? '').matchAll(label)].map(([, key = '', own = '']) => [key, unescaped(own)])
  )
  return sample({ ...labels, ...(name !== undefined && { __name__: name }) }, value, toSeconds(time))
}

/** `name value` or `name value time` and nothing else; words of a sentence are none. */
function isBare(text: string): boolean {
  return /^\S+\s+\S+(\s+\d+)?$/.test(text)
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
}

/** `{metric, value}`, `{metric, values}`, `{labels, value}`, `{labels, samples}`, `{name, labels, v}`, `{t, v}`. */
function fromRecord(record: JsonRecord): readonly RawSample[] {
  const described = [record.metric, record.labels].find(isRecord)
  const name = [record.name, record.__name__, record.metric].find((value) => typeof value === 'string')
  const labels = {
    ...(typeof name === 'string' && { __name__: name }),
    ...(described === undefined ? {} : stringMapOf({ described: asText(described) }, 'described'))
  }
  const values = [record.values, record.samples].find(Array.isArray)
  if (values !== undefined && described !== undefined) {
    return values.flatMap((value) => fromValue(labels, value, undefined) ?? [])
  }
  const value = record.value ?? record.v
  if (value === undefined || (described === undefined && !hasTime(record))) return []
  return [fromValue(labels, value, timeOf(record))].filter((found) => found !== undefined)
}

function fromValue(
  labels: Readonly<Record<string, string>>,
  value: unknown,
  atSeconds: number | undefined
): RawSample | undefined {
  if (Array.isArray(value)) return sample(labels, String(value[1]), toSeconds(value[0]))
  if (isRecord(value)) return sample(labels, String(value.v ?? value.value), timeOf(value))
  return typeof value === 'string' || typeof value === 'number'
    ? sample(labels, String(value), atSeconds)
    : undefined
}

function sample(
  { __name__: name = '', ...labels }: Readonly<Record<string, string>>,
  text: string,
  atSeconds: number | undefined
): RawSample {
  return { name, labels, text, atSeconds }
}

const timeKeys = ['t', 'time', 'timestamp', 'at', 'ts']

function hasTime(record: JsonRecord): boolean {
  return timeKeys.some((key) => record[key] !== undefined)
}

function timeOf(record: JsonRecord): number | undefined {
  return toSeconds(timeKeys.map((key) => record[key]).find((value) => value !== undefined))
}

/** Seconds from seconds, milliseconds or a date; undefined for anything else. */
export function toSeconds(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value)) return Date.parse(value) / 1000
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  if (!Number.isFinite(number)) return undefined
  return number > 1e11 ? number / 1000 : number
}

function asText(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value)]))
}

/** Texts of an input that are words, not samples: who owns what, what is needed. */
export function wordsIn(input: JsonRecord): readonly string[] {
  const texts = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return fromLine(value) === undefined ? [value] : []
    if (Array.isArray(value)) return value.flatMap(texts)
    return isRecord(value) ? Object.entries(value).flatMap(([key, own]) => [key, ...texts(own)]) : []
  }
  const { policy: _policy, series: _series, result: _result, pod: _pod, ...rest } = input
  return texts(rest)
}

/** Records of a list of the input. */
export function recordsOf(input: JsonRecord, key: string): readonly JsonRecord[] {
  return listOf(input, key).filter(isRecord).map(recordOr)
}
