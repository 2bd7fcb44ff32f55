import { ownAnnotations } from '../../core/api/names.ts'
import { isReasonCode, type ReasonCode, reasons } from '../../core/api/reasons.ts'
import { templateKeyOf } from '../../core/pod/template-key.ts'
import { type OwnerLookup, topOwner, workloadOf } from '../../core/pod/workload.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { EventMessage, EventSubject } from '../../ports/event-sink.ts'
import { plainText } from '../conditions.ts'
import { ownerSubject, podSubject } from './event-subjects.ts'

/** What the webhook decided about a pod, as the pod's marks tell it. */
export interface SeenDecision {
  /** Namespace, kind, name and role of the workload. */
  readonly workload: string
  readonly reason: ReasonCode
  /** What makes pods of one template one case. */
  readonly template: string
  readonly sentence: string
  readonly pod: EventSubject
  /** The object that a person looks at; undefined for a bare pod, and where nobody told its UID. */
  readonly owner: EventSubject | undefined
}

/** What telling of decisions depends on. */
export interface DecisionView {
  readonly ownerOf: OwnerLookup
  readonly namespaceOf: (name: string) => NamespaceView
}

/**
 * The decision that a pod carries; undefined when it carries none. Marks count only in namespaces that opted in, since elsewhere
 * anybody can write them.
 */
export function seenDecision(
  pod: PodRecord,
  { ownerOf, namespaceOf }: DecisionView
): SeenDecision | undefined {
  const { namespace, uid, view } = pod
  const reason = view.annotations[ownAnnotations.decision] ?? ''
  if (!isReasonCode(reason) || enforcementOf(namespaceOf(namespace).labels) === 'off') return undefined
  return {
    workload: recordKey(namespace, workloadOf(view, ownerOf)),
    reason,
    template: templateKeyOf(view, uid),
    sentence: plainText(view.annotations[ownAnnotations.explain] ?? reasons[reason].summary),
    pod: podSubject(pod),
    owner: ownerSubject(namespace, topOwner(view, ownerOf))
  }
}

/**
 * The Events of one decision.
 * @param reasonBefore reason that was last seen for the workload; undefined when there was none
 */
export function eventsOf(
  { reason, template, sentence, pod, owner }: SeenDecision,
  { reasonBefore, nowMs }: { readonly reasonBefore: string | undefined; readonly nowMs: number }
): readonly EventMessage[] {
  if (reasons[reason].outcome === 'changed') {
    const event = { reason: 'GpuRequestRewritten' as const, message: sentence, key: template, atMs: nowMs }
    return [pod, ...(owner === undefined ? [] : [owner])].map((subject) => ({ ...event, subject }))
  }
  if (reason === reasonBefore) return []
  const message = `${reason}: ${sentence}`
  const key = `${reason} ${template}`
  return [{ reason: 'GpuRequestKept', message, key, subject: owner ?? pod, atMs: nowMs }]
}
