import { busiest, type ComputeUse } from '../busiest.ts'
import type { UsageEvidence } from '../usage.ts'
import type { BlockPeak } from './block-peaks.ts'
import { type HeadroomBasis, headroomFor } from './headroom.ts'
import type { ShareSize, SizeLook } from './hysteresis.ts'
import type { LearntHeadroom } from './learnt-headroom.ts'
import { type Peak, peakOf } from './peak.ts'
import { seasonBlocksOf } from './season.ts'
import { selfSizedShareOf } from './self-sizing-use.ts'
import type { EstimatorSettings } from './settings.ts'
import { type StepUp, stepUpFloor } from './step-up.ts'

/** Why a container may not get a smaller share now, however low its use. */
export type ShrinkObstacle =
  | 'no-history'
  | 'self-sizing'
  | 'censored'
  | 'under-one-season'
  | 'whole-gpu-after-exits'

/** What is known about one container, with the numbers that a reviewer asks for. */
export interface Estimate extends ComputeUse {
  readonly peakMiB: number
  readonly peakAtMs: number | undefined
  readonly evidence: Exclude<UsageEvidence, 'shared-device'>
  /** Memory that a share must have, MiB: peak times headroom and contexts, at least what a step-up asks for. */
  readonly neededMiB: number
  /** More than the next smaller share, MiB: who takes no share below this keeps the size in force; 0 where there is none. */
  readonly sizeFloorMiB: number
  readonly headroomFactor: number
  readonly headroomBasis: HeadroomBasis
  readonly obstacle: ShrinkObstacle | undefined
  /** The step-up that is in force. */
  readonly stepUp: StepUp | undefined
  readonly confidence: Confidence
}

/** How much stands behind an estimate. */
export interface Confidence {
  /** Days of clean history. */
  readonly cleanBlocks: number
  /** Most pods that were measured in one block. */
  readonly replicas: number
  /** Past decisions of the fleet behind the headroom. */
  readonly decisions: number
  /** Whether they stood on histories as long as this one: then the risk is the stated one, else at most that. */
  readonly isMatched: boolean
  /** Blocks that were cut off by a limit and not yet shown to fit. */
  readonly censoredBlocks: number
  /** Rhythm that the peaks show, in days: 7 where they come once a week. */
  readonly seasonBlocks: number
}

/** What an estimate depends on besides history and state. */
export interface EstimatorScope {
  readonly nowMs: number
  readonly settings: EstimatorSettings
  /** Shares that the size may be chosen from, smallest first, the whole GPU last. */
  readonly sizes: readonly ShareSize[]
  /** What the fleet taught for this kind of workload; undefined before it taught anything. */
  readonly learnt: LearntHeadroom | undefined
}

/** An estimate of memory with the look at the size that follows from it. */
export interface Need {
  readonly estimate: Omit<Estimate, 'sizeFloorMiB'>
  readonly look: Omit<SizeLook, 'nowMs' | 'dayMs'>
}

const unknownPeak: Peak = { peakMiB: 0, peakAtMs: undefined, cleanBlocks: 0, censored: 0 }

/** What the blocks and step-ups say about the pods of `image` at the time of the scope. */
export function findNeed(
  peaks: readonly BlockPeak[],
  stepUps: readonly StepUp[],
  scope: EstimatorScope & { readonly image: string }
): Need {
  const { settings } = scope
  const peak = peakOf(peaks, scope) ?? unknownPeak
  const { floorMiB, wholeGpu, because } = stepUpFloor(stepUps, scope)
  const headroom = headroomFor(peak.cleanBlocks, scope.learnt, settings)
  const isSelfSizing = selfSizedShareOf(peaks) !== undefined
  const atLeast = (factor: number): number => Math.max(floorMiB, withContext(peak.peakMiB * factor, settings))
  const neededMiB = atLeast(headroom.factor)
  const obstacle = obstacleOf([
    ['whole-gpu-after-exits', wholeGpu],
    ['no-history', peak.peakMiB <= 0],
    ['self-sizing', isSelfSizing],
    ['censored', peak.censored > 0],
    ['under-one-season', peak.cleanBlocks < settings.seasonBlocks]
  ])
  const raiseMiB = isSelfSizing ? floorMiB : atLeast(headroom.raiseFactor)
  return {
    estimate: {
      peakMiB: peak.peakMiB,
      peakAtMs: peak.peakAtMs,
      ...busiest(peaks),
      evidence: evidenceOf(isSelfSizing, peak),
      neededMiB,
      headroomFactor: headroom.factor,
      headroomBasis: headroom.basis,
      obstacle,
      stepUp: because,
      confidence: {
        cleanBlocks: peak.cleanBlocks,
        replicas: peaks.reduce((most, { pods }) => Math.max(most, pods), 0),
        decisions: headroom.decisions,
        isMatched: headroom.isMatched,
        censoredBlocks: peak.censored,
        seasonBlocks: seasonBlocksOf(peaks, settings)
      }
    },
    look: {
      peakMiB: peak.peakMiB,
      neededMiB,
      isBlocked: obstacle !== undefined,
      raiseMiB: wholeGpu ? Number.POSITIVE_INFINITY : raiseMiB
    }
  }
}

function obstacleOf(obstacles: readonly (readonly [ShrinkObstacle, boolean])[]): ShrinkObstacle | undefined {
  return obstacles.find(([, holds]) => holds)?.[0]
}

function evidenceOf(isSelfSizing: boolean, { censored }: Peak): Estimate['evidence'] {
  if (isSelfSizing) return 'self-sizing'
  return censored > 0 ? 'censored' : 'own'
}

/** Whole MiB, rounded up after rounding to a millionth: 1.2 counts as six fifths and not as a little more. */
function withContext(neededMiB: number, { contextMiB }: EstimatorSettings): number {
  return Math.ceil(Math.round((neededMiB + contextMiB) * 1e6) / 1e6)
}
