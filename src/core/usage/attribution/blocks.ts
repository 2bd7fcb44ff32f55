import { workloadKey } from '../../pod/workload.ts'
import type { ContainerHistory, HistoryKey, UsageBlock } from '../block.ts'

/** Collects blocks by key; of several for one pod and day the highest stays, joined with what the others add. */
export interface BlockCollection {
  add(key: HistoryKey, block: UsageBlock): void
  /** Ordered by key, day and pod. */
  histories(): readonly ContainerHistory[]
}

/** A collection with nothing in it. */
export function newBlockCollection(): BlockCollection {
  const all = new Map<
    string,
    { readonly key: HistoryKey; readonly pods: Map<string, Map<number, UsageBlock>> }
  >()
  return {
    add(key, block) {
      const text = keyText(key)
      const entry = all.get(text) ?? { key, pods: new Map<string, Map<number, UsageBlock>>() }
      all.set(text, entry)
      const days = entry.pods.get(block.pod) ?? new Map<number, UsageBlock>()
      entry.pods.set(block.pod, days)
      const known = days.get(block.dayMs)
      days.set(block.dayMs, known === undefined ? block : join(known, block))
    },
    histories: () =>
      [...all].sort(byText).map(([, { key, pods }]) => ({
        key,
        blocks: [...pods.values()]
          .flatMap((days) => [...days.values()])
          .sort((a, b) => a.dayMs - b.dayMs || byText([a.pod, a], [b.pod, b]))
      }))
  }
}

function keyText({ namespace, workload, container, gpuModel, image }: HistoryKey): string {
  return [namespace, workloadKey(workload), container, gpuModel, image].join('\u0000')
}

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** One pod on several devices, or several series of one device: the higher one, and of equal ones that with less room. */
function join(one: UsageBlock, other: UsageBlock): UsageBlock {
  const [high, low] = isAbove(other, one) ? [other, one] : [one, other]
  const { computeMetric: _metric, ...rest } = high
  return {
    ...rest,
    peakAtMs: high.peakMiB === low.peakMiB ? earliest(high.peakAtMs, low.peakAtMs) : high.peakAtMs,
    ...busiest(one, other),
    samples: Math.max(one.samples, other.samples),
    coverageSeconds: Math.max(one.coverageSeconds, other.coverageSeconds),
    outOfMemory: one.outOfMemory || other.outOfMemory
  }
}

/** The higher busy share with its metric; of equal ones that whose metric comes first by name. */
function busiest(one: UsageBlock, other: UsageBlock): Pick<UsageBlock, 'peakCompute' | 'computeMetric'> {
  const [first, second] = [one, other].toSorted(
    (a, b) =>
      (b.peakCompute ?? -1) - (a.peakCompute ?? -1) ||
      ((a.computeMetric ?? '') < (b.computeMetric ?? '') ? -1 : 1)
  )
  const { peakCompute, computeMetric } = first ?? second ?? one
  return { peakCompute, ...(computeMetric === undefined ? {} : { computeMetric }) }
}

function isAbove(one: UsageBlock, other: UsageBlock): boolean {
  if (one.peakMiB !== other.peakMiB) return one.peakMiB > other.peakMiB
  const room = (one.limitMiB ?? Infinity) - (other.limitMiB ?? Infinity)
  return room < 0 || (Number.isNaN(room) || room === 0 ? one.device < other.device : false)
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}
