import type { OwnerRef } from '../../core/pod/pod-view.ts'
import type { OwnerLookup } from '../../core/pod/workload.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { EventSubject } from '../../ports/event-sink.ts'

/** The pod as an Event names it. */
export function podSubject({ namespace, name, uid }: PodRecord): EventSubject {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid }
}

/** The object that a person looks at, behind one that makes pods; undefined where there is none, or where nobody told its UID. */
export function ownerSubject(
  namespace: string,
  maker: OwnerRef | undefined,
  ownerOf: OwnerLookup
): EventSubject | undefined {
  if (maker === undefined) return undefined
  const { apiVersion, kind, name, uid } = ownerOf(namespace, maker) ?? maker
  const liesInNoNamespace = kind === 'Node' // it owns mirror pods
  return uid === '' || liesInNoNamespace ? undefined : { apiVersion, kind, namespace, name, uid }
}
