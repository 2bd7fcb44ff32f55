import type { KnownNeed, RunningContainer } from '../core/candidates/candidate.ts'
import { type CandidateInput, needKey } from '../core/candidates/find-candidates.ts'
import type { NodeView } from '../core/cluster/node-view.ts'
import type { DecisionSettings } from '../core/decision/decision.ts'
import type { WorkloadRef } from '../core/pod/workload.ts'
import type { WorkloadUsage } from '../core/usage/usage.ts'
import { ClusterState } from './cluster-state.ts'
import { type PodRecord, readPodRecord } from './pod-record.ts'
import { policyFor, type RunningScope, runningContainers } from './running-containers.ts'
import { type Snapshot, storesOf } from './snapshot.ts'

/** What candidates are gathered from besides the cluster. */
export interface CandidateSources {
  readonly settings: DecisionSettings
  /** Milliseconds since the epoch; exemptions end. */
  readonly nowMs: number
  /** Measured use of a workload; absent: what the snapshot's GpuWorkloads say. */
  readonly usageOf?: (namespace: string, workload: WorkloadRef) => WorkloadUsage | undefined
  readonly priceUsdPerHour: (model: string) => number | undefined
}

/** The input for finding candidates, from a snapshot. */
export function gatherCandidateInput(snapshot: Snapshot, sources: CandidateSources): CandidateInput {
  const stores = storesOf(snapshot)
  const state = new ClusterState(stores, (task) => task())
  const scope = {
    settings: sources.settings,
    policies: state.policies(),
    nodes: state.nodeIndex(),
    namespaceOf: (name: string) => state.namespace(name),
    ownerOf: state.controllerOf.bind(state),
    ownerMarkOf: state.ownerMarkOf.bind(state),
    exemptionsOf: (name: string) => state.exemptions(name),
    nowMs: sources.nowMs,
    usageOf: sources.usageOf ?? state.usage.bind(state)
  }
  const pods = snapshot.pods.flatMap((raw) => readPodRecord(raw) ?? [])
  const { priceUsdPerHour } = sources
  return { ...candidateInputOf(pods, stores.nodes.list(), scope), priceUsdPerHour }
}

/** The input for finding candidates among these pods; without prices. */
export function candidateInputOf(
  pods: readonly PodRecord[],
  nodes: readonly NodeView[],
  scope: RunningScope
): Omit<CandidateInput, 'priceUsdPerHour'> {
  const needs = new Map<string, KnownNeed>()
  const containers: RunningContainer[] = []
  for (const pod of pods) {
    for (const { need, ...container } of runningContainers(pod, scope)) {
      containers.push(container)
      if (need !== undefined) needs.set(needKey(container), need)
    }
  }
  return {
    nodes,
    containers,
    needs,
    replicasAllowed: (namespace) => {
      const { timeSlicing } = policyFor(namespace, scope)
      return timeSlicing?.namespaces.includes(namespace) === true ? timeSlicing.maxReplicas : 0
    }
  }
}
