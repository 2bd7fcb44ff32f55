import { type OwnerLookup, topOwner } from '../../core/pod/workload.ts'
import { showText } from '../../core/rules/show.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { timeOf } from '../workloads/iso-time.ts'
import { isRewritten } from '../workloads/step-ups.ts'
import type { Sizing, WorkloadObject } from '../workloads/workload-object.ts'
import { ownerSubject, podSubject } from './event-subjects.ts'
import type { Telling } from './tell-once.ts'

/** What was seen longer ago is no news, ms; a process that begins reads up to seven days of it in the objects. */
const NEWS_MS = 3_600_000

/** What telling of full shares depends on. */
export interface NearLimitView {
  /** Live pods of the workload. */
  readonly pods: readonly PodRecord[]
  readonly ownerOf: OwnerLookup
  readonly nowMs: number
}

/** A share that a container of a workload nearly filled. */
interface NearLimit {
  readonly container: string
  readonly shareMiB: number
  readonly image: string
}

/** Whether something was seen of late that `nearLimitTellings` may tell. */
export function hasNearLimit(object: WorkloadObject, nowMs: number): boolean {
  return nearLimitsOf(object, nowMs).length > 0
}

/**
 * What is to be told of shares that were nearly filled: on the owner, and on the pod where only one runs in such a share, once per
 * container, share and image.
 */
export function nearLimitTellings(
  object: WorkloadObject,
  { pods, ownerOf, nowMs }: NearLimitView
): readonly Telling[] {
  const { namespace, workload } = object
  return nearLimitsOf(object, nowMs).flatMap(({ container, shareMiB, image }) => {
    const inShare = pods.filter((pod) => isRewritten(pod) && pod.images[container] === image)
    const [pod] = inShare
    if (pod === undefined) return []
    const owner = ownerSubject(namespace, topOwner(pod.view, ownerOf))
    const subjects = [
      ...(inShare.length === 1 || owner === undefined ? [podSubject(pod)] : []),
      ...(owner === undefined ? [] : [owner])
    ]
    const key = `${container} ${shareMiB} ${image}`
    const message = `container ${showText(container)} came near the ${shareMiB} MiB of its share; its next pods get a larger one`
    const event = { reason: 'SliceMemoryNearLimit' as const, message, key, atMs: nowMs }
    return {
      key: `${event.reason} ${recordKey(namespace, workload)} ${key}`,
      messages: subjects.map((subject) => ({ ...event, subject }))
    }
  })
}

function nearLimitsOf({ status }: WorkloadObject, nowMs: number): readonly NearLimit[] {
  return (status?.containers ?? []).flatMap(({ name, sizing = [] }) =>
    sizing
      .flatMap(({ stepUps = [] }) => stepUps)
      .filter((stepUp) => stepUp.evidence === 'near-ceiling' && isNews(stepUp, nowMs))
      .map(({ failedMiB, image }) => ({ container: name, shareMiB: failedMiB, image }))
  )
}

function isNews({ at }: NonNullable<Sizing['stepUps']>[number], nowMs: number): boolean {
  return nowMs - (timeOf(at) ?? Number.NEGATIVE_INFINITY) < NEWS_MS
}
