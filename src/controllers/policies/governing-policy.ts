import type { EffectivePolicy, PolicyRead } from '../../core/policy/effective-policy.ts'
import { selectPolicy } from '../../core/policy/select-policy.ts'
import {
  type NodeClass,
  type NodeIndex,
  reachableClasses,
  selectedClasses
} from '../../core/sharing/node-index.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import type { PodRecord } from '../../gather/pod-record.ts'

/** What governing depends on. */
export interface GoverningScope {
  readonly policies: readonly PolicyRead[]
  readonly nodes: NodeIndex
}

/** The policy that governs a pod, or a workload without one; undefined when none does. */
export function governingPolicyOf(
  pod: PodRecord | undefined,
  namespace: NamespaceView,
  { policies, nodes }: GoverningScope
): EffectivePolicy | undefined {
  const within = (named: readonly string[]): readonly NodeClass[] =>
    pod === undefined ? nodes.classes : reachableClasses(nodes, pod.view, named)
  const choice = selectPolicy(policies, {
    namespace,
    reaches: ({ nodeSelector, toleratedTaints }) =>
      selectedClasses(nodes, within(toleratedTaints), nodeSelector).length > 0
  })
  return choice.kind === 'selected' ? choice.policy : undefined
}
