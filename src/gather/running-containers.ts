import { namespaceLabels } from '../core/api/names.ts'
import type { KnownNeed, RunningContainer } from '../core/candidates/candidate.ts'
import type { DecisionInput, DecisionSettings } from '../core/decision/decision.ts'
import { needOf } from '../core/decision/need.ts'
import { type GpuContainer, gpuContainersOf, keepsWholeRefusal } from '../core/decision/whom.ts'
import { readWishes, type Wishes } from '../core/decision/wishes.ts'
import type { OwnerRef } from '../core/pod/pod-view.ts'
import { type OwnerLookup, type WorkloadRef, workloadOf } from '../core/pod/workload.ts'
import { type EffectivePolicy, type PolicyRead, toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { type Exemption, exemptionFor } from '../core/policy/exemption.ts'
import { selectPolicy } from '../core/policy/select-policy.ts'
import { firstDefeat } from '../core/rules/defeats.ts'
import type { NodeIndex } from '../core/sharing/node-index.ts'
import type { WorkloadUsage } from '../core/usage/usage.ts'
import type { NamespaceView } from './cluster-state.ts'
import type { PodRecord } from './pod-record.ts'

/** What running containers are judged by besides their pods. */
export interface RunningScope {
  readonly settings: DecisionSettings
  readonly policies: readonly PolicyRead[]
  readonly nodes: NodeIndex
  readonly namespaceOf: (name: string) => NamespaceView
  readonly ownerOf: OwnerLookup
  /** Key by which Kueue is seen to hold what made a pod; absent: that is not looked at. */
  readonly ownerMarkOf?: (namespace: string, owner: OwnerRef | undefined) => string | undefined
  readonly exemptionsOf: (namespace: string) => readonly Exemption[]
  readonly nowMs: number
  readonly usageOf: (namespace: string, workload: WorkloadRef) => WorkloadUsage | undefined
}

/** A container that holds whole GPUs; `need` is there where its use may decide. */
export interface JudgedContainer extends RunningContainer {
  readonly need: KnownNeed | undefined
}

/**
 * The containers of a pod that hold whole GPUs now, each judged by the policy of its namespace, or by the defaults where none is
 * installed yet, and as if its namespace wanted to be told.
 */
export function runningContainers(pod: PodRecord, scope: RunningScope): readonly JudgedContainer[] {
  const { namespace, name, node, view } = pod
  if (node === '' || pod.phase === 'Succeeded' || pod.phase === 'Failed') return []
  const workload = workloadOf(view, scope.ownerOf)
  const asking = gpuContainersOf(view)
  return asking.flatMap((gpu) => {
    const { container, request } = gpu
    if (request.kind !== 'whole' || container.role === 'init') return []
    const running = { namespace, pod: name, node, workload, container: container.name, gpus: request.count }
    return { ...running, ...judge(pod, { gpu, asking, workload }, scope) }
  })
}

/** The policy that governs a namespace wherever its pods are; the defaults where there is none. */
export function policyFor(
  name: string,
  { policies, namespaceOf }: Pick<RunningScope, 'policies' | 'namespaceOf'>
): EffectivePolicy {
  const choice = selectPolicy(policies, { namespace: namespaceOf(name), reaches: () => true })
  return choice.kind === 'selected' ? choice.policy : defaultPolicy()
}

interface Judged {
  readonly gpu: GpuContainer
  readonly asking: readonly GpuContainer[]
  readonly workload: WorkloadRef
}

type Judgement = Pick<JudgedContainer, 'keeps' | 'keepsIfShared' | 'need'>

function judge(pod: PodRecord, { gpu, asking, workload }: Judged, scope: RunningScope): Judgement {
  const input = inputOf(pod, workload, scope)
  const policy = policyFor(pod.namespace, scope)
  const refusal = keepsWholeRefusal(input, asking, policy)
  if (refusal !== undefined) return keeping(refusal.reason)
  const reading = readWishes(pod.view)
  if (!reading.ok) return keeping('AnnotationInvalid')
  const { wishes } = reading
  const wish = refusedByWish(wishes)
  if (wish !== undefined) return keeping(wish)
  const time = { nowMs: scope.nowMs, maxSeconds: policy.maxExemptionSeconds }
  const subject = { labels: pod.view.labels, workload }
  if (exemptionFor(input.exemptions, 'Rewrite', { subject, time }) !== undefined) return keeping('Exempt')
  const need = needOf(gpu.container, { usage: input.usage, policy, wishes })
  if (need.kind === 'refusal') return keeping(need.reason)
  if (firstDefeat(input, pod.defeats) !== undefined) return keeping('BreaksIsolation')
  const { usage, neededMiB, neededCompute } = need
  const { peakMiB, peakCompute, coverageSeconds } = usage
  return {
    keeps: undefined,
    keepsIfShared: firstDefeat(input, pod.defeats, true) === undefined ? undefined : 'BreaksIsolation',
    need: { peakMiB, peakCompute: peakCompute?.ratio, neededMiB, neededCompute, coverageSeconds }
  }
}

function keeping(reason: NonNullable<RunningContainer['keeps']>): Judgement {
  return { keeps: reason, keepsIfShared: reason, need: undefined }
}

function refusedByWish({ sharing, pin }: Wishes): RunningContainer['keeps'] {
  if (sharing === 'never') return 'OptedOut'
  return pin?.kind === 'whole-gpu' ? 'Pinned' : undefined
}

function inputOf(pod: PodRecord, workload: WorkloadRef, scope: RunningScope): DecisionInput {
  const { settings, policies, nodes } = scope
  const namespace = scope.namespaceOf(pod.namespace)
  return {
    operation: 'CREATE',
    subResource: '',
    pod: pod.view,
    readDefeats: () => pod.defeats,
    namespace: { ...namespace, labels: { ...namespace.labels, [namespaceLabels.rightsize]: 'warn' } },
    settings,
    policies,
    workload,
    usage: scope.usageOf(pod.namespace, workload),
    nodes,
    exemptions: scope.exemptionsOf(pod.namespace),
    ownerMark: scope.ownerMarkOf?.(pod.namespace, pod.view.owner),
    nowMs: scope.nowMs
  }
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
