import type { ContainerHistory, UsageBlock } from '../../../src/core/usage/block.ts'
import { type EstimatorState, emptyState, estimate } from '../../../src/core/usage/estimator/estimate.ts'
import type { ShareSize } from '../../../src/core/usage/estimator/hysteresis.ts'
import { type LearntHeadroom, learnHeadroom } from '../../../src/core/usage/estimator/learnt-headroom.ts'
import { pastDecisionsOf } from '../../../src/core/usage/estimator/past-decisions.ts'
import { defaultSettings, type EstimatorSettings } from '../../../src/core/usage/estimator/settings.ts'
import { baselines } from './baselines.ts'
import { sizeAt } from './shares.ts'
import type { PodSeries } from './trace.ts'
import { unlikeReplicaFloorMiB } from './unlike-replicas.ts'

const STEPS_PER_HOUR = 60
const HOUR_MS = 3_600_000
const FIRST_HOUR = 8
const LAST_HOUR = 18
const HORIZON_HOURS = 4

/**
 * One day of trace in place of weeks: an hour plays the part of a day, everything else is as in the product. With the
 * product's own season of a day nothing could shrink within the trace.
 */
export const traceSettings: EstimatorSettings = {
  ...defaultSettings,
  blockMs: HOUR_MS,
  horizonBlocks: HORIZON_HOURS
}

/** One pod at one decision hour. */
export interface Outcome {
  readonly pod: string
  readonly hour: number
  /** Highest use of the horizon, MiB. */
  readonly laterMiB: number
  readonly estimateMiB: number
  /** Size in force; what the estimate rounds up to where nothing holds it back. */
  readonly size: ShareSize
}

/** A pod's use in the horizon of each decision hour that it lives through the start of. */
interface Decision {
  readonly series: PodSeries
  readonly hour: number
  readonly laterMiB: number
}

function decisionsOf(trace: readonly PodSeries[]): readonly Decision[] {
  const hours = Array.from({ length: LAST_HOUR - FIRST_HOUR + 1 }, (_, index) => FIRST_HOUR + index)
  return hours.flatMap((hour) =>
    trace.flatMap((series) => {
      const later = samplesOf(series, hour, hour + HORIZON_HOURS)
      const before = samplesOf(series, 0, hour)
      return later.length === 0 || before.length === 0
        ? []
        : [{ series, hour, laterMiB: later.reduce((most, value) => Math.max(most, value), 0) }]
    })
  )
}

/** Outcomes of each baseline, forward only. */
export function replayBaselines(
  trace: readonly PodSeries[],
  sizes: readonly ShareSize[]
): ReadonlyMap<string, readonly Outcome[]> {
  const decisions = decisionsOf(trace)
  const byName = new Map<string, readonly Outcome[]>([
    [
      'oracle',
      decisions.map((decision) => outcome(decision, decision.laterMiB, sizeAt(sizes, decision.laterMiB)))
    ]
  ])
  for (const { name, estimateMiB } of baselines) {
    byName.set(
      name,
      decisions.map((decision) => {
        const needMiB = estimateMiB(samplesOf(decision.series, 0, decision.hour))
        return outcome(decision, needMiB, sizeAt(sizes, needMiB))
      })
    )
  }
  return byName
}

/** How the pods of the trace are seen: each as a workload of its own, with a floor from its fellows, or as one workload. */
export type Pooling = 'apart' | 'unlike' | 'alike'

/** How our estimator is asked. */
interface Variant {
  readonly pooling: Pooling
  readonly settings: EstimatorSettings
}

/** Outcomes of our estimator, looking once an hour from the first one on and learning only from what is over. */
export function replayOurs(
  trace: readonly PodSeries[],
  sizes: readonly ShareSize[],
  variant: Variant
): readonly Outcome[] {
  const decisions = Map.groupBy(decisionsOf(trace), ({ hour }) => hour)
  return [...looksOf(trace, sizes, { ...variant, lastHour: LAST_HOUR })].flatMap(({ hour, answerFor }) =>
    (decisions.get(hour) ?? []).map((decision) => {
      const { needMiB, size } = answerFor(decision.series.pod)
      return outcome(decision, needMiB, size)
    })
  )
}

/** Size that our estimator has in force for each pod after these hours of the trace, pods that are yet to come included. */
export function sizesAfter(
  trace: readonly PodSeries[],
  sizes: readonly ShareSize[],
  { hours, ...variant }: Variant & { readonly hours: number }
): ReadonlyMap<string, ShareSize> {
  const last = [...looksOf(trace, sizes, { ...variant, lastHour: hours })].at(-1)
  return new Map(
    trace.flatMap(({ pod }) => (last === undefined ? [] : [[pod, last.answerFor(pod).size] as const]))
  )
}

