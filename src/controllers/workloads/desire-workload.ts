import type { NodeView } from '../../core/cluster/node-view.ts'
import type { DecisionSettings } from '../../core/decision/decision.ts'
import type { JsonRecord } from '../../core/json.ts'
import type { OwnerRef } from '../../core/pod/pod-view.ts'
import type { EffectivePolicy, PolicyRead } from '../../core/policy/effective-policy.ts'
import type { Exemption } from '../../core/policy/exemption.ts'
import type { NodeIndex } from '../../core/sharing/node-index.ts'
import type { KnownPod } from '../../core/usage/attribution/known.ts'
import type { LearntHeadroom } from '../../core/usage/estimator/learnt-headroom.ts'
import { defaultSettings, type EstimatorSettings } from '../../core/usage/estimator/settings.ts'
import { readGpuWorkload } from '../../core/usage/read-gpu-workload.ts'
import type { WorkloadUsage } from '../../core/usage/usage.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { type Claim, toConditions } from '../conditions.ts'
import { governingPolicyOf } from '../policies/governing-policy.ts'
import { type ContainerEstimate, type ContainerFacts, estimateContainer } from './container-estimate.ts'
import { definedOf } from './container-status.ts'
import { containerStatuses } from './container-statuses.ts'
import { type IsolationState, isolationClaims } from './isolation-condition.ts'
import { keptPodsText } from './kept-pods.ts'
import { keptNames, keptText, type MaximaByPod } from './scraped-maxima.ts'
import { shareSizesFor } from './share-sizes.ts'
import type { Subject } from './subject.ts'
import { candidateClaim, discardedClaims, lowConfidenceClaim } from './workload-conditions.ts'
import {
  asWorkloadObject,
  type ContainerStatus,
  type WorkloadStatus,
  workloadSpec
} from './workload-object.ts'
import { decideAgainNow, decisionStatus, fitStatus, type WouldBe } from './would-be-decision.ts'

/** What the desired state of a workload depends on besides what is known of it. */
export interface DesireScope {
  readonly nowMs: number
  /** Whether the reading is whole; else nothing gets smaller, nothing new is trusted and nothing is forgotten. */
  readonly isComplete: boolean
  /** Where all that is missing is known: the nodes of it. Workloads with pods on other nodes alone are read in full. */
  readonly missingNodes: ReadonlySet<string> | undefined
  /** Namespaces of which something is missing. */
  readonly missingNamespaces: ReadonlySet<string>
  readonly policies: readonly PolicyRead[]
  readonly namespaceOf: (name: string) => NamespaceView
  readonly exemptionsOf: (namespace: string) => readonly Exemption[]
  /** Key by which Kueue is seen to hold what made a pod. */
  readonly ownerMarkOf: (namespace: string, owner: OwnerRef | undefined) => string | undefined
  readonly nodes: NodeIndex
  /** A node by its name; undefined where it is not there any more. */
  readonly nodeOf: (name: string) => NodeView | undefined
  readonly settings: DecisionSettings
  /** What the fleet taught for workloads of a kind. */
  readonly learntFor: (kind: string) => LearntHeadroom | undefined
  /** What has been wrong with the source for long; undefined when it is well. */
  readonly trouble: string | undefined
  /** What the source gathered itself and nobody else keeps; undefined where it gathers nothing. */
  readonly maxima: MaximaByPod | undefined
  /** What is known of the isolation of a workload's pods, by namespace and key. */
  readonly isolationOf: (namespace: string, key: string) => IsolationState
  /** Pods that are remembered of a workload, live and gone, by its key. */
  readonly podsOf: (key: string) => readonly KnownPod[]
}

/** What a GpuWorkload should say. */
export interface DesiredWorkload {
  readonly spec: JsonRecord
  readonly status: WorkloadStatus
}

/** What the object about a workload should say, from everything that is known of it. Pure: the same input gives the same object. */
export function desireWorkload(subject: Subject, scope: DesireScope): DesiredWorkload {
  const [newest] = subject.pods
  const namespace = scope.namespaceOf(subject.namespace)
  const policy = governingPolicyOf(newest, namespace, scope)
  const found = estimatesOf(subject, { scope, policy, namespace })
  const measured = containerStatuses(subject, found, scope)
  const spec = workloadSpec(subject.workload, apiVersionOf(subject))
  const wouldBe =
    newest && decideAgainNow(newest, decisionScope(subject, measured, { scope, namespace, spec }))
  const containers = measured.map((status) => withFit(status, wouldBe, newest))
  return { spec, status: statusOf(subject, { containers, policy, wouldBe, scope }) }
}

interface Frame {
  readonly scope: DesireScope
  readonly policy: EffectivePolicy | undefined
  readonly namespace: NamespaceView
}

function estimatesOf(subject: Subject, frame: Frame): readonly ContainerEstimate[] {
  const { scope, policy, namespace } = frame
  const knownPods = scope.podsOf(subject.key)
  const byContainer = Map.groupBy(subject.histories, ({ key }) => key.container)
  const names = new Set([...byContainer.keys(), ...endedForMemory(knownPods)])
  const estimateScope = {
    nowMs: scope.nowMs,
    settings: estimatorSettings(policy),
    sizesOf: (gpuModel: string) => shareSizesFor({ policy, namespace, gpuModel, nodes: scope.nodes }),
    nodeOf: scope.nodeOf,
    learnt: scope.learntFor(subject.workload.kind),
    isComplete: scope.isComplete
  }
  return [...names].sort().flatMap((container) => {
    const histories = byContainer.get(container) ?? []
    return estimateContainer(factsOf(subject, { container, histories, knownPods }), estimateScope) ?? []
  })
}

