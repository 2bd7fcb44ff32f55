import type { OwnerRef } from '../../core/pod/pod-view.ts'
import type { EventSubject } from '../../ports/event-sink.ts'

/** The owner of a pod as what an Event is about. A Node owns mirror pods and lies in no namespace. */
export function ownerSubject(namespace: string, owner: OwnerRef | undefined): EventSubject | undefined {
  if (owner === undefined || owner.uid === '' || owner.kind === 'Node') return undefined
  const { apiVersion, kind, name, uid } = owner
  return { apiVersion, kind, namespace, name, uid }
}
