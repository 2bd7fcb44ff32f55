import { printMiB } from '../api/quantity.ts'
import type { ContainerView } from '../pod/pod-view.ts'
import { printDuration } from '../policy/duration.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Refusal } from '../sharing/method.ts'
import type { ContainerUsage, WorkloadUsage } from '../usage/usage.ts'
import { selfSizingOf } from './self-sizing.ts'
import type { Wishes } from './wishes.ts'

/** What a container needs of a share. */
export interface Need {
  readonly kind: 'need'
  readonly container: ContainerView
  readonly usage: ContainerUsage
  readonly headroomRatio: number
  readonly neededMiB: number
  /** What the need comes from: peak and headroom, the pod's own floor, or a size that is still held. */
  readonly raisedBy: 'peak' | 'min-memory' | 'size-floor'
  /** Least share of a GPU's compute, 0 to 1; undefined when it is unknown or the policy does not look at it. */
  readonly neededCompute: number | undefined
}

/** A peak at this share of the device or more may have been cut off: 7,783 MiB of 8,192. */
const CENSORED_FROM_RATIO = 0.95

/** What the container needs, or why its history is no evidence. */
export function needOf(
  container: ContainerView,
  { usage, policy, wishes }: { usage: WorkloadUsage | undefined; policy: EffectivePolicy; wishes: Wishes }
): Need | ({ readonly kind: 'refusal' } & Refusal) {
  const own = usage?.containers.find((entry) => entry.container === container.name)
  if (own === undefined || own.peakMiB <= 0) {
    return refuse('NoHistory', `no use of GPU memory is known for container ${container.name}`)
  }
  const refusal = evidenceRefusal(container, own, policy)
  if (refusal !== undefined) return { kind: 'refusal', ...refusal }
  const headroomRatio = Math.max(policy.headroomRatio, wishes.headroomRatio ?? 0)
  return {
    kind: 'need',
    container,
    usage: own,
    headroomRatio,
    ...memoryNeed(own, headroomRatio, wishes),
    neededCompute:
      policy.compute.fit && own.peakCompute !== undefined
        ? own.peakCompute.ratio * policy.compute.marginRatio
        : undefined
  }
}

/** The largest of what the peak asks for, what the pod asks for, and the size that is still held. */
function memoryNeed(
  { peakMiB, neededMiB = 0, sizeFloorMiB = 0 }: ContainerUsage,
  headroomRatio: number,
  { minMemoryMiB = 0 }: Wishes
): Pick<Need, 'neededMiB' | 'raisedBy'> {
  const fromPeak = Math.max(withHeadroom(peakMiB, headroomRatio), Math.ceil(neededMiB))
  const settled = Math.max(fromPeak, Math.ceil(sizeFloorMiB))
  if (minMemoryMiB > settled) return { neededMiB: Math.ceil(minMemoryMiB), raisedBy: 'min-memory' }
  return { neededMiB: settled, raisedBy: settled > fromPeak ? 'size-floor' : 'peak' }
}

/**
 * Peak plus headroom in whole MiB, rounded up: 5200 MiB and 0.2 give 6240.
 * The product is rounded to a millionth first, so that 0.2 counts as a fifth and not as a little more.
 */
export function withHeadroom(peakMiB: number, headroomRatio: number): number {
  return Math.ceil(Math.round(peakMiB * (1 + headroomRatio) * 1e6) / 1e6)
}

/**
 * The peak and what follows from it: `peak 5.1Gi + 20% = 6.1Gi`, in short form without the sum. A need that other things
 * raised is no sum that could be redone, and is told as it is: `peak 4.9Gi, needs 6.8Gi`.
 */
export function tellNeed(
  {
    peakMiB,
    headroomRatio,
    neededMiB
  }: { readonly peakMiB: number; readonly headroomRatio: number; readonly neededMiB: number },
  form: 'full' | 'short' = 'full'
): string {
  const peak = `peak ${printMiB(peakMiB)}`
  if (neededMiB !== withHeadroom(peakMiB, headroomRatio)) return `${peak}, needs ${printMiB(neededMiB)}`
  const sum = form === 'full' ? ` = ${printMiB(neededMiB)}` : ''
  return `${peak} + ${Math.round(headroomRatio * 100)}%${sum}`
}

function refuse(reason: Refusal['reason'], sentence: string): { readonly kind: 'refusal' } & Refusal {
  return { kind: 'refusal', reason, sentence }
}

