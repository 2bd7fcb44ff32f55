import {
  type DayPeak,
  type DeviceLabels,
  type DeviceMetric,
  type DeviceSeries,
  deviceKey,
  seriesKey
} from '../core/usage/dialect-series.ts'

/** What was seen of one series on one day, and under which name of the metric. */
export interface Sighting {
  readonly labels: DeviceLabels
  readonly metric: DeviceMetric
  readonly metricName: string
  readonly peak: DayPeak
}

interface Kept {
  readonly labels: DeviceLabels
  readonly metric: DeviceMetric
  readonly metricName: string
  readonly days: Map<number, DayPeak>
}

/** Peaks by series and day, bounded in series; holds what is settled so that it need not be asked again. */
export class DayStore {
  readonly #series = new Map<string, Kept>()
  readonly #maxSeries: number
  /** Newest day of the series for which there was no room, by their namespace. */
  readonly #refusedTo = new Map<string, number>()

  constructor(maxSeries: number) {
    this.#maxSeries = maxSeries
  }

  /** Takes up a sighting: of several of one series and day the highest stays. False when there is no room for another series. */
  put({ labels, metric, metricName, peak }: Sighting): boolean {
    const key = seriesKey(labels, metric)
    const kept = this.#series.get(key)
    if (kept === undefined && this.#series.size >= this.#maxSeries) {
      const { namespace } = labels // '' is of devices, which are nobody's evidence
      const { dayMs } = peak
      if (namespace !== '')
        this.#refusedTo.set(namespace, Math.max(dayMs, this.#refusedTo.get(namespace) ?? dayMs))
      return false
    }
    const known = kept ?? { labels, metric, metricName, days: new Map<number, DayPeak>() }
    if (kept === undefined) this.#series.set(key, known)
    const before = known.days.get(peak.dayMs)
    known.days.set(peak.dayMs, before === undefined ? peak : mergePeaks(before, peak))
    return true
  }

  /** Notes first and last time of a day that is known already; of several copies the widest span stays. */
  putSpan(labels: DeviceLabels, dayMs: number, span: Pick<DayPeak, 'firstMs' | 'lastMs'>): void {
    for (const metric of metrics) {
      const kept = this.#series.get(
        seriesKey({ ...labels, perProcess: labels.perProcess && metric === 'memory' }, metric)
      )
      const peak = kept?.days.get(dayMs)
      if (kept !== undefined && peak !== undefined) kept.days.set(dayMs, { ...peak, ...widen(peak, span) })
    }
  }

  /** UUIDs of GPUs on which, or on one instance of which, several pods were seen on that day and not all with their times. */
  sharedGpus(dayMs: number): readonly string[] {
    const podsOf = new Map<string, { readonly uuid: string; readonly pods: Set<string>; timeless: boolean }>()
    for (const { labels, days } of this.#series.values()) {
      const peak = days.get(dayMs)
      if (peak === undefined || labels.pod === '' || labels.gpuUuid === '') continue
      const key = deviceKey(labels)
      const seen = podsOf.get(key) ?? { uuid: labels.gpuUuid, pods: new Set<string>(), timeless: false }
      seen.pods.add(`${labels.namespace}/${labels.pod}/${labels.podUid ?? ''}`)
      seen.timeless ||= peak.lastMs === undefined
      podsOf.set(key, seen)
    }
    const shared = [...podsOf.values()].filter(({ pods, timeless }) => pods.size > 1 && timeless)
    return [...new Set(shared.map(({ uuid }) => uuid))].sort()
  }

  /** Forgets the times of one day, so that they are asked again. */
  forgetSpans(dayMs: number): void {
    for (const { days } of this.#series.values()) {
      const peak = days.get(dayMs)
      if (peak?.lastMs === undefined) continue
      const { firstMs: _first, lastMs: _last, ...rest } = peak
      days.set(dayMs, rest)
    }
  }

  /** Drops the days before `fromMs` and the series that have none left. */
  forgetBefore(fromMs: number): void {
    for (const [key, { days }] of this.#series) {
      for (const dayMs of days.keys()) if (dayMs < fromMs) days.delete(dayMs)
      if (days.size === 0) this.#series.delete(key)
    }
    for (const [namespace, dayMs] of this.#refusedTo) if (dayMs < fromMs) this.#refusedTo.delete(namespace)
  }

  /** Namespaces of pods for whose series there was no room although they tell of days from `fromMs` on, sorted. */
  refusedSince(fromMs: number): readonly string[] {
    return [...this.#refusedTo].flatMap(([namespace, dayMs]) => (dayMs >= fromMs ? namespace : [])).sort()
  }

  /** Whether any series has a peak on that day. */
  hasDay(dayMs: number): boolean {
    for (const { days } of this.#series.values()) if (days.has(dayMs)) return true
    return false
  }

  /** Everything from `fromMs` on, sorted by series and day. */
  list(fromMs: number): readonly DeviceSeries[] {
    const keys = [...this.#series.keys()].sort()
    return keys.flatMap((key) => {
      const kept = this.#series.get(key)
      if (kept === undefined) return []
      const days = [...kept.days.values()].filter(({ dayMs }) => dayMs >= fromMs)
      days.sort((a, b) => a.dayMs - b.dayMs)
      return [{ labels: kept.labels, metric: kept.metric, metricName: kept.metricName, days }]
    })
  }
}

const metrics: readonly DeviceMetric[] = ['memory', 'memory-ratio', 'sm-active', 'gr-engine-active']

/** Two sightings of one day: the higher value with its time, the larger count (copies must not count twice), the wider span. */
export function mergePeaks(left: DayPeak, right: DayPeak): DayPeak {
  const high = right.max > left.max ? right : left
  const samples = largest(left.samples, right.samples)
  return {
    dayMs: left.dayMs,
    max: high.max,
    ...(high.maxAtMs !== undefined && { maxAtMs: high.maxAtMs }),
    ...(samples !== undefined && { samples }),
    ...widen(left, right)
  }
}

type Span = Pick<DayPeak, 'firstMs' | 'lastMs'>

function widen(left: Span, right: Span): Span {
  const firstMs = -(largest(negative(left.firstMs), negative(right.firstMs)) ?? Number.NaN)
  const lastMs = largest(left.lastMs, right.lastMs)
  return {
    ...(!Number.isNaN(firstMs) && { firstMs }),
    ...(lastMs !== undefined && { lastMs })
  }
}

function negative(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value
}

function largest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return Math.max(left, right)
}
