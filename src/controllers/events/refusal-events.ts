import type { OwnerRef } from '../../core/pod/pod-view.ts'
import type { OwnerLookup } from '../../core/pod/workload.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import type { RefusalRecord } from '../../gather/refusal-record.ts'
import type { EventSubject } from '../../ports/event-sink.ts'
import { ownerSubject } from './event-subjects.ts'
import type { Telling } from './tell-once.ts'

/** What telling of refused pods depends on. */
export interface RefusalView {
  readonly ownerOf: OwnerLookup
  readonly namespaceOf: (name: string) => NamespaceView
  readonly nowMs: number
}

/**
 * What is to be told of refused pods: on their owner, once per template and rule. Only where pods are refused at all, and never
 * outside the namespace of the Event that told it, so a forged one reaches nobody else.
 */
export function refusalTellings(
  { namespace, maker, refusals }: RefusalRecord,
  { ownerOf, namespaceOf, nowMs }: RefusalView
): readonly Telling[] {
  const subject = ownerSubject(namespace, ownerOf(namespace, maker) ?? maker)
  if (subject === undefined || enforcementOf(namespaceOf(namespace).labels) !== 'enforce') return []
  const template = templateOf(maker, subject)
  return refusals.map(({ rule, words }) => ({
    key: `GpuPodRejected ${namespace} ${subject.uid} ${template} ${rule}`,
    messages: [
      {
        subject,
        reason: 'GpuPodRejected',
        message: `[${rule}] ${words}`,
        key: `${template} ${rule}`,
        atMs: nowMs
      }
    ]
  }))
}

/**
 * A ReplicaSet is one template of its owner. Of other makers the template is not told, and the Jobs of one CronJob are made from
 * one: there the owner stands for it.
 */
function templateOf(maker: OwnerRef, owner: EventSubject): string {
  return maker.kind === 'ReplicaSet' ? maker.name : owner.uid
}
