import type { DecisionInput, DecisionSettings } from '../core/decision/decision.ts'
import { type PodView, readPod } from '../core/pod/pod-view.ts'
import { replicaGroupOf } from '../core/pod/replica-group.ts'
import { readSecurity } from '../core/pod/security-view.ts'
import { workloadOf } from '../core/pod/workload.ts'
import { type Defeat, defeatsOf } from '../core/rules/defeats.ts'
import type { ClusterState } from './cluster-state.ts'

/** A pod that something is to be decided about. */
export interface PodArrival {
  readonly operation: string
  readonly subResource: string
  /** Namespace of the request, which counts; that of the object may be empty. */
  readonly namespace: string
  /** The pod as it came. */
  readonly object: unknown
  /** When it came, ms since the epoch. */
  readonly nowMs: number
  /** true for the pod that a workload would make: what is known of the cluster will be younger when it comes. */
  readonly isTemplate?: boolean
  /** Key by which Kueue is seen to hold the workload of a template; default: what is known of the pod's owner. */
  readonly ownerMark?: string
}

/** The record that a decision needs, from memory alone: a miss is a value. */
export function gatherDecisionInput(
  arrival: PodArrival,
  state: ClusterState,
  settings: DecisionSettings
): DecisionInput {
  const pod = readPod(arrival.object, arrival.namespace)
  const workload = workloadOf(pod, (namespace, owner) => state.controllerOf(namespace, owner))
  let defeats: readonly Defeat[] | undefined
  return {
    operation: arrival.operation,
    subResource: arrival.subResource,
    pod,
    readDefeats: () => (defeats ??= defeatsOf(pod, readSecurity(arrival.object))),
    namespace: state.namespace(arrival.namespace),
    settings,
    policies: state.policies(),
    workload,
    usage: state.usage(arrival.namespace, workload),
    nodes: state.nodeIndex(),
    exemptions: state.exemptions(arrival.namespace),
    ...(arrival.isTemplate === true ? {} : knownNow(pod, state)),
    limits: state.limits(arrival.namespace, arrival.nowMs),
    ownerMark: arrival.ownerMark ?? state.ownerMarkOf(arrival.namespace, pod.owner),
    nowMs: arrival.nowMs
  }
}

/** What holds at this moment, and for pods alone: a template is judged for later. */
function knownNow(
  pod: PodView,
  state: ClusterState
): Pick<DecisionInput, 'capacity' | 'unseen' | 'siblings' | 'heardMs'> {
  const group = replicaGroupOf(pod)
  return {
    capacity: state.capacity(),
    unseen: state.unseen(group),
    siblings: state.siblings(group),
    heardMs: state.heardMs()
  }
}
