import { ownAnnotations, sliceLabel } from '../../core/api/names.ts'
import { isChangedReason } from '../../core/api/reasons.ts'
import { gpuCountsOf } from '../../core/pod/gpu-request.ts'
import type { PodRecord } from '../../gather/pod-record.ts'

/** A pod that we gave a share and that no node takes. */
export interface WaitingPod {
  readonly record: PodRecord
  readonly share: string
  readonly sinceMs: number
  /** Whether its user named the share, so that it is not ours to take back. */
  readonly isPinned: boolean
}

/** The pod when it waits for a share that it has from us; undefined when it waits for something else, or not at all. */
export function waitingPod(record: PodRecord): WaitingPod | undefined {
  const { node, phase, view, unschedulable } = record
  const reason = view.annotations[ownAnnotations.decision]
  const share = view.labels[sliceLabel]
  if (node !== '' || phase !== 'Pending' || unschedulable === undefined || share === undefined)
    return undefined
  if (!isChangedReason(reason)) return undefined
  if (!isForShare(record, unschedulable.message)) return undefined
  return { record, share, sinceMs: unschedulable.sinceMs, isPinned: reason === 'PinnedToSlice' }
}

/** Whether the pod has waited for as long as its policy lets it. */
export function isOverdue({ sinceMs }: WaitingPod, rescueAfterSeconds: number, nowMs: number): boolean {
  return nowMs - sinceMs >= rescueAfterSeconds * 1000
}

/**
 * What a scheduler says of a share that is missing: too few of the resource, no node with the labels that the share requires, or no
 * device for a claim.
 * @source kube-scheduler: NodeResourcesFit, NodeAffinity and DynamicResources plugins; other schedulers use words of their own
 */
function isForShare({ view }: PodRecord, message: string): boolean {
  const resources = view.containers.flatMap((container) => gpuCountsOf(container).map(([name]) => name))
  if (resources.some((name) => message.includes(`Insufficient ${name}`))) return true
  if (/allocate all claims|resourceclaim/i.test(message)) return true
  if (view.schedulerName !== undefined && view.schedulerName !== 'default-scheduler') return true
  return (
    Object.keys(view.nodeSelector).length > 0 && message.includes("didn't match Pod's node affinity/selector")
  )
}