/** Containers whose programs said that GPU memory ran out; they count without any history. */
function endedForMemory(pods: readonly KnownPod[]): readonly string[] {
  return pods.flatMap(({ containers }) =>
    containers.filter(({ outOfMemoryMs = [] }) => outOfMemoryMs.length > 0).map(({ name }) => name)
  )
}

function factsOf(
  { object, namespace, workload, pods, ended }: Subject,
  measured: Pick<ContainerFacts, 'container' | 'histories' | 'knownPods'>
): ContainerFacts {
  const { container } = measured
  const known = object?.status?.containers?.find(({ name }) => name === container)
  return {
    ...measured,
    namespace,
    workload,
    image: pods[0]?.images[container] ?? known?.image,
    pods: [...pods, ...ended],
    sizings: known?.sizing ?? []
  }
}

const DAY_SECONDS = 86_400

function estimatorSettings(policy: EffectivePolicy | undefined): EstimatorSettings {
  if (policy === undefined) return defaultSettings
  const days = Math.ceil(policy.lookbackSeconds / DAY_SECONDS)
  return {
    ...defaultSettings,
    headroomRatio: policy.headroomRatio,
    lookbackBlocks: Math.min(defaultSettings.lookbackBlocks, Math.max(1, days))
  }
}

function decisionScope(
  subject: Subject,
  containers: readonly ContainerStatus[],
  { scope, namespace, spec }: Pick<Frame, 'scope' | 'namespace'> & { readonly spec: JsonRecord }
): Parameters<typeof decideAgainNow>[1] {
  const name = subject.object?.name ?? 'new'
  const object = asWorkloadObject(
    { namespace: subject.namespace, name, spec },
    { containers: [...containers] }
  )
  const usage: WorkloadUsage | undefined = readGpuWorkload(object)?.usage
  const { policies, nodes, settings, nowMs } = scope
  const exemptions = scope.exemptionsOf(subject.namespace)
  const ownerMark = scope.ownerMarkOf(subject.namespace, subject.pods[0]?.view.owner)
  const { workload } = subject
  return { namespace, settings, policies, workload, usage, nodes, exemptions, ownerMark, nowMs }
}

function withFit(
  status: ContainerStatus,
  wouldBe: WouldBe | undefined,
  pod: PodRecord | undefined
): ContainerStatus {
  if (wouldBe === undefined || pod === undefined) return status
  const { fits: _fits, nextSmallerRejected: _rejected, ...measured } = status
  return { ...measured, ...fitStatus(wouldBe.proposal, status.name) }
}

interface Outcome {
  readonly containers: readonly ContainerStatus[]
  readonly policy: EffectivePolicy | undefined
  readonly wouldBe: WouldBe | undefined
  readonly scope: DesireScope
}

function statusOf(subject: Subject, { containers, policy, wouldBe, scope }: Outcome): WorkloadStatus {
  const before = subject.object?.status
  const generation = subject.object?.generation ?? 1
  const claims = [
    candidateNow(wouldBe, containers, before),
    lowConfidenceClaim({ containers, policy, trouble: scope.trouble }),
    ...(scope.isComplete ? discardedClaims(subject.notes) : known(before, 'SamplesDiscarded')),
    ...isolationClaims(scope.isolationOf(subject.namespace, subject.key), {
      hasPods: subject.pods.length > 0,
      said: known(before, 'Isolated')
    })
  ]
  const decision = wouldBe === undefined ? before?.decision : decisionStatus(subject.pods, wouldBe)
  return {
    observedGeneration: generation,
    ...definedOf({
      policy: policy?.name,
      decision,
      scraped: scrapedOf(subject, scope),
      knownPods: keptPodsText(scope.podsOf(subject.key))
    }),
    containers: [...containers],
    conditions: toConditions(claims, { before: before?.conditions, nowMs: scope.nowMs, generation })
  }
}

function scrapedOf(subject: Subject, { maxima }: DesireScope): string | undefined {
  return maxima === undefined ? undefined : keptText(subject.namespace, keptNames(subject), maxima)
}

/** Without a pod nothing new can be said, so what was said stays. */
function candidateNow(
  wouldBe: WouldBe | undefined,
  containers: readonly ContainerStatus[],
  before: WorkloadStatus | undefined
): Claim {
  const [said] = known(before, 'Candidate')
  return wouldBe === undefined && said !== undefined ? said : candidateClaim(wouldBe?.proposal, containers)
}

/** What a condition says already; nothing where there is none. */
function known(before: WorkloadStatus | undefined, type: string): readonly Claim[] {
  const found = before?.conditions?.find((condition) => condition.type === type)
  if (found === undefined) return []
  const { status, reason, message } = found
  return [{ type, status, reason, message }]
}

/** API version of the workload where a pod of it tells; else what was known. */
function apiVersionOf({ pods, workload, object }: Subject): string | undefined {
  const owner = pods[0]?.view.owner
  if (owner !== undefined && owner.kind === workload.kind) return owner.apiVersion
  return usualApiVersions[workload.kind] ?? object?.apiVersion
}

/** Workloads that own pods through another object. */
const usualApiVersions: Readonly<Record<string, string | undefined>> = {
  Deployment: 'apps/v1',
  CronJob: 'batch/v1',
  Rollout: 'argoproj.io/v1alpha1'
}
