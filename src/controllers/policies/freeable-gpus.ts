import { findCandidates } from '../../core/candidates/find-candidates.ts'
import { summarize } from '../../core/candidates/summary.ts'
import type { NodeView } from '../../core/cluster/node-view.ts'
import { hasLabels } from '../../core/cluster/reach.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import { readGpuWorkload, recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { WorkloadUsage } from '../../core/usage/usage.ts'
import { candidateInputOf } from '../../gather/candidate-input.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { RunningScope } from '../../gather/running-containers.ts'
import { asWorkloadObject, type WorkloadObject, workloadSpec } from '../workloads/workload-object.ts'

/** What the GPUs that could be freed are counted from. */
export interface FreeableScope extends Omit<RunningScope, 'usageOf'> {
  readonly pods: readonly PodRecord[]
  readonly allNodes: readonly NodeView[]
  readonly objects: readonly WorkloadObject[]
}

/**
 * GPUs that would be freed if pods of the workloads that a policy governs were packed on its nodes, as `rightslice candidates` counts
 * them: whether cards are cut like that today or not.
 */
export function freeableCounter(scope: FreeableScope): (policy: EffectivePolicy) => number {
  const usage = new Map<string, WorkloadUsage>()
  const policyNames = new Map<string, string>()
  for (const object of scope.objects) {
    const key = recordKey(object.namespace, object.workload)
    const found = usageOf(object)
    if (found !== undefined) usage.set(key, found)
    if (object.status?.policy !== undefined) policyNames.set(key, object.status.policy)
  }
  const input = candidateInputOf(scope.pods, scope.allNodes, {
    ...scope,
    usageOf: (namespace, workload) => usage.get(recordKey(namespace, workload))
  })
  return ({ name, nodeSelector }) => {
    const groups = findCandidates({
      ...input,
      nodes: input.nodes.filter((node) => hasLabels(node, nodeSelector)),
      containers: input.containers.filter(
        ({ namespace, workload }) => policyNames.get(recordKey(namespace, workload)) === name
      ),
      priceUsdPerHour: () => undefined
    })
    return summarize(groups).gpusFreed
  }
}

function usageOf(object: WorkloadObject): WorkloadUsage | undefined {
  const { workload, apiVersion, status } = object
  if (status === undefined) return undefined
  return readGpuWorkload(asWorkloadObject({ ...object, spec: workloadSpec(workload, apiVersion) }, status))
    ?.usage
}
