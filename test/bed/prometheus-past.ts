/** One series of past data. */
export interface PastSeries {
  readonly labels: Readonly<Record<string, string>>
  /** Value at a time; undefined for no sample. */
  readonly at: (timeMs: number) => number | undefined
}

/** One series with its samples at hand. */
export interface SampledSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly (readonly [timeMs: number, value: number])[]
}

/** Series with samples at any times as OpenMetrics text, without the end mark. */
export function* openMetricsOf(all: readonly SampledSeries[]): Generator<string> {
  for (const name of new Set(all.map((series) => series.name))) {
    yield `# TYPE ${name} gauge\n`
    for (const { labels, samples } of all.filter((series) => series.name === name)) {
      const head = headOf(name, labels)
      const sorted = [...samples].sort(([a], [b]) => a - b)
      yield sorted.map(([timeMs, value]) => `${head}${print(value)} ${timeMs / 1000}\n`).join('')
    }
  }
}

/** Past data of one metric. */
export interface PastMetric {
  readonly name: string
  readonly series: readonly PastSeries[]
}

/** When samples are. */
export interface PastTimes {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly everyMs: number
}

/** Length of the pieces that are written at once, characters. */
const PIECE = 1 << 20

/** The metrics as OpenMetrics text with timestamps, in pieces of about a megabyte, without the end mark. */
export function* openMetrics(
  metrics: readonly PastMetric[],
  { fromMs, toMs, everyMs }: PastTimes
): Generator<string> {
  let piece = ''
  for (const { name, series } of metrics) {
    piece += `# TYPE ${name} gauge\n`
    for (const { labels, at } of series) {
      const head = headOf(name, labels)
      for (let timeMs = fromMs; timeMs < toMs; timeMs += everyMs) {
        const value = at(timeMs)
        if (value === undefined) continue
        piece += `${head}${print(value)} ${timeMs / 1000}\n`
        if (piece.length < PIECE) continue
        yield piece
        piece = ''
      }
    }
  }
  yield piece
}

function headOf(name: string, labels: Readonly<Record<string, string>>): string {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`)
  return `${name}{${inside.join(',')}} `
}

/** @source https://github.com/prometheus/OpenMetrics, escaping of label values */
function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}

function print(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
