import { CARDS, type GpuProduct } from '../bed/gpu-products.ts'
import type { PastMetric } from '../bed/prometheus-past.ts'

const DAY_MS = 86_400_000

/** Spacing of the samples of the past, ms. */
export const EVERY_MS = 60_000

/** Use of one workload over the last 14 days, by a pod that is gone. */
export interface PastUse {
  /** Labels as Prometheus stores them. */
  readonly labels: Readonly<Record<string, string>>
  /** What it holds at night, and at noon, MiB. */
  readonly lowMiB: number
  readonly highMiB: number
  /** Once, five days before the end. */
  readonly peakMiB: number
  readonly busyRatio: number
}

/** Memory of a workload at a time, MiB: up by day and down by night. */
function memoryAt({ lowMiB, highMiB, peakMiB }: PastUse, timeMs: number, endMs: number): number {
  if (timeMs === Math.floor((endMs - 5 * DAY_MS) / EVERY_MS) * EVERY_MS) return peakMiB
  const partOfDay = (timeMs % DAY_MS) / DAY_MS
  return Math.round(lowMiB + (highMiB - lowMiB) * Math.sin(Math.PI * partOfDay))
}

/** The past of all of them, ready for promtool. */
export function pastMetrics(uses: readonly PastUse[], endMs: number): readonly PastMetric[] {
  return [
    {
      name: 'DCGM_FI_DEV_FB_USED',
      series: uses.map((use) => ({
        labels: use.labels,
        at: (timeMs: number) => memoryAt(use, timeMs, endMs)
      }))
    },
    {
      name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
      series: uses.map(({ labels, busyRatio }) => ({ labels, at: () => busyRatio }))
    }
  ]
}

/** When the samples of the past are. */
export function pastTimes(endMs: number): {
  readonly fromMs: number
  readonly toMs: number
  readonly everyMs: number
} {
  const toMs = Math.floor(endMs / EVERY_MS) * EVERY_MS
  return { fromMs: toMs - 14 * DAY_MS, toMs, everyMs: EVERY_MS }
}

/** What a workload needs, reckoned from its samples alone. */
export function expectedNeed(
  use: PastUse,
  endMs: number
): { readonly peakMiB: number; readonly neededMiB: number } {
  const { fromMs, toMs, everyMs } = pastTimes(endMs)
  let peakMiB = 0
  for (let timeMs = fromMs; timeMs < toMs; timeMs += everyMs) {
    peakMiB = Math.max(peakMiB, memoryAt(use, timeMs, endMs))
  }
  return { peakMiB, neededMiB: Math.ceil((peakMiB * 12) / 10) }
}

/** Smallest profile of a card that holds so much, by the bed's own table. */
export function expectedProfile(product: GpuProduct, neededMiB: number): string | undefined {
  const fitting = Object.entries(CARDS[product].profiles)
    .filter(([name, { usableMiB }]) => !name.includes('+') && usableMiB >= neededMiB)
    .sort(([, a], [, b]) => a.usableMiB - b.usableMiB || a.computeSlices - b.computeSlices)
  return fitting[0]?.[0]
}
