import type { UsageBlock } from '../block.ts'
import { busiest, type ComputeUse } from '../busiest.ts'
import type { EstimatorSettings } from './settings.ts'

/** What all pods of one container showed in one block, under one image. */
export interface BlockPeak extends ComputeUse {
  readonly dayMs: number
  readonly image: string
  readonly peakMiB: number
  readonly peakAtMs: number | undefined
  readonly pods: number
  /** Whether every pod had a whole card to itself. */
  readonly onWholeGpu: boolean
  /** Part of the block that samples cover, 0 to 1. */
  readonly coveredRatio: number
  /** Largest limit at which a pod was cut off; undefined when none was, Infinity when its limit is not known. */
  readonly cutOffMiB: number | undefined
  readonly outOfMemory: boolean
  /** Smallest limit that a pod had; undefined when one of them is not known. */
  readonly limitMiB: number | undefined
  /** Fullest that a pod's limit was, 0 to 1; undefined when one of the limits is not known. */
  readonly fillRatio: number | undefined
}

/** From this share of its limit on, a peak may be cut off and says only "at least the limit": 9,463 of 9,856 MiB. */
const CUT_OFF_FROM_RATIO = 0.95

interface BlockScope {
  readonly sinceMs: number
  readonly nowMs: number
  readonly settings: EstimatorSettings
}

/**
 * One entry a block, pods together, oldest first, of the blocks that start from `sinceMs` to `nowMs`. Blocks whose numbers are no
 * possible measurement (negative, not finite) are left out. The order of `blocks` does not matter.
 */
export function blockPeaksOf(
  blocks: readonly UsageBlock[],
  image: string,
  { sinceMs, nowMs, settings }: BlockScope
): readonly BlockPeak[] {
  const byDay = new Map<number, UsageBlock[]>()
  for (const block of blocks) {
    if (!isMeasured(block) || block.dayMs < sinceMs || block.dayMs > nowMs) continue
    const same = byDay.get(block.dayMs)
    if (same === undefined) byDay.set(block.dayMs, [block])
    else same.push(block)
  }
  return [...byDay]
    .sort(([a], [b]) => a - b)
    .map(([dayMs, same]) => ({ dayMs, image, ...joinPods(same, settings) }))
}

function isMeasured({ dayMs, peakMiB, samples }: UsageBlock): boolean {
  return Number.isFinite(dayMs) && Number.isFinite(peakMiB) && peakMiB >= 0 && samples > 0
}

function joinPods(
  blocks: readonly UsageBlock[],
  { blockMs }: EstimatorSettings
): Omit<BlockPeak, 'dayMs' | 'image'> {
  const peakMiB = greatest(blocks.map((block) => block.peakMiB))
  const seenAt = blocks.flatMap((block) => (block.peakMiB === peakMiB ? (block.peakAtMs ?? []) : []))
  const cutOff = blocks.filter(isCutOff).map((block) => limitOf(block) ?? Number.POSITIVE_INFINITY)
  const limits = blocks.flatMap((block) => limitOf(block) ?? [])
  const fills = blocks.map((block) => block.peakMiB / (limitOf(block) ?? Number.POSITIVE_INFINITY))
  const busy = blocks.filter(({ peakCompute = -1 }) => peakCompute >= 0 && peakCompute <= 1)
  const allKnown = limits.length === blocks.length
  return {
    peakMiB,
    peakAtMs: seenAt.length === 0 ? undefined : Math.min(...seenAt),
    ...busiest(busy),
    pods: new Set(blocks.map(({ pod }) => pod)).size,
    onWholeGpu: blocks.every(({ device }) => device === 'whole'),
    coveredRatio: Math.min(1, (greatest(blocks.map(coveredSeconds)) * 1000) / blockMs),
    cutOffMiB: cutOff.length === 0 ? undefined : greatest(cutOff),
    outOfMemory: blocks.some(({ outOfMemory }) => outOfMemory),
    limitMiB: allKnown ? -greatest(limits.map((limit) => -limit)) : undefined,
    fillRatio: allKnown ? greatest(fills) : undefined
  }
}

function isCutOff(block: UsageBlock): boolean {
  const limitMiB = limitOf(block)
  return block.outOfMemory || (limitMiB !== undefined && block.peakMiB >= limitMiB * CUT_OFF_FROM_RATIO)
}

function limitOf({ limitMiB }: UsageBlock): number | undefined {
  return Number.isFinite(limitMiB) && Number(limitMiB) > 0 ? limitMiB : undefined
}

/** What is no time counts as none, so that it never makes a history longer. */
function coveredSeconds({ coverageSeconds }: UsageBlock): number {
  return Number.isFinite(coverageSeconds) ? Math.max(0, coverageSeconds) : 0
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}
