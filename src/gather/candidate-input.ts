import type { KnownNeed, RunningContainer } from '../core/candidates/candidate.ts'
import { type CandidateInput, needKey } from '../core/candidates/find-candidates.ts'
import type { DecisionSettings } from '../core/decision/decision.ts'
import { needOf } from '../core/decision/need.ts'
import { type GpuContainer, gpuContainersOf, keepsWholeRefusal } from '../core/decision/whom.ts'
import { readWishes } from '../core/decision/wishes.ts'
import { fieldAt, fieldOf, stringOf } from '../core/json.ts'
import { type PodView, readPod } from '../core/pod/pod-view.ts'
import { type WorkloadRef, workloadOf } from '../core/pod/workload.ts'
import { type EffectivePolicy, toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { exemptionFor } from '../core/policy/exemption.ts'
import { selectPolicy } from '../core/policy/select-policy.ts'
import type { WorkloadUsage } from '../core/usage/usage.ts'
import { ClusterState } from './cluster-state.ts'
import { gatherDecisionInput } from './decision-input.ts'
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

/**
 * The input for finding candidates, from a snapshot: every running container that holds whole GPUs, judged by the policy
 * of its namespace, or by the defaults where none is installed yet.
 */
export function gatherCandidateInput(snapshot: Snapshot, sources: CandidateSources): CandidateInput {
  const stores = storesOf(snapshot)
  const state = new ClusterState(stores, (task) => task())
  const needs = new Map<string, KnownNeed>()
  const containers = snapshot.pods.flatMap((raw) => containersOf(raw, { state, sources, needs }))
  return {
    nodes: stores.nodes.list(),
    containers,
    needs,
    replicasAllowed: (namespace) => replicasAllowed(policyFor(state, namespace), namespace),
    priceUsdPerHour: sources.priceUsdPerHour
  }
}

interface Gathering {
  readonly state: ClusterState
  readonly sources: CandidateSources
  /** Filled on the way. */
  readonly needs: Map<string, KnownNeed>
}

function containersOf(raw: unknown, gathering: Gathering): RunningContainer[] {
  const namespace = stringOf(fieldOf(raw, 'metadata'), 'namespace') ?? ''
  const view = readPod(raw, namespace)
  const phase = fieldAt(raw, 'status', 'phase')
  const node = view.nodeName
  if (node === undefined || phase === 'Succeeded' || phase === 'Failed') return []
  const { state } = gathering
  const workload = workloadOf(view, (where, owner) => state.controllerOf(where, owner))
  const asking = gpuContainersOf(view)
  return asking.flatMap((gpu) => {
    if (gpu.request.kind !== 'whole' || gpu.container.role === 'init') return []
    const running = {
      namespace,
      pod: view.name,
      node,
      workload,
      container: gpu.container.name,
      gpus: gpu.request.count
    }
    return { ...running, keeps: judge(raw, { gpu, asking, view, running }, gathering) }
  })
}

interface Judged {
  readonly gpu: GpuContainer
  readonly asking: readonly GpuContainer[]
  readonly view: PodView
  readonly running: Omit<RunningContainer, 'keeps'>
}

/** Why the container keeps its GPU; where it need not, what it needs is noted. */
function judge(
  raw: unknown,
  { gpu, asking, view, running }: Judged,
  gathering: Gathering
): RunningContainer['keeps'] {
  const { state, sources, needs } = gathering
  const { namespace, workload } = running
  const arrival = { operation: 'CREATE', subResource: '', namespace, object: raw, nowMs: sources.nowMs }
  const input = gatherDecisionInput(arrival, state, sources.settings)
  // A running pod has a node because it was placed, not because it asks for it.
  const refusal = keepsWholeRefusal({ ...input, pod: { ...view, nodeName: undefined } }, asking)
  if (refusal !== undefined) return refusal.reason
  const reading = readWishes(view)
  if (!reading.ok) return 'AnnotationInvalid'
  if (reading.wishes.sharing === 'never') return 'OptedOut'
  if (reading.wishes.pin?.kind === 'whole-gpu') return 'Pinned'
  const subject = { labels: view.labels, workload }
  const policy = policyFor(state, namespace)
  const time = { nowMs: sources.nowMs, maxSeconds: policy.maxExemptionSeconds }
  if (exemptionFor(input.exemptions, 'Rewrite', { subject, time }) !== undefined) return 'Exempt'
  const usage = sources.usageOf === undefined ? input.usage : sources.usageOf(namespace, workload)
  const need = needOf(gpu.container, { usage, policy, wishes: reading.wishes })
  if (need.kind === 'refusal') return need.reason
  needs.set(needKey(running), {
    peakMiB: need.usage.peakMiB,
    peakCompute: need.usage.peakCompute?.ratio,
    neededMiB: need.neededMiB,
    neededCompute: need.neededCompute,
    coverageSeconds: need.usage.coverageSeconds
  })
  return undefined
}

function policyFor(state: ClusterState, name: string): EffectivePolicy {
  const choice = selectPolicy(state.policies(), { namespace: state.namespace(name), reaches: () => true })
  return choice.kind === 'selected' ? choice.policy : defaultPolicy()
}

/** The policy of a cluster that has none: everything that a policy leaves open has its default. */
function defaultPolicy(): EffectivePolicy {
  const read = toEffectivePolicy({
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuPolicy',
    metadata: { name: 'defaults' },
    spec: {}
  })
  if (read.kind === 'valid') return read.policy
  throw new Error('the empty policy is not valid')
}

function replicasAllowed({ timeSlicing }: EffectivePolicy, namespace: string): number {
  return timeSlicing?.namespaces.includes(namespace) === true ? timeSlicing.maxReplicas : 0
}
