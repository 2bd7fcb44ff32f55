import type { PodView } from './pod-view.ts'
import { workloadKey, workloadOf } from './workload.ts'

/** Labels in which a controller writes which version of its template a pod is made from; a ReplicaSet has one template only. */
const revisionLabels = ['controller-revision-hash', 'pod-template-generation'] as const

/**
 * What pods of one controller and one version of its template have in common, as text; undefined for a pod that nobody makes anew.
 * Two pods of a ReplicaSet are of one group, those of the next roll-out are of another.
 * @source https://kubernetes.io/docs/concepts/workloads/controllers/ (pod-template-hash is in the ReplicaSet's name)
 */
export function replicaGroupOf(pod: PodView): string | undefined {
  const { namespace, owner, labels } = pod
  if (owner === undefined) return undefined
  const revision = revisionLabels.map((label) => labels[label]).find((value) => value !== undefined) ?? ''
  const workload = workloadKey(workloadOf(pod, () => undefined))
  return [namespace, owner.kind, owner.name, revision, workload].join('/')
}
