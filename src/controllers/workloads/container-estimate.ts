import type { ContainerHistory, UsageBlock } from '../../core/usage/block.ts'
import { type EstimatorState, estimate } from '../../core/usage/estimator/estimate.ts'
import type { Estimate } from '../../core/usage/estimator/find-need.ts'
import type { ShareSize } from '../../core/usage/estimator/hysteresis.ts'
import type { EstimatorInput } from '../../core/usage/estimator/input.ts'
import type { LearntHeadroom } from '../../core/usage/estimator/learnt-headroom.ts'
import type { EstimatorSettings } from '../../core/usage/estimator/settings.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { fromSizing, toSizing } from './sizing-record.ts'
import { withStepUps } from './step-ups.ts'
import type { Sizing } from './workload-object.ts'

/** Everything that is known of one container of one workload. */
export interface ContainerFacts {
  readonly container: string
  /** Image that its pods are made from now; undefined when no pod lives. */
  readonly image: string | undefined
  readonly histories: readonly ContainerHistory[]
  readonly pods: readonly PodRecord[]
  /** What was remembered before. */
  readonly sizings: readonly Sizing[]
}

/** What estimates depend on besides. */
export interface EstimateScope {
  readonly nowMs: number
  readonly settings: EstimatorSettings
  readonly sizesOf: (gpuModel: string) => readonly ShareSize[]
  readonly learnt: LearntHeadroom | undefined
  /** Whether the reading is whole; else its maxima are lower bounds, and nothing may be made smaller. */
  readonly isComplete: boolean
}

/** What one container needs, over all GPU models that it was measured on: the model on which it needs the most decides. */
export interface ContainerEstimate {
  readonly container: string
  readonly image: string
  readonly estimate: Estimate
  /** Metric that the peak of compute was read from; undefined where none was. */
  readonly computeMetric: string | undefined
  /** Ceiling under which the peak was measured, MiB. */
  readonly deviceMiB: number | undefined
  /** Start of the first day. */
  readonly fromMs: number | undefined
  readonly samples: number
  readonly sizings: readonly Sizing[]
}

/** undefined when there is no history at all. */
export function estimateContainer(
  facts: ContainerFacts,
  scope: EstimateScope
): ContainerEstimate | undefined {
  const byModel = Map.groupBy(facts.histories, ({ key }) => key.gpuModel)
  const models = [...byModel.keys()].sort()
  const found = models.map((model) => ofModel(model, byModel.get(model) ?? [], { facts, scope }))
  const [worst] = found.toSorted(
    (a, b) => leastMiB(b) - leastMiB(a) || b.estimate.peakMiB - a.estimate.peakMiB
  )
  if (worst === undefined) return undefined
  const kept = facts.sizings.filter(({ model }) => !byModel.has(model))
  return { ...worst, sizings: [...found.flatMap(({ sizings }) => sizings), ...kept].slice(0, MOST_MODELS) }
}

/** Memory that a share must have for now: what is needed, and more than the next size below the one in force. */
function leastMiB({ estimate: { neededMiB, sizeFloorMiB } }: ContainerEstimate): number {
  return Math.max(neededMiB, sizeFloorMiB)
}

/** GPU models of one container that are remembered; as the schema of the status says. */
const MOST_MODELS = 8

function ofModel(
  model: string,
  histories: readonly ContainerHistory[],
  { facts, scope }: { readonly facts: ContainerFacts; readonly scope: EstimateScope }
): ContainerEstimate {
  const before = fromSizing(facts.sizings.find((sizing) => sizing.model === model))
  const { container, pods } = facts
  const input = inputOf(histories, facts.image)
  const stepUps = withStepUps(before.stepUps, { container, pods, histories, settings: scope.settings })
  const state = { ...before, stepUps }
  const sizes = scope.sizesOf(model)
  const result = estimate(input, scope.isComplete ? state : withoutChecks(state), { ...scope, sizes })
  const blocks = histories.flatMap((history) => history.blocks)
  return {
    container,
    image: input.current.key.image,
    estimate: result.estimate,
    computeMetric: blocks.find(({ peakCompute }) => peakCompute === result.estimate.peakCompute)
      ?.computeMetric,
    deviceMiB: highest(blocks)?.limitMiB,
    fromMs: blocks.length === 0 ? undefined : Math.min(...blocks.map(({ dayMs }) => dayMs)),
    samples: blocks.reduce((sum, { samples }) => sum + samples, 0),
    sizings: [toSizing(model, scope.isComplete ? result.state : onlyRaised(state, result.state))]
  }
}

/** Every day counts as checked, so that the look may raise the size and not shrink it. */
function withoutChecks(state: EstimatorState): EstimatorState {
  return { ...state, checkedMs: Number.MAX_SAFE_INTEGER }
}

function onlyRaised(before: EstimatorState, after: EstimatorState): EstimatorState {
  return { ...before, size: { ...after.size, checks: before.size.checks } }
}

/**
 * Blocks of pods whose image nobody knows any more count as the current image's: so their peaks are not forgotten too early.
 */
function inputOf(histories: readonly ContainerHistory[], image: string | undefined): EstimatorInput {
  const now = image ?? newest(histories)?.key.image ?? ''
  const own = histories.filter(({ key }) => key.image === now || key.image === '')
  const [any] = histories
  if (any === undefined) throw new RangeError('no history to estimate from')
  return {
    current: { key: { ...any.key, image: now }, blocks: own.flatMap(({ blocks }) => blocks) },
    earlier: histories.filter((history) => !own.includes(history))
  }
}

function newest(histories: readonly ContainerHistory[]): ContainerHistory | undefined {
  const lastOf = ({ blocks }: ContainerHistory): number =>
    blocks.reduce((last, { dayMs }) => Math.max(last, dayMs), Number.NEGATIVE_INFINITY)
  const [first] = histories.toSorted((a, b) => lastOf(b) - lastOf(a) || (a.key.image > b.key.image ? -1 : 1))
  return first
}

function highest(blocks: readonly UsageBlock[]): UsageBlock | undefined {
  const [first] = blocks.toSorted(
    (a, b) => b.peakMiB - a.peakMiB || a.dayMs - b.dayMs || (a.pod < b.pod ? -1 : 1)
  )
  return first
}
