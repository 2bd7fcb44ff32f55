import type { ContainerHistory, UsageBlock } from '../../core/usage/block.ts'
import type { DeviceLabels } from '../../core/usage/dialect-series.ts'
import type { KeptMaxima, KeptSeries } from '../../ports/kept-maxima.ts'
import type { Subject } from './subject.ts'
import type { WorkloadObject } from './workload-object.ts'

/** Series that are kept of one workload: those of 28 pods that each held one day's maximum, with three metrics, and some more. */
const MOST_SERIES = 128

/** Longest text of one workload, characters: 128 usual series of a day have some 60,000, an object may have 1.5 MB. */
const MOST_TEXT = 200_000

/** Pods of a workload by name, and what is kept of each. */
export type MaximaByPod = ReadonlyMap<string, readonly KeptSeries[]>

/** Everything that is to be kept, by `namespace/pod`; undefined while the source gathers nothing itself. */
export function maximaByPod(kept: KeptMaxima | undefined): MaximaByPod | undefined {
  if (kept?.isGathering() !== true) return undefined
  return Map.groupBy(kept.give(), ({ labels }) => placeOf(labels))
}

/**
 * Names of the pods whose maxima are kept with a workload, those first that would be missed most: a pod that held a day's maximum of a
 * container before one that did not, and of several the one that came nearest to the highest maximum of all. So what is cut off at the
 * end lowers no peak.
 */
export function keptNames({ pods, histories }: Pick<Subject, 'pods' | 'histories'>): readonly string[] {
  const rankOf = new Map<string, number>()
  const note = (pod: string, rank: number): void => {
    rankOf.set(pod, Math.max(rank, rankOf.get(pod) ?? 0))
  }
  for (const { name } of pods) note(name, 0)
  for (const history of histories) {
    for (const { pod } of history.blocks) note(pod, 0)
    for (const { pod, rank } of holdersOf(history)) note(pod, rank)
  }
  return [...rankOf].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([pod]) => pod)
}

/** What is held as a maximum: memory, and how busy the compute was. */
const measures: readonly ((block: UsageBlock) => number)[] = [
  ({ peakMiB }) => peakMiB,
  ({ peakCompute }) => peakCompute ?? 0
]

/** Pods that held a day's maximum, each with that over the highest of all days, above 0 to 1. */
function holdersOf({ blocks }: ContainerHistory): readonly { readonly pod: string; readonly rank: number }[] {
  return measures.flatMap((valueOf) => {
    const top = blocks.reduce((most, block) => Math.max(most, valueOf(block)), 0)
    const byDay = Map.groupBy(blocks, ({ dayMs }) => dayMs)
    return [...byDay.values()].flatMap(([first, ...others]) => {
      if (first === undefined) return []
      const best = others.reduce((high, block) => (valueOf(block) > valueOf(high) ? block : high), first)
      return valueOf(best) > 0 ? [{ pod: best.pod, rank: valueOf(best) / top }] : []
    })
  })
}

/** Text that is kept in the object of a workload about pods of these names, as far as there is room; undefined when there is nothing. */
export function keptText(
  namespace: string,
  names: readonly string[],
  maxima: MaximaByPod
): string | undefined {
  const texts: string[] = []
  let length = 1
  for (const one of names.flatMap((pod) => maxima.get(`${namespace}/${pod}`) ?? [])) {
    const text = JSON.stringify(one)
    length += text.length + 1
    if (texts.length === MOST_SERIES || length > MOST_TEXT) break
    texts.push(text)
  }
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
