import { isRecord, type JsonRecord, stringMapOf, stringOf } from '../../src/core/json.ts'
import { exceedsDevice } from '../../src/core/usage/attribution/device-size.ts'
import type { KnownNode } from '../../src/core/usage/attribution/known.ts'
import {
  chooseOwnerFamily,
  findMetricDialect,
  type MetricDialect,
  type OwnerLabels,
  ownerFamilies,
  type SourceUnit
} from '../../src/core/usage/dialect.ts'
import { readLabels } from '../../src/core/usage/dialect-labels.ts'
import {
  type DayPeak,
  type DeviceLabels,
  type DeviceSeries,
  deviceKey,
  seriesKey
} from '../../src/core/usage/dialect-series.ts'
import { parseSampleValue, readValue } from '../../src/core/usage/dialect-value.ts'
import { type RawSample, samplesIn } from './samples-in.ts'

/** What the dialect made of the samples of a case. */
export interface ReadSamples {
  readonly series: readonly DeviceSeries[]
  /** Labels of everything that is about a GPU, also where no value of it is believed. */
  readonly seen: readonly DeviceLabels[]
  /** What was not believed: `blank`, `impossible`, … */
  readonly discarded: readonly string[]
  /** Names of metrics that nothing is known of. */
  readonly unknown: readonly string[]
  readonly nowMs: number
}

/** 1 January 2026: where times of a case begin that count from 0. */
const BASE_SECONDS = 1_767_225_600

const DAY_MS = 86_400_000

/** A memory metric is what bare samples are of. */
const USED = 'DCGM_FI_DEV_FB_USED'

/** Labels of samples that have none: those of the pod that the case describes. */
export const describedLabels = {
  namespace: 'team-a',
  pod: 'described',
  container: 'main',
  gpu: '0',
  UUID: 'GPU-described'
} as const

/** Reads the samples of a case as the sources do: metric, labels, value, then the highest of each day. */
export function readSamples(input: JsonRecord, nodeOf: (labels: DeviceLabels) => KnownNode): ReadSamples {
  const dialects = ownDialects(input)
  const samples = samplesIn(input).map((sample) => named(sample, input, dialects))
  const seconds = samples.map(({ atSeconds }) => absolute(atSeconds))
  const nowMs = (Math.max(BASE_SECONDS, ...seconds) + 60) * 1000
  const read: Read = { byKey: new Map(), seen: [], discarded: [] }
  const unknown = new Set<string>()
  const families = familiesOf(input)
  for (const [name, group] of Map.groupBy(samples, (sample) => sample.name)) {
    const dialect = findMetricDialect(name, dialects)
    if (dialect === undefined) unknown.add(name)
    const known = dialect ?? { name, metric: 'gr-engine-active', unit: 'ratio' }
    readMetric(read, { dialect: known, isRead: dialect !== undefined, group, families, nodeOf })
  }
  return {
    series: [...read.byKey.values()].map(toSeries),
    seen: read.seen,
    discarded: read.discarded,
    unknown: [...unknown],
    nowMs
  }
}

interface Found {
  readonly labels: DeviceLabels
  readonly dialect: MetricDialect
  readonly values: { readonly atMs: number; readonly value: number }[]
}

interface Read {
  readonly byKey: Map<string, Found>
  readonly seen: DeviceLabels[]
  readonly discarded: string[]
}

interface MetricSamples {
  readonly dialect: MetricDialect
  /** Whether the product reads this metric; of others only the labels are looked at. */
  readonly isRead: boolean
  readonly group: readonly RawSample[]
  readonly families: readonly OwnerLabels[]
  readonly nodeOf: (labels: DeviceLabels) => KnownNode
}

function readMetric(read: Read, metric: MetricSamples): void {
  const { dialect, isRead, group, families } = metric
  const family = chooseOwnerFamily(new Set(group.flatMap(({ labels }) => Object.keys(labels))), families)
  for (const sample of group) {
    const found = readLabels(sample.labels, dialect.metric, family)
    if (found.kind === 'labels') {
      if (deviceKey(found.labels) !== '') read.seen.push(found.labels)
      if (isRead) readSample(read, metric, { labels: found.labels, sample })
    } else if (isRead) read.discarded.push(found.why)
  }
}

