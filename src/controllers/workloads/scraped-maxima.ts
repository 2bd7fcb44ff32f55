import type { DeviceLabels } from '../../core/usage/dialect-series.ts'
import type { KeptMaxima, KeptSeries } from '../../ports/kept-maxima.ts'
import type { Subject } from './subject.ts'
import type { WorkloadObject } from './workload-object.ts'

/** Series that are kept of one workload, the ones that reach furthest first. */
const MOST_SERIES = 64

/** Longest text of one workload, characters: 64 usual series have some 60,000, an object may have 1.5 MB. */
const MOST_TEXT = 200_000

/** Pods of a workload by name, and what is kept of each. */
export type MaximaByPod = ReadonlyMap<string, readonly KeptSeries[]>

/** Everything that is to be kept, by `namespace/pod`; undefined while the source gathers nothing itself. */
export function maximaByPod(kept: KeptMaxima | undefined): MaximaByPod | undefined {
  if (kept?.isGathering() !== true) return undefined
  return Map.groupBy(kept.give(), ({ labels }) => placeOf(labels))
}

/** Names of the pods whose maxima are kept with a workload, sorted. */
export function keptNames({ pods, histories }: Pick<Subject, 'pods' | 'histories'>): readonly string[] {
  const names = new Set([
    ...pods.map(({ name }) => name),
    ...histories.flatMap(({ blocks }) => blocks).map(({ pod }) => pod)
  ])
  return [...names].sort()
}

/** Text that is kept in the object of a workload about pods of these names; undefined when there is nothing to keep. */
export function keptText(
  namespace: string,
  names: readonly string[],
  maxima: MaximaByPod
): string | undefined {
  const series = names.flatMap((pod) => maxima.get(`${namespace}/${pod}`) ?? [])
  let texts = series
    .toSorted((a, b) => lastDay(b) - lastDay(a))
    .slice(0, MOST_SERIES)
    .map((one) => JSON.stringify(one))
  while (texts.length > 0 && texts.join(',').length + 2 > MOST_TEXT) texts = texts.slice(0, -1)
  return texts.length === 0 ? undefined : `[${texts.join(',')}]`
}

/** Gives the source back what the objects kept for it; returns how many series could not be read. */
export function restoreMaxima(kept: KeptMaxima | undefined, objects: readonly WorkloadObject[]): number {
  if (kept === undefined) return 0
  const texts = objects.flatMap(({ status }) => status?.scraped ?? [])
  return texts.reduce((unread, text) => unread + takeText(kept, text), 0)
}

function takeText(kept: KeptMaxima, text: string): number {
  try {
    const series: unknown = JSON.parse(text)
    return Array.isArray(series) ? kept.take(series) : 1
  } catch {
    return 1 // not JSON: counted and told by the caller
  }
}

function placeOf({ namespace, pod }: DeviceLabels): string {
  return `${namespace}/${pod}`
}

/** Start of the newest day; each day is a list that begins with it. */
function lastDay(series: KeptSeries): number {
  const days: unknown = 'days' in series ? series.days : []
  const last: unknown = Array.isArray(days) ? days.at(-1) : undefined
  const [dayMs]: unknown[] = Array.isArray(last) ? last : []
  return typeof dayMs === 'number' ? dayMs : 0
}
