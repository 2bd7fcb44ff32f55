import type { ContainerHistory, UsageBlock } from '../../../../src/core/usage/block.ts'
import type { BlockPeak } from '../../../../src/core/usage/estimator/block-peaks.ts'
import type { EstimatorScope } from '../../../../src/core/usage/estimator/find-need.ts'
import type { ShareSize } from '../../../../src/core/usage/estimator/hysteresis.ts'
import type { EstimatorInput } from '../../../../src/core/usage/estimator/input.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'

/** One day, ms. */
export const DAY = 86_400_000

/** Sizes of an H100 with 80 GB. */
export const SIZES: readonly ShareSize[] = [
  { usableMiB: 9984, memorySlots: 1 },
  { usableMiB: 20_096, memorySlots: 2 },
  { usableMiB: 40_320, memorySlots: 4 },
  { usableMiB: 81_152, memorySlots: 8 }
]

/** One pod that was seen for a whole day on a whole card; `day` counts from the epoch. */
export function aBlock({
  day = 0,
  ...fields
}: Partial<UsageBlock> & { readonly day?: number } = {}): UsageBlock {
  return {
    dayMs: day * DAY,
    pod: 'web-0',
    peakMiB: 5000,
    peakAtMs: undefined,
    peakCompute: undefined,
    samples: 1440,
    coverageSeconds: 86_400,
    limitMiB: 81_152,
    device: 'whole',
    outOfMemory: false,
    ...fields
  }
}

/** What one block says, unless told otherwise of a pod with room on a whole card. */
export function aPeak({
  day = 0,
  ...fields
}: Partial<BlockPeak> & { readonly day?: number } = {}): BlockPeak {
  return {
    dayMs: day * DAY,
    image: 'v1',
    peakMiB: 5000,
    peakAtMs: undefined,
    peakCompute: undefined,
    pods: 1,
    onWholeGpu: true,
    coveredRatio: 1,
    cutOffMiB: undefined,
    outOfMemory: false,
    limitMiB: 81_152,
    fillRatio: 0.06,
    ...fields
  }
}

/** History under one image. */
export function aHistory(blocks: readonly UsageBlock[], image = 'v1'): ContainerHistory {
  const workload = { kind: 'Deployment', name: 'web' }
  return { key: { namespace: 'team', workload, container: 'main', gpuModel: 'H100', image }, blocks }
}

/** One image and no earlier ones. */
export function anInput(blocks: readonly UsageBlock[]): EstimatorInput {
  return { current: aHistory(blocks), earlier: [] }
}

/** A look at the start of `day`, by default settings, with nothing learnt. */
export function aScope(day: number, fields: Partial<EstimatorScope> = {}): EstimatorScope {
  return { nowMs: day * DAY, settings: defaultSettings, sizes: SIZES, learnt: undefined, ...fields }
}

/** Blocks of these peaks, one a day. */
export function dailyBlocks(
  peaksMiB: readonly number[],
  fields: Partial<UsageBlock> = {}
): readonly UsageBlock[] {
  return peaksMiB.map((peakMiB, day) => aBlock({ ...fields, day, peakMiB }))
}