function readSample(
  read: Read,
  { dialect, nodeOf }: MetricSamples,
  { labels, sample }: { readonly labels: DeviceLabels; readonly sample: RawSample }
): void {
  const value = readValue(parseSampleValue(sample.text), dialect.unit, labels.model)
  const why = value.kind === 'discard' ? value.why : undefined
  const isAbove =
    value.kind === 'value' &&
    dialect.metric === 'memory' &&
    exceedsDevice(value.value, labels, nodeOf(labels))
  if (value.kind === 'discard' || isAbove) {
    read.discarded.push(why ?? 'impossible')
    return
  }
  const key = `${dialect.name} ${seriesKey(labels, dialect.metric)}`
  const series = read.byKey.get(key) ?? { labels, dialect, values: [] }
  read.byKey.set(key, series)
  series.values.push({ atMs: absolute(sample.atSeconds) * 1000, value: value.value })
}

function toSeries({ labels, dialect, values }: Found): DeviceSeries {
  const days = Map.groupBy(values, ({ atMs }) => Math.floor(atMs / DAY_MS) * DAY_MS)
  return {
    labels,
    metric: dialect.metric,
    metricName: dialect.name,
    days: [...days].sort(([a], [b]) => a - b).map(([dayMs, own]) => toDay(dayMs, own))
  }
}

function toDay(dayMs: number, values: Found['values']): DayPeak {
  const max = Math.max(...values.map(({ value }) => value))
  const times = values.map(({ atMs }) => atMs)
  return {
    dayMs,
    max,
    maxAtMs: Math.min(...values.filter(({ value }) => value === max).map(({ atMs }) => atMs)),
    samples: values.length,
    firstMs: Math.min(...times),
    lastMs: Math.max(...times)
  }
}

/** Times that count from 0 begin on a day of our own. */
function absolute(atSeconds: number | undefined): number {
  if (atSeconds === undefined) return BASE_SECONDS
  return atSeconds < 1e9 ? BASE_SECONDS + atSeconds : atSeconds
}

/** Time of a case, ms since the epoch. */
export function toMs(atSeconds: number | undefined): number | undefined {
  return atSeconds === undefined ? undefined : absolute(atSeconds) * 1000
}

function named(sample: RawSample, input: JsonRecord, dialects: readonly MetricDialect[]): RawSample {
  const labels = Object.keys(sample.labels).length === 0 ? describedLabels : sample.labels
  if (sample.name !== '') return { ...sample, labels }
  const asked = ['query', 'range', 'metric', 'promql'].flatMap((key) => stringOf(input, key) ?? []).join(' ')
  const words = asked.match(/[a-zA-Z_:][\w:]*/g) ?? []
  const name = words.find((word) => findMetricDialect(word, dialects) !== undefined)
  return { ...sample, labels, name: name ?? dialects[0]?.name ?? USED }
}

const units: readonly SourceUnit[] = ['MiB', 'bytes', 'ratio', 'percent']

/** The metric that a case configures; without a unit it is taken for MiB, as ours are. */
function ownDialects({ source }: JsonRecord): readonly MetricDialect[] {
  const name = stringOf(source, 'metric')
  if (name === undefined) return []
  const known = findMetricDialect(name)
  const said = stringOf(source, 'unit')
  const unit = units.find((candidate) => candidate === said) ?? known?.unit ?? 'MiB'
  const isRatio = unit === 'ratio' || unit === 'percent'
  return [{ name, metric: known?.metric ?? (isRatio ? 'memory-ratio' : 'memory'), unit }]
}

/** Label names that a case configures come before the known ones. */
function familiesOf({ source }: JsonRecord): readonly OwnerLabels[] {
  if (!isRecord(source) || !isRecord(source.labels)) return ownerFamilies
  const { namespace = 'namespace', pod = 'pod', container = 'container' } = stringMapOf(source, 'labels')
  return [{ name: 'own', namespace, pod, container }, ...ownerFamilies]
}
