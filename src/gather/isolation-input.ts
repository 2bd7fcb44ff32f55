import type { DecisionSettings } from '../core/decision/decision.ts'
import { readPod } from '../core/pod/pod-view.ts'
import { readSecurity } from '../core/pod/security-view.ts'
import { workloadOf } from '../core/pod/workload.ts'
import type { IsolationInput } from '../core/rules/verdict.ts'
import type { ClusterState } from './cluster-state.ts'
import type { PodArrival } from './decision-input.ts'

/** A pod that is to be judged; `oldObject` is the pod before an update. */
export interface JudgedArrival extends PodArrival {
  readonly oldObject?: unknown
}

/** The record that isolation needs, from memory alone: a miss is a value. */
export function gatherIsolationInput(
  { operation, subResource, namespace, object, oldObject, isTemplate = false, nowMs }: JudgedArrival,
  state: ClusterState,
  settings: DecisionSettings
): IsolationInput {
  const pod = readPod(object, namespace)
  return {
    operation,
    subResource,
    pod,
    security: readSecurity(object),
    ...(oldObject === undefined || oldObject === null ? {} : { before: readSecurity(oldObject) }),
    isTemplate,
    namespace: state.namespace(namespace),
    settings,
    policies: state.policies(),
    nodes: state.nodeIndex(),
    exemptions: state.exemptions(namespace),
    workload: workloadOf(pod, (own, owner) => state.controllerOf(own, owner)),
    nowMs
  }
}
