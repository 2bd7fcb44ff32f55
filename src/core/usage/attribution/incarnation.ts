import { compareText } from '../../compare-text.ts'
import type { DayPeak, DeviceLabels } from '../dialect-series.ts'
import { CLOCK_TOLERANCE_MS, DAY_MS, EXPORT_LAG_MS, type KnownPod } from './known.ts'

/** Which pod of a name a day's value is of. */
export type Incarnation =
  | { readonly kind: 'known'; readonly pod: KnownPod }
  /** A pod of that name of which nothing is known; `reused`: another pod has, or had, the name. */
  | { readonly kind: 'gone'; readonly reused: boolean }
  /** The exporter repeats what it had. */
  | { readonly kind: 'after-end' }

/** A day's value and what is known of the pods of its name. */
export interface Sighting {
  readonly labels: Pick<DeviceLabels, 'podUid' | 'node'>
  readonly day: DayPeak
  /** Pods of this namespace and name, in any order. */
  readonly pods: readonly KnownPod[]
  /** First day on which the name was seen, ms since the epoch. */
  readonly firstSeenDayMs: number
  /** Names of nodes that are known; another name in a label is that of an exporter, or of nothing. */
  readonly nodes: ReadonlySet<string>
  readonly nowMs: number
}

/** Finds the pod, by UID where there is one, else by time. In doubt the pod counts as gone, so that only its name speaks. */
export function incarnationOf(sighting: Sighting): Incarnation {
  const { labels, day, pods } = sighting
  const uid = labels.podUid
  const own = pods.filter(
    (pod) =>
      (uid === undefined || pod.uid === uid) &&
      (pod.node === '' || pod.node === labels.node || !sighting.nodes.has(labels.node))
  )
  if (own.length === 0) return goneOrStale(sighting)
  const living = own.filter((pod) => livesOn(pod, day.dayMs))
  if (living.length === 0) return outsideOfLives(own, day.dayMs)
  if (day.maxAtMs !== undefined) return atThatTime(living, day.maxAtMs)
  const [pod, ...others] = living
  if (pod === undefined || others.length > 0) return { kind: 'gone', reused: true }
  return withinLife(pod, uid !== undefined, sighting)
}

function goneOrStale({ day: { lastMs }, pods, nowMs }: Sighting): Incarnation {
  const isStillExported = lastMs !== undefined && lastMs >= nowMs - EXPORT_LAG_MS
  return isStillExported ? { kind: 'after-end' } : { kind: 'gone', reused: pods.length > 0 }
}

/** From the pods that live on the day, the one that lives at this time; the later one when two touch. */
function atThatTime(living: readonly KnownPod[], atMs: number): Incarnation {
  const [pod] = living
    .filter((candidate) => livesAt(candidate, atMs))
    .toSorted((a, b) => (b.startMs ?? 0) - (a.startMs ?? 0) || compareText(a.uid, b.uid))
  return pod === undefined ? outsideOfLives(living, atMs) : { kind: 'known', pod }
}

function outsideOfLives(pods: readonly KnownPod[], atMs: number): Incarnation {
  const isAfterAll = pods.every(({ endMs }) => endMs !== undefined && endMs < atMs)
  return isAfterAll ? { kind: 'after-end' } : { kind: 'gone', reused: true }
}

/** The only pod that lives on the day has the value, unless the series begins before it or goes on after it. */
function withinLife(pod: KnownPod, byUid: boolean, { day, firstSeenDayMs }: Sighting): Incarnation {
  const { startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } = pod
  if ((day.lastMs ?? endMs) > endMs + EXPORT_LAG_MS) return { kind: 'after-end' }
  if (byUid) return { kind: 'known', pod }
  const startsLater = startMs > day.dayMs + CLOCK_TOLERANCE_MS
  const hadTheNameBefore =
    day.firstMs === undefined
      ? startsLater && firstSeenDayMs < day.dayMs
      : day.firstMs < startMs - CLOCK_TOLERANCE_MS
  return hadTheNameBefore ? { kind: 'gone', reused: true } : { kind: 'known', pod }
}

function livesOn({ startMs, endMs }: KnownPod, dayMs: number): boolean {
  return (startMs === undefined || startMs < dayMs + DAY_MS) && (endMs === undefined || endMs >= dayMs)
}

/** As finely as clocks agree, and as fast as exporters follow. */
function livesAt({ startMs, endMs }: KnownPod, atMs: number): boolean {
  return (
    (startMs === undefined || startMs - CLOCK_TOLERANCE_MS <= atMs) &&
    (endMs === undefined || endMs + EXPORT_LAG_MS >= atMs)
  )
}
