import { quantityToMiB } from '../../core/api/quantity.ts'
import { gpuRequestOf } from '../../core/pod/gpu-request.ts'
import type { ContainerView } from '../../core/pod/pod-view.ts'
import { parseDuration, printDuration } from '../../core/policy/duration.ts'
import type { ShrinkObstacle } from '../../core/usage/estimator/find-need.ts'
import type { UsageEvidence } from '../../core/usage/usage.ts'
import type { ContainerEstimate } from './container-estimate.ts'
import { isoTime } from './iso-time.ts'
import { gpuResourceOf } from './pod-memory.ts'
import type { ContainerStatus } from './workload-object.ts'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400

/** Steps in which coverage is told, so that an object is not written again for every minute of history. */
const COVERAGE_STEPS = [
  { belowSeconds: DAY_SECONDS, stepSeconds: HOUR_SECONDS },
  { belowSeconds: 7 * DAY_SECONDS, stepSeconds: 6 * HOUR_SECONDS },
  { belowSeconds: Number.POSITIVE_INFINITY, stepSeconds: DAY_SECONDS }
] as const

const words: Readonly<Record<UsageEvidence, ContainerStatus['evidence']>> = {
  own: 'Own',
  censored: 'Censored',
  'self-sizing': 'SelfSizing',
  'shared-device': 'SharedDevice'
}

const obstacles: Readonly<Record<ShrinkObstacle, NonNullable<ContainerStatus['obstacle']>>> = {
  'no-history': 'NoHistory',
  'self-sizing': 'SelfSizing',
  censored: 'Censored',
  'under-one-season': 'UnderOneSeason',
  'whole-gpu-after-exits': 'RanOutOfMemory'
}

/** What is measured of a container, as its status tells it. */
export function measuredStatus(found: ContainerEstimate): ContainerStatus {
  const { estimate, computeMetric, deviceMiB, fromMs, image } = found
  const { peakAtMs, peakCompute } = estimate
  return {
    name: found.container,
    ...(image === '' ? {} : { image }),
    peakMemory: mebi(estimate.peakMiB),
    ...(peakAtMs === undefined ? {} : { peakMemoryAt: isoTime(peakAtMs) }),
    ...(peakCompute === undefined ? {} : { peakCompute: percent(peakCompute) }),
    ...(peakCompute === undefined || computeMetric === undefined ? {} : { computeMetric }),
    ...(deviceMiB === undefined ? {} : { deviceMemory: mebi(deviceMiB) }),
    evidence: words[estimate.evidence],
    history: {
      ...(fromMs === undefined ? {} : { from: isoTime(fromMs) }),
      coverage: printCoverage(estimate.confidence.cleanBlocks),
      samples: found.samples
    },
    needed: mebi(estimate.neededMiB),
    ...(estimate.sizeFloorMiB > 0 ? { sizeFloor: mebi(estimate.sizeFloorMiB) } : {}),
    ...(estimate.obstacle === undefined ? {} : { obstacle: obstacles[estimate.obstacle] }),
    sizing: [...found.sizings]
  }
}

/**
 * The status after a reading that is not whole: no number gets smaller, no evidence better, and how much history there is stays as it
 * was.
 */
export function onlyWorse(before: ContainerStatus, now: ContainerStatus): ContainerStatus {
  const isHigher = (quantityToMiB(now.peakMemory) ?? 0) > (quantityToMiB(before.peakMemory) ?? 0)
  const peak = isHigher ? now : before
  const peakCompute = larger(before.peakCompute, now.peakCompute, Number.parseFloat)
  return {
    ...before,
    ...definedOf({
      peakMemory: peak.peakMemory,
      peakMemoryAt: peak.peakMemoryAt,
      deviceMemory: peak.deviceMemory,
      peakCompute,
      computeMetric: (peakCompute === before.peakCompute ? before : now).computeMetric,
      needed: larger(before.needed, now.needed, quantityToMiB),
      sizeFloor: larger(before.sizeFloor, now.sizeFloor, quantityToMiB),
      obstacle: isProven(now.obstacle) ? now.obstacle : before.obstacle
    }),
    evidence: before.evidence === 'Own' && now.evidence === 'Censored' ? 'Censored' : before.evidence,
    sizing: now.sizing
  }
}

/** A lack of history may come from the reading; these two are seen, whatever is missing. */
function isProven(obstacle: ContainerStatus['obstacle']): boolean {
  return obstacle === 'Censored' || obstacle === 'RanOutOfMemory'
}

/** What the pod asks for and with which image. */
export function askedStatus(
  container: ContainerView,
  original: string | undefined
): Partial<ContainerStatus> {
  const current = gpuResourceOf(container)
  if (current === undefined) return { image: container.image }
  const request = gpuRequestOf(container)
  const count = request.kind === 'whole' ? request.count : 1
  const requested = original === undefined ? { [current]: String(count) } : { [original]: '1' }
  return { image: container.image, current, requested }
}

/** A size in whole MiB, rounded up, as the status tells it. */
export function mebi(mib: number): string {
  return `${Math.ceil(Math.round(mib * 1e6) / 1e6)}Mi`
}

/** Rounded up to a whole percent, so that a busy program never looks idle. */
function percent(ratio: number): string {
  return `${Math.min(100, Math.ceil(Math.round(ratio * 1e8) / 1e6))}%`
}

/** Days of clean history, rounded down in steps: 13.92 days are told as `13d`, 2.4 days as `2d6h`. */
export function printCoverage(days: number): string {
  const seconds = days * DAY_SECONDS
  const { stepSeconds } = COVERAGE_STEPS.find(({ belowSeconds }) => seconds < belowSeconds) ?? {
    stepSeconds: DAY_SECONDS
  }
  return printDuration(Math.floor(seconds / stepSeconds + 1e-9) * stepSeconds)
}

/** Seconds of history that a status tells of; 0 where it tells of none. */
export function coverageSecondsOf({ history }: ContainerStatus): number {
  return parseDuration(history?.coverage) ?? 0
}

function larger<T>(before: T | undefined, now: T | undefined, read: (value: string) => number | undefined) {
  const sizeOf = (value: T | undefined): number =>
    value === undefined ? Number.NEGATIVE_INFINITY : (read(String(value)) ?? Number.NEGATIVE_INFINITY)
  return sizeOf(now) > sizeOf(before) ? now : before
}

/** The fields that have a value. */
export function definedOf<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}