type EvidenceCheck = (
  container: ContainerView,
  usage: ContainerUsage,
  policy: EffectivePolicy
) => Refusal | undefined

/** What makes a history no evidence, in order. */
const evidenceChecks: readonly EvidenceCheck[] = [
  ({ name }, { evidence }) =>
    evidence === 'shared-device'
      ? {
          reason: 'NoPerPodHistoryOnSharedGpu',
          sentence: `the samples of container ${name} are those of a shared GPU`
        }
      : undefined,
  ({ name }, { obstacle }) =>
    obstacle === 'ran-out-of-memory'
      ? {
          reason: 'RanOutOfMemory',
          sentence: `container ${name} ran out of GPU memory in smaller shares, so it keeps a whole GPU for a while`
        }
      : undefined,
  selfSizingRefusal,
  ({ name }, { obstacle }) =>
    obstacle === 'no-history'
      ? { reason: 'NoHistory', sentence: `no use of GPU memory is known for container ${name}` }
      : undefined,
  censoredRefusal,
  ({ name }, { coverageSeconds }, { minCoverageSeconds }) =>
    coverageSeconds < minCoverageSeconds
      ? {
          reason: 'TooLittleHistory',
          sentence: `container ${name} has ${printDuration(coverageSeconds)} of history, the policy asks for ${printDuration(minCoverageSeconds)}`
        }
      : undefined,
  ({ name }, { obstacle, coverageSeconds }) =>
    obstacle === 'under-one-season'
      ? {
          reason: 'TooLittleHistory',
          sentence: `container ${name} has ${printDuration(coverageSeconds)} of history, which is not one whole season of its use`
        }
      : undefined
]

function evidenceRefusal(
  container: ContainerView,
  usage: ContainerUsage,
  policy: EffectivePolicy
): Refusal | undefined {
  for (const check of evidenceChecks) {
    const refusal = check(container, usage, policy)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/**
 * A peak at the ceiling tells only that more is needed. Where the estimator asks for more than that ceiling, that is the
 * step up to the next size; else nobody knows how much more.
 */
function censoredRefusal({ name }: ContainerView, usage: ContainerUsage): Refusal | undefined {
  const { evidence, obstacle, peakMiB, deviceMiB } = usage
  const atCeiling = deviceMiB !== undefined && peakMiB >= deviceMiB * CENSORED_FROM_RATIO
  if (evidence !== 'censored' && obstacle !== 'censored' && !atCeiling) return undefined
  const asked = Math.max(usage.neededMiB ?? 0, usage.sizeFloorMiB ?? 0)
  if (deviceMiB !== undefined && asked > deviceMiB) return undefined
  const ceiling = deviceMiB === undefined ? '' : ` of ${printMiB(deviceMiB)}`
  return {
    reason: 'CensoredHistory',
    sentence: `container ${name} reached ${printMiB(peakMiB)}${ceiling}, so it may need more`
  }
}

function selfSizingRefusal(container: ContainerView, usage: ContainerUsage): Refusal | undefined {
  const mark = selfSizingOf(container)
  if (mark === undefined && usage.evidence !== 'self-sizing' && usage.obstacle !== 'self-sizing')
    return undefined
  const device = usage.deviceMiB
  const fraction = device === undefined ? '' : ` (${(usage.peakMiB / device).toFixed(2)} of the device)`
  const named =
    mark === undefined
      ? 'a fixed fraction of its device'
      : `what ${mark.program}'s ${mark.setting.replace(/^--/, '')} sets`
  return {
    reason: 'SelfSizing',
    sentence: `container ${container.name} holds ${printMiB(usage.peakMiB)}${fraction}: ${named}, a reservation and not its need`
  }
}

/** Why a container keeps its GPU because it keeps it busy, whatever it holds; undefined where the policy sets no bound. */
export function busyRefusal({ container, usage }: Need, { compute }: EffectivePolicy): Refusal | undefined {
  const { peakCompute } = usage
  if (compute.busyAboveRatio === undefined || peakCompute === undefined) return undefined
  if (peakCompute.ratio <= compute.busyAboveRatio) return undefined
  return {
    reason: 'ComputeTooHigh',
    sentence: `container ${container.name}: ${peakCompute.metric} is ${peakCompute.ratio}, above ${compute.busyAboveRatio}`
  }
}
