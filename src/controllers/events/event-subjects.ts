import type { OwnerRef } from '../../core/pod/pod-view.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { EventSubject } from '../../ports/event-sink.ts'

/** The pod as an Event names it. */
export function podSubject({ namespace, name, uid }: PodRecord): EventSubject {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid }
}

/** An owner as an Event names it; undefined where there is none, or where nobody told its UID. A Node owns mirror pods and lies in no namespace. */
export function ownerSubject(namespace: string, owner: OwnerRef | undefined): EventSubject | undefined {
  if (owner === undefined || owner.uid === '' || owner.kind === 'Node') return undefined
  const { apiVersion, kind, name, uid } = owner
  return { apiVersion, kind, namespace, name, uid }
}
