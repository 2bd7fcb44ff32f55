import type { GpuWorkload } from '../../core/api/gpu-workload.ts'
import { sliceLabel } from '../../core/api/names.ts'
import { printDuration } from '../../core/policy/duration.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import { outOfMemoryEvidence } from '../../core/usage/estimator/out-of-memory.ts'
import type { ContainerEnding, PodRecord } from '../../gather/pod-record.ts'
import { isoTime, timeOf } from '../workloads/iso-time.ts'

/** What a GpuWorkload says of the first pods with a share. */
export type CanaryStatus = NonNullable<NonNullable<GpuWorkload['status']>['canary']>

/** What the state of a trial depends on. */
export interface CanaryScene {
  readonly canary: NonNullable<EffectivePolicy['canary']>
  readonly before: CanaryStatus | undefined
  /** Pods of the workload that we gave shares, those that have ended too. */
  readonly shared: readonly PodRecord[]
  /** Pods of the workload that have whole GPUs. */
  readonly whole: readonly PodRecord[]
  /** Whether the measured peak of a container reached the ceiling of its share. */
  readonly reachedCeiling: boolean
  readonly nowMs: number
}

/** So long a share that failed is not tried again, ms. */
const FAILED_FOR_MS = 24 * 3_600_000

/** A pod with a share may take twice as long to become ready as the slowest one with a whole GPU, and this besides, ms. */
const SLOWER_FACTOR = 2
const SLOWER_SLACK_MS = 30_000

/** How the trial of a share stands now; what was said before where nothing is to be said anew. */
export function desireCanary(scene: CanaryScene): CanaryStatus | undefined {
  const { before, shared } = scene
  const share = newestOf(shared)?.view.labels[sliceLabel]
  if (share === undefined) return before
  const known = before?.share === share ? before : undefined
  if (known !== undefined && isSettled(known, scene.nowMs)) return known
  const onTrial = shared.filter(({ view }) => view.labels[sliceLabel] === share)
  return judged(share, known, { ...scene, shared: onTrial })
}

/** What has passed stays so, and what has failed until its time has come. */
function isSettled({ state, until }: CanaryStatus, nowMs: number): boolean {
  return state === 'Passed' || (state === 'Failed' && (timeOf(until) ?? 0) > nowMs)
}

function judged(share: string, known: CanaryStatus | undefined, scene: CanaryScene): CanaryStatus {
  const { shared, nowMs } = scene
  const since = isoTime(nowMs)
  const sinceFailedMs = timeOf(known?.until) ?? 0
  const after = shared.filter(({ createdMs }) => createdMs >= sinceFailedMs)
  const message = failureOf({ ...scene, shared: after })
  if (message !== undefined)
    return { share, state: 'Failed', since, until: isoTime(nowMs + FAILED_FOR_MS), message }
  // pods of the trial that failed do not speak against this one, but as long as they run they may speak for it
  const counting = shared.filter((pod) => after.includes(pod) || pod.endedMs === undefined)
  if (counting.length > 0 && counting.every((pod) => hasStayedHealthy(pod, scene)))
    return { share, state: 'Passed', since }
  if (known?.state === 'Trial') return known
  return { share, state: 'Trial', since, ...(known?.until === undefined ? {} : { until: known.until }) }
}

function newestOf(pods: readonly PodRecord[]): PodRecord | undefined {
  return pods.reduce<PodRecord | undefined>(
    (newest, pod) => (newest === undefined || pod.createdMs > newest.createdMs ? pod : newest),
    undefined
  )
}

/** What went wrong with a pod on trial, in a sentence without an end; undefined when nothing did. */
function failureOf({ shared, whole, reachedCeiling }: CanaryScene): string | undefined {
  for (const pod of shared) {
    const out = pod.endings.find(ranOutOfMemory)
    if (out !== undefined) return `container ${out.container} of ${pod.name} ran out of GPU memory`
    if (pod.restarts > 0) return `${pod.name} was started anew ${pod.restarts} times`
    if (pod.phase === 'Failed') return `${pod.name} failed`
  }
  if (reachedCeiling) return 'the measured peak reached the ceiling of the share'
  return slownessOf(shared, whole)
}

function ranOutOfMemory({ exitCode, message }: ContainerEnding): boolean {
  const end = { exitCode, terminationMessage: message, wasRewritten: true }
  return outOfMemoryEvidence({ ...end, lastSampleMiB: undefined, shareMiB: undefined }) === 'message'
}

function slownessOf(shared: readonly PodRecord[], whole: readonly PodRecord[]): string | undefined {
  const usualMs = Math.max(...whole.flatMap((pod) => readyAfterMs(pod) ?? []))
  if (!Number.isFinite(usualMs)) return undefined
  const limitMs = usualMs * SLOWER_FACTOR + SLOWER_SLACK_MS
  const slow = shared.find((pod) => (readyAfterMs(pod) ?? 0) > limitMs)
  if (slow === undefined) return undefined
  const [took, usual] = [readyAfterMs(slow) ?? 0, usualMs].map((ms) => printDuration(Math.round(ms / 1000)))
  return `${slow.name} was ready after ${took}, with whole GPUs it takes ${usual}`
}

/** Readiness may come and go; only a pod that is ready and was never started anew tells how long it took. */
function readyAfterMs({ startedMs, readyMs, restarts }: PodRecord): number | undefined {
  return startedMs === undefined || readyMs === undefined || restarts > 0 ? undefined : readyMs - startedMs
}

/** A pod that ended well has shown all that it can. */
function hasStayedHealthy({ phase, readyMs }: PodRecord, { canary, nowMs }: CanaryScene): boolean {
  if (phase === 'Succeeded') return true
  return readyMs !== undefined && nowMs - readyMs >= canary.healthyForSeconds * 1000
}
