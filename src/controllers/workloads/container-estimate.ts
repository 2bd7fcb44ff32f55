import type { NodeView } from '../../core/cluster/node-view.ts'
import type { WorkloadRef } from '../../core/pod/workload.ts'
import type { KnownPod } from '../../core/usage/attribution/known.ts'
import type { ContainerHistory, UsageBlock } from '../../core/usage/block.ts'
import { type EstimatorState, estimate } from '../../core/usage/estimator/estimate.ts'
import type { Estimate } from '../../core/usage/estimator/find-need.ts'
import type { ShareSize } from '../../core/usage/estimator/hysteresis.ts'
import type { EstimatorInput } from '../../core/usage/estimator/input.ts'
import type { LearntHeadroom } from '../../core/usage/estimator/learnt-headroom.ts'
import type { EstimatorSettings } from '../../core/usage/estimator/settings.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { modelOn, shareMiBOfPod } from './share-of-pod.ts'
import { fromSizing, toSizing } from './sizing-record.ts'
import { withStepUps } from './step-ups.ts'
import type { Sizing } from './workload-object.ts'

/** Everything that is known of one container of one workload. */
export interface ContainerFacts {
  readonly container: string
  readonly namespace: string
  readonly workload: WorkloadRef
  /** Image that its pods are made from now; undefined when no pod lives. */
  readonly image: string | undefined
  readonly histories: readonly ContainerHistory[]
  /** Its pods that the cluster has, live and ended. */
  readonly pods: readonly PodRecord[]
  /** Its pods that are remembered, those that are gone among them. */
  readonly knownPods: readonly KnownPod[]
  /** What was remembered before. */
  readonly sizings: readonly Sizing[]
}

/** What estimates depend on besides. */
export interface EstimateScope {
  readonly nowMs: number
  readonly settings: EstimatorSettings
  readonly sizesOf: (gpuModel: string) => readonly ShareSize[]
  /** A node by its name; undefined where it is not there any more. */
  readonly nodeOf: (name: string) => NodeView | undefined
  readonly learnt: LearntHeadroom | undefined
  /** Whether the reading is whole; else its maxima are lower bounds, and nothing may be made smaller. */
  readonly isComplete: boolean
}

/** What one container needs, over all GPU models that it was measured on: the model on which it needs the most decides. */
export interface ContainerEstimate {
  readonly container: string
  readonly image: string
  readonly estimate: Estimate
  /** Ceiling under which the peak was measured, MiB. */
  readonly deviceMiB: number | undefined
  /** Start of the first day; undefined where nothing was measured, and only the ends of pods tell something. */
  readonly fromMs: number | undefined
  readonly samples: number
  readonly sizings: readonly Sizing[]
}

/** undefined when there is neither history nor an end that tells of a share which was too small. */
export function estimateContainer(
  facts: ContainerFacts,
  scope: EstimateScope
): ContainerEstimate | undefined {
  const byModel = Map.groupBy(facts.histories, ({ key }) => key.gpuModel)
  const models = byModel.size === 0 ? unmeasuredModels(facts, scope) : [...byModel.keys()].sort()
  const found = models
    .map((model) => ofModel({ model, models, histories: byModel.get(model) ?? [] }, { facts, scope }))
    .filter(({ estimate: { stepUp }, fromMs }) => fromMs !== undefined || stepUp !== undefined)
  const [worst] = found.toSorted(
    (a, b) => leastMiB(b) - leastMiB(a) || b.estimate.peakMiB - a.estimate.peakMiB
  )
  if (worst === undefined) return undefined
  const sizings = found.flatMap((one) => one.sizings)
  const kept = facts.sizings.filter((before) => !sizings.some(({ model }) => model === before.model))
  return { ...worst, sizings: [...sizings, ...kept].slice(0, MOST_MODELS) }
}

/** Models to which ends of pods are held where nothing is measured: those of before, else those of the pods' nodes. */
function unmeasuredModels(
  { sizings, knownPods }: ContainerFacts,
  { nodeOf }: EstimateScope
): readonly string[] {
  const remembered = sizings.map(({ model }) => model)
  const seen = knownPods.flatMap(({ node }) => modelOn(nodeOf(node)) ?? [])
  return [...new Set(remembered.length === 0 ? seen : remembered)].sort()
}

/** Memory that a share must have for now: what is needed, and more than the next size below the one in force. */
function leastMiB({ estimate: { neededMiB, sizeFloorMiB } }: ContainerEstimate): number {
  return Math.max(neededMiB, sizeFloorMiB)
}

/** GPU models of one container that are remembered; as the schema of the status says. */
const MOST_MODELS = 8

/** What was measured on one GPU model, and all models of the container. */
interface Measured {
  readonly model: string
  readonly models: readonly string[]
  readonly histories: readonly ContainerHistory[]
}

interface Frame {
  readonly facts: ContainerFacts
  readonly scope: EstimateScope
}

function ofModel(measured: Measured, frame: Frame): ContainerEstimate {
  const { model, histories } = measured
  const { facts, scope } = frame
  const before = fromSizing(facts.sizings.find((sizing) => sizing.model === model))
  const { container } = facts
  const where = { ...measured, container, size: before.size, nodeOf: scope.nodeOf }
  const shareMiBOf = (pod: KnownPod): number | undefined => shareMiBOfPod(pod, where)
  const stepUps = withStepUps(before.stepUps, { ...facts, histories, shareMiBOf, settings: scope.settings })
  const input = inputOf(measured, facts)
  const state = { ...before, stepUps }
  const sizes = scope.sizesOf(model)
  const result = estimate(input, scope.isComplete ? state : withoutChecks(state), { ...scope, sizes })
  const blocks = histories.flatMap((history) => history.blocks)
  return {
    container,
    image: input.current.key.image,
    estimate: result.estimate,
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
function inputOf({ model, histories }: Measured, facts: ContainerFacts): EstimatorInput {
  const { namespace, workload, container } = facts
  const image = facts.image ?? newest(histories)?.key.image ?? ''
  const own = histories.filter(({ key }) => key.image === image || key.image === '')
  return {
    current: {
      key: { namespace, workload, container, gpuModel: model, image },
      blocks: own.flatMap(({ blocks }) => blocks)
    },
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
