import { z } from 'zod'
import {
  type DayPeak,
  type DeviceLabels,
  type DeviceMetric,
  type DeviceSeries,
  seriesKey
} from '../core/usage/dialect-series.ts'

/** Longest time that daily maxima are kept, days. */
export const KEPT_DAYS = 28

/** Most series that are kept; of the namespaces with the most, those seen last the longest ago make room. */
export const KEPT_SERIES = 20_000

/**
 * Bound on the size of the state as JSON, bytes for one series: 28 days of at most 100 bytes, and labels of at most 12 texts with
 * 253 characters each, which real names stay far below (some 400 bytes together).
 */
export const MAX_SERIES_BYTES = 28 * 100 + 12 * 253 * 4

/** One day: start of the day, maximum, its time, samples, first and last time; times are seconds after the start. */
const StateDay = z.tuple([
  z.int().nonnegative(),
  z.number().nonnegative(),
  z.int().nonnegative(),
  z.int().positive(),
  z.int().nonnegative(),
  z.int().nonnegative()
])

const text = z.string().max(253)

const StateSeries = z.object({
  labels: z.object({
    namespace: text,
    pod: text,
    podUid: text.exactOptional(),
    container: text,
    node: text,
    gpuUuid: text,
    gpuIndex: text,
    gpuInstanceId: text.exactOptional(),
    migProfile: text.exactOptional(),
    model: text,
    replica: text.exactOptional(),
    perProcess: z.boolean()
  }),
  metric: z.enum(['memory', 'memory-ratio', 'sm-active', 'gr-engine-active']),
  metricName: text,
  days: z.array(StateDay).max(KEPT_DAYS)
})

/** One series of a state; compact, since it is kept in the status of an object. */
export type StateSeries = z.infer<typeof StateSeries>

/** Daily maxima as JSON: what `ScrapeStore.export` gives and `ScrapeStore.restore` takes. */
export const ScrapeState = z.object({ version: z.literal(1), series: z.array(z.unknown()).max(KEPT_SERIES) })

/** Daily maxima as JSON; series that are none are left out when it is read. */
export type ScrapeState = z.infer<typeof ScrapeState>

interface OpenDay {
  max: number
  maxAtMs: number
  samples: number
  firstMs: number
  lastMs: number
}

interface OpenSeries {
  readonly labels: DeviceLabels
  readonly metric: DeviceMetric
  readonly metricName: string
  readonly days: Map<number, OpenDay>
  lastMs: number
}

/** One believable value. */
export interface Observation {
  readonly labels: DeviceLabels
  readonly metric: DeviceMetric
  readonly metricName: string
  readonly timeMs: number
  readonly value: number
}

const DAY_MS = 86_400_000

/** Daily maxima that grow with each observation; bounded in days and series. */
export class ScrapeStore {
  readonly #series = new Map<string, OpenSeries>()
  readonly #maxSeries: number
  /** Newest day of the series that had to go, by their namespace. */
  readonly #droppedTo = new Map<string, number>()

  constructor(maxSeries = KEPT_SERIES) {
    this.#maxSeries = maxSeries
  }

  /** Takes up a value; returns how many series had to go to make room. */
  observe({ labels, metric, metricName, timeMs, value }: Observation): number {
    const series = this.#open(labels, metric, metricName)
    const dayMs = Math.floor(timeMs / DAY_MS) * DAY_MS
    const day = series.days.get(dayMs)
    const seen = { max: value, maxAtMs: timeMs, samples: 1, firstMs: timeMs, lastMs: timeMs }
    series.days.set(dayMs, day === undefined ? seen : join(day, seen))
    series.lastMs = Math.max(series.lastMs, timeMs)
    return this.#makeRoom()
  }

  /** Drops the days that are too old, and the series that have none left. */
  forgetBefore(fromMs: number): void {
    for (const [key, { days }] of this.#series) {
      for (const dayMs of days.keys()) if (dayMs < fromMs) days.delete(dayMs)
      if (days.size === 0) this.#series.delete(key)
    }
    for (const [namespace, dayMs] of this.#droppedTo) if (dayMs < fromMs) this.#droppedTo.delete(namespace)
  }

  /** Namespaces of pods whose series had to go although they tell of days from `fromMs` on, sorted. */
  droppedSince(fromMs: number): readonly string[] {
    return [...this.#droppedTo].flatMap(([namespace, dayMs]) => (dayMs >= fromMs ? namespace : [])).sort()
  }

  /** Everything from `fromMs` on, in a fixed order. */
  list(fromMs: number): readonly DeviceSeries[] {
    return this.#sorted().map(({ labels, metric, metricName, days }) => {
      const peaks = [...days].filter(([dayMs]) => dayMs >= fromMs).sort(([a], [b]) => a - b)
      return { labels, metric, metricName, days: peaks.map(([dayMs, day]): DayPeak => ({ dayMs, ...day })) }
    })
  }

