/** One sample of an exporter's page. */
export interface TextSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** As printed. */
  readonly value: string
}

/** What a page held: samples of the wanted metrics, and how many of their lines could not be read. */
export interface TextPage {
  readonly samples: readonly TextSample[]
  readonly malformed: number
}

/** Longest line that is read, characters; one of the exporter has some 500. */
const MAX_LINE = 8192

/** Most labels that one sample may have. */
const MAX_LABELS = 64

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*/
const labelStart = /[\s,]*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"/y
const labelText = /((?:[^"\\]|\\.)*)"/y
const labelsEnd = /[\s,]*\}/y

/**
 * Reads the samples of some metrics from a page in the Prometheus text format, or in OpenMetrics: comments, timestamps and
 * exemplars are skipped, other metrics are passed over unread.
 * @source https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parseTextFormat(text: string, wanted: ReadonlySet<string>): TextPage {
  const samples: TextSample[] = []
  let malformed = 0
  for (const line of linesOf(text)) {
    const name = metricName.exec(line)?.[0]
    if (name === undefined || !wanted.has(name)) continue
    const sample = line.length > MAX_LINE ? undefined : parseSample(name, line)
    if (sample === undefined) malformed += 1
    else samples.push(sample)
  }
  return { samples, malformed }
}

function* linesOf(text: string): Generator<string> {
  let from = 0
  while (from < text.length) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    yield text.slice(from, to).trim()
    from = to + 1
  }
}

function parseSample(name: string, line: string): TextSample | undefined {
  const rest = line.slice(name.length).trimStart()
  const read = rest.startsWith('{') ? parseLabels(rest) : { labels: {}, after: rest }
  const value = read === undefined ? undefined : /^\S+/.exec(read.after.trimStart())?.[0]
  return read === undefined || value === undefined ? undefined : { name, labels: read.labels, value }
}

function parseLabels(text: string): { labels: Record<string, string>; after: string } | undefined {
  const labels: Record<string, string> = Object.create(null)
  let at = 1
  for (let count = 0; count <= MAX_LABELS; count += 1) {
    labelsEnd.lastIndex = at
    if (labelsEnd.test(text)) return { labels, after: text.slice(labelsEnd.lastIndex) }
    labelStart.lastIndex = at
    const label = labelStart.exec(text)?.[1]
    if (label === undefined) return undefined
    labelText.lastIndex = labelStart.lastIndex
    const value = labelText.exec(text)?.[1]
    if (value === undefined) return undefined
    labels[label] = unescape(value)
    at = labelText.lastIndex
  }
  return undefined
}

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, (whole, character: string) => escapes.get(character) ?? whole)
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['"', '"'],
  ['\\', '\\']
])
