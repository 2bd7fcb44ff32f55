import type { PodView } from './pod-view.ts'
import { templateKeyOf } from './template-key.ts'
import { workloadKey, workloadOf } from './workload.ts'

/**
 * What pods of one controller and one version of its template have in common, as text; undefined for a pod that nobody makes anew.
 * Two pods of a ReplicaSet are of one group, those of the next roll-out are of another.
 */
export function replicaGroupOf(pod: PodView): string | undefined {
  if (pod.owner === undefined) return undefined
  const workload = workloadKey(workloadOf(pod, () => undefined))
  return [pod.namespace, workload, templateKeyOf(pod, '')].join('/')
}