  /** The maxima of the series that `isWanted` chooses, as JSON; at most MAX_SERIES_BYTES for each series. */
  export(isWanted: (labels: DeviceLabels) => boolean = () => true): ScrapeState {
    const wanted = this.#sorted().filter(({ labels }) => isWanted(labels))
    return { version: 1, series: wanted.map(toState) }
  }

  /** Joins what was exported before with what is known; whatever cannot be read is left out. Returns how many series that were. */
  restore(raw: unknown): number {
    const state = ScrapeState.safeParse(raw)
    if (!state.success) return 1
    let unread = 0
    for (const item of state.data.series) {
      const series = StateSeries.safeParse(item)
      if (series.success) this.#join(series.data)
      else unread += 1
    }
    this.#makeRoom()
    return unread
  }

  #sorted(): readonly OpenSeries[] {
    const entries = [...this.#series].sort(([a], [b]) => (a < b ? -1 : 1))
    return entries.map(([, series]) => series)
  }

  #open(labels: DeviceLabels, metric: DeviceMetric, metricName: string): OpenSeries {
    const key = seriesKey(labels, metric)
    const series = this.#series.get(key) ?? {
      labels,
      metric,
      metricName,
      days: new Map<number, OpenDay>(),
      lastMs: 0
    }
    this.#series.set(key, series)
    return series
  }

  #join({ labels, metric, metricName, days }: StateSeries): void {
    const series = this.#open(labels, metric, metricName)
    for (const [dayMs, max, maxAt, samples, first, last] of days) {
      const at = (seconds: number): number => dayMs + seconds * 1000
      const kept = { max, maxAtMs: at(maxAt), samples, firstMs: at(first), lastMs: at(last) }
      const day = series.days.get(dayMs)
      series.days.set(dayMs, day === undefined ? kept : joinKept(day, kept))
      series.lastMs = Math.max(series.lastMs, kept.lastMs)
    }
  }

  #makeRoom(): number {
    if (this.#series.size <= this.#maxSeries) return 0
    // a tenth more than needed, so that the order is not looked up for every new series
    const going = seriesToDrop(this.#series, this.#maxSeries - Math.floor(this.#maxSeries / 10))
    for (const [key, { labels, lastMs }] of going) {
      this.#series.delete(key)
      const dayMs = Math.floor(lastMs / DAY_MS) * DAY_MS
      const { namespace } = labels // '' is of devices, which are nobody's evidence
      if (namespace !== '')
        this.#droppedTo.set(namespace, Math.max(dayMs, this.#droppedTo.get(namespace) ?? 0))
    }
    return going.length
  }
}

type Entry = readonly [key: string, series: OpenSeries]

/**
 * What has to go so that `room` series stay: every namespace may have the same number, and of one that has more, those seen last the
 * longest ago go. So nobody loses history because somebody else makes many pods.
 */
function seriesToDrop(all: Iterable<Entry>, room: number): readonly Entry[] {
  const byNamespace = [...Map.groupBy(all, ([, { labels }]) => labels.namespace).values()]
  const each = fairShare(
    byNamespace.map(({ length }) => length),
    room
  )
  return byNamespace.flatMap((entries) =>
    entries
      .toSorted(([one, a], [other, b]) => a.lastMs - b.lastMs || (one < other ? -1 : 1))
      .slice(0, Math.max(0, entries.length - each))
  )
}

/**
 * The most that each may have so that all together have no more than `room`.
 * @example counts 2, 10 and 20 in a room of 20 give 9
 */
function fairShare(counts: readonly number[], room: number): number {
  let left = room
  const sorted = counts.toSorted((a, b) => a - b)
  for (const [index, count] of sorted.entries()) {
    const each = Math.floor(left / (sorted.length - index))
    if (count > each) return each
    left -= count
  }
  return sorted.at(-1) ?? 0
}

/** Of what was kept a part may be there already, as when the lease is lost and won again: no sample counts twice. */
function joinKept(known: OpenDay, kept: OpenDay): OpenDay {
  return { ...join(known, kept), samples: Math.max(known.samples, kept.samples) }
}

function join(left: OpenDay, right: OpenDay): OpenDay {
  const high = right.max > left.max ? right : left
  return {
    max: high.max,
    maxAtMs: high.maxAtMs,
    samples: left.samples + right.samples,
    firstMs: Math.min(left.firstMs, right.firstMs),
    lastMs: Math.max(left.lastMs, right.lastMs)
  }
}

function toState({ labels, metric, metricName, days }: OpenSeries): StateSeries {
  const sorted = [...days].sort(([a], [b]) => a - b).slice(-KEPT_DAYS)
  return {
    labels,
    metric,
    metricName,
    days: sorted.map(([dayMs, day]) => {
      const after = (timeMs: number): number => Math.floor((timeMs - dayMs) / 1000)
      return [dayMs, day.max, after(day.maxAtMs), day.samples, after(day.firstMs), after(day.lastMs)]
    })
  }
}