/** What our estimator says at one hour of each pod. */
interface Look {
  readonly hour: number
  readonly answerFor: (pod: string) => { readonly needMiB: number; readonly size: ShareSize }
}

function looksOf(
  trace: readonly PodSeries[],
  sizes: readonly ShareSize[],
  { pooling, settings, lastHour }: Variant & { readonly lastHour: number }
): readonly Look[] {
  const blocks = new Map(trace.map((series) => [series.pod, blocksOf(series)] as const))
  const workloads = workloadsOf(trace, blocks, pooling)
  let states: ReadonlyMap<string, EstimatorState> = new Map()
  return Array.from({ length: lastHour }, (_, index) => index + 1).map((hour) => {
    const nowMs = hour * HOUR_MS
    const inputs = new Map([...workloads].map(([name, all]) => [name, inputOf(name, all, nowMs)] as const))
    const learnt = learnHeadroom(
      [...inputs.values()].flatMap((input) => pastDecisionsOf(input, { nowMs, settings })),
      settings
    )
    const results = estimateAll(inputs, states, { nowMs, settings, sizes, learnt })
    states = new Map([...results].map(([name, { state }]) => [name, state] as const))
    const floorMiB = pooling === 'unlike' ? floorAt(blocks, nowMs) * (1 + settings.headroomRatio) : 0
    return {
      hour,
      answerFor: (pod) => {
        const result = results.get(pooling === 'alike' ? 'all' : pod)
        const heldMiB = result?.state.size.heldMiB ?? Number.POSITIVE_INFINITY
        return {
          needMiB: Math.max(result?.estimate.neededMiB ?? 0, floorMiB),
          size: sizeAt(sizes, Math.max(heldMiB, floorMiB))
        }
      }
    }
  })
}

type Input = Parameters<typeof estimate>[0]

function estimateAll(
  inputs: ReadonlyMap<string, Input>,
  states: ReadonlyMap<string, EstimatorState>,
  scope: {
    readonly nowMs: number
    readonly settings: EstimatorSettings
    readonly sizes: readonly ShareSize[]
    readonly learnt: LearntHeadroom
  }
): ReadonlyMap<string, ReturnType<typeof estimate>> {
  return new Map(
    [...inputs].map(
      ([name, input]) => [name, estimate(input, states.get(name) ?? emptyState, scope)] as const
    )
  )
}

function workloadsOf(
  trace: readonly PodSeries[],
  blocks: ReadonlyMap<string, readonly UsageBlock[]>,
  pooling: Pooling
): ReadonlyMap<string, readonly UsageBlock[]> {
  return pooling === 'alike' ? new Map([['all', trace.flatMap(({ pod }) => blocks.get(pod) ?? [])]]) : blocks
}

function inputOf(name: string, blocks: readonly UsageBlock[], nowMs: number): Input {
  const current: ContainerHistory = {
    key: {
      namespace: 'bench',
      workload: { kind: 'Deployment', name },
      container: 'main',
      gpuModel: '',
      image: ''
    },
    blocks: blocks.filter(({ dayMs }) => dayMs < nowMs)
  }
  return { current, earlier: [] }
}

function floorAt(blocks: ReadonlyMap<string, readonly UsageBlock[]>, nowMs: number): number {
  const known = [...blocks.values()].flat().filter(({ dayMs }) => dayMs < nowMs)
  return unlikeReplicaFloorMiB(known) ?? 0
}

function blocksOf(series: PodSeries): readonly UsageBlock[] {
  return Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) => {
    const samples = samplesOf(series, hour, hour + 1)
    if (samples.length === 0) return []
    return {
      dayMs: hour * HOUR_MS,
      pod: series.pod,
      peakMiB: samples.reduce((most, value) => Math.max(most, value), 0),
      peakAtMs: undefined,
      peakCompute: undefined,
      samples: samples.length,
      coverageSeconds: samples.length * 60,
      limitMiB: undefined,
      device: 'whole' as const,
      outOfMemory: false
    }
  })
}

/** What was sampled of a pod from one hour of the trace to before another, MiB. */
export function samplesOf({ usedMiB }: PodSeries, fromHour: number, toHour: number): readonly number[] {
  return [...usedMiB.subarray(fromHour * STEPS_PER_HOUR, toHour * STEPS_PER_HOUR)].filter(
    (value) => !Number.isNaN(value)
  )
}

function outcome(decision: Decision, estimateMiB: number, size: ShareSize): Outcome {
  const { series, hour, laterMiB } = decision
  return { pod: series.pod, hour, laterMiB, estimateMiB, size }
}
