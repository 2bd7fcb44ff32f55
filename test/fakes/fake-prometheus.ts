import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'

/** One series of the fake, with its samples. */
export interface FakeSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Times (ms) and values, in any order. */
  readonly samples: readonly (readonly [timeMs: number, value: number])[]
}

/** A request that was received. */
export interface SeenQuery {
  readonly path: string
  readonly form: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** What is sent instead of the right answer; undefined sends the right one. */
export type Misbehave = (
  seen: SeenQuery,
  response: ServerResponse
) => Promise<'handled' | undefined> | 'handled' | undefined

/** Prometheus as far as our queries go: it holds series and answers the few forms of query that we send. */
export interface FakePrometheus {
  readonly url: string
  /** Every request so far. */
  readonly seen: SeenQuery[]
  series: readonly FakeSeries[]
  /** Warnings of every answer. */
  warnings: readonly string[]
  misbehave: Misbehave | undefined
  close(): Promise<void>
}

/** Starts the fake on a free loopback port; with `tls` it serves HTTPS. */
export async function startFakePrometheus(tls?: ServerOptions): Promise<FakePrometheus> {
  const state: Pick<FakePrometheus, 'seen' | 'series' | 'warnings' | 'misbehave'> = {
    seen: [],
    series: [],
    warnings: [],
    misbehave: undefined
  }
  const listener: RequestListener = (request, response) => {
    serve(request, response).catch(() => response.destroy())
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return Object.assign(state, {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    let body = ''
    for await (const piece of request) body += String(piece)
    const form = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams
    const seen: SeenQuery = { path: url.pathname, form, headers: request.headers }
    state.seen.push(seen)
    if ((await state.misbehave?.(seen, response)) === 'handled') return
    const data = answer(seen, state.series)
    const warnings = state.warnings.length === 0 ? {} : { warnings: state.warnings }
    response.setHeader('content-type', 'application/json')
    if (data === undefined) {
      response.statusCode = 400
      response.end(
        JSON.stringify({ status: 'error', errorType: 'bad_data', error: 'the fake cannot read this query' })
      )
    } else response.end(JSON.stringify({ status: 'success', data, ...warnings }))
  }
}

function answer({ path, form }: SeenQuery, all: readonly FakeSeries[]): unknown {
  if (path === '/api/v1/query') return evaluate(form.get('query') ?? '', Number(form.get('time')) * 1000, all)
  const chosen = select(form.get('match[]') ?? '', all)
  if (chosen === undefined) return undefined
  const [, label] = /^\/api\/v1\/label\/(\w+)\/values$/.exec(path) ?? []
  const labelled = chosen.map(({ name, labels }): Record<string, string> => ({ ...labels, __name__: name }))
  if (label !== undefined) return unique(labelled.flatMap((labels) => labels[label] ?? []))
  return path === '/api/v1/labels' ? unique(labelled.flatMap((labels) => Object.keys(labels))) : undefined
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}

const aggregate = /^(?:min|max) by \(([\w,]*)\) \((.*)\)$/
const overTime = /^(min|max|count)_over_time\((.*)\[(\d+)s\]\)$/
const spans = /^(min|max)_over_time\(timestamp\((.*)\)\[(\d+)s:60s\]\)$/
const raw = /^(\w*\{.*\})\[(\d+)s\]$/
const newest = /^max\(timestamp\((.*)\)\)$/

function evaluate(query: string, timeMs: number, all: readonly FakeSeries[]): unknown {
  const rawRange = raw.exec(query)
  if (rawRange !== null) {
    return matrix(within(rawRange[1] ?? '', { all, timeMs, seconds: Number(rawRange[2]) }), timeMs)
  }
  const newestSelector = newest.exec(query)?.[1]
  if (newestSelector !== undefined)
    return newestOf(within(newestSelector, { all, timeMs, seconds: 300 }), timeMs)
  const parts = aggregate.exec(query)
  return parts === null ? undefined : evaluateAggregate(query, parts, { all, timeMs })
}

function evaluateAggregate(
  query: string,
  [, by = '', inner = '']: RegExpExecArray,
  { all, timeMs }: Pick<Range, 'all' | 'timeMs'>
): unknown {
  const reading = readingOf(inner)
  if (reading === undefined) return undefined
  const series = within(reading.select, { all, timeMs, seconds: reading.seconds })
  const outer = query.startsWith('min') ? 'min' : 'max'
  return series && aggregated(series, { by: by.split(','), outer, valueOf: reading.valueOf }, timeMs)
}

function newestOf(series: readonly FakeSeries[] | undefined, timeMs: number): unknown {
  const times = (series ?? []).flatMap(({ samples }) => samples.map(([at]) => at / 1000))
  return vector(times.length === 0 ? [] : [{ metric: {}, value: Math.max(...times) }], timeMs)
}

interface Reading {
  readonly select: string
  readonly seconds: number
  readonly valueOf: (samples: FakeSeries['samples']) => number
}

function readingOf(inner: string): Reading | undefined {
  const [, end, ofTimes, timeSeconds] = spans.exec(inner) ?? []
  if (end !== undefined && ofTimes !== undefined) {
    const valueOf: Reading['valueOf'] = (samples) =>
      reduce(
        end,
        samples.map(([at]) => at / 1000)
      )
    return { select: ofTimes, seconds: Number(timeSeconds), valueOf }
  }
  const [, kind, select, seconds] = overTime.exec(inner) ?? []
  if (kind === undefined || select === undefined) return undefined
  return {
    select,
    seconds: Number(seconds),
    valueOf: (samples) =>
      reduce(
        kind,
        samples.map(([, value]) => value)
      )
  }
}

interface Aggregation {
  readonly by: readonly string[]
  readonly outer: 'min' | 'max'
  readonly valueOf: Reading['valueOf']
}

function aggregated(
  series: readonly FakeSeries[],
  { by, outer, valueOf }: Aggregation,
  timeMs: number
): unknown {
  const rows = new Map<string, { metric: Record<string, string>; value: number }>()
  for (const { labels, samples } of series) {
    const metric = Object.fromEntries(by.flatMap((name) => (labels[name] ? [[name, labels[name]]] : [])))
    const key = JSON.stringify(metric)
    const before = rows.get(key)
    const value = valueOf(samples)
    rows.set(key, { metric, value: before === undefined ? value : reduce(outer, [before.value, value]) })
  }
  return vector([...rows.values()], timeMs)
}

function reduce(kind: string, values: readonly number[]): number {
  if (kind === 'count') return values.length
  const numbers = values.filter((value) => !Number.isNaN(value))
  if (numbers.length === 0) return Number.NaN
  return kind === 'min' ? Math.min(...numbers) : Math.max(...numbers)
}

interface Range {
  readonly all: readonly FakeSeries[]
  readonly timeMs: number
  readonly seconds: number
}

/** Series with samples after the start of the range and up to its end. */
function within(text: string, { all, timeMs, seconds }: Range): readonly FakeSeries[] | undefined {
  return select(text, all)
    ?.map((series) => ({
      ...series,
      samples: series.samples.filter(([at]) => at > timeMs - seconds * 1000 && at <= timeMs)
    }))
    .filter(({ samples }) => samples.length > 0)
}

/** Reads `NAME{label="value",…}` with the operators that we send, as the real one would. */
function select(text: string, all: readonly FakeSeries[]): readonly FakeSeries[] | undefined {
  const [, name, inside] = /^(\w*)\{(.*)\}$/s.exec(text) ?? []
  if (name === undefined || inside === undefined) return undefined
  const matchers = [...inside.matchAll(/(\w+)(=~|!~|=)("(?:[^"\\]|\\.)*")/g)]
  if (matchers.map(([whole]) => whole).join(',') !== inside) return undefined
  return all.filter((series) => {
    if (name !== '' && series.name !== name) return false
    return matchers.every(([, label = '', operator = '', literal = '""']) => {
      const wanted: unknown = JSON.parse(literal.replace(/\\x(..)/g, '\\u00$1'))
      const value = label === '__name__' ? series.name : (series.labels[label] ?? '')
      if (operator === '=') return value === wanted
      const [, caseless, pattern] = /^\(\?(i):(.*)\)$/s.exec(String(wanted)) ?? []
      const matches = new RegExp(`^(?:${pattern ?? String(wanted)})$`, caseless).test(value)
      return (operator === '=~') === matches
    })
  })
}

function vector(rows: readonly { metric: object; value: number }[], timeMs: number): unknown {
  return {
    resultType: 'vector',
    result: rows.map(({ metric, value }) => ({ metric, value: [timeMs / 1000, print(value)] }))
  }
}

function matrix(series: readonly FakeSeries[] | undefined, timeMs: number): unknown {
  return {
    resultType: 'matrix',
    result: (series ?? []).map(({ name, labels, samples }) => ({
      metric: { __name__: name, ...labels },
      values: [...samples]
        .sort(([a], [b]) => a - b)
        .filter(([at]) => at <= timeMs)
        .map(([at, value]) => [at / 1000, print(value)])
    }))
  }
}

function print(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
