import type { OwnerRef, PodView } from './pod-view.ts'
import { toRoleName } from './role-name.ts'

/** The thing whose pods share one history: a Deployment, a CronJob, one group of a RayCluster. */
export interface WorkloadRef {
  readonly kind: string
  readonly name: string
  /** Part of the workload whose pods are alike: Ray group, replica type, component. */
  readonly role?: string
}

/** The controller of an owner (of a ReplicaSet, a Job), undefined when it has none or is not known yet. */
export type OwnerLookup = (namespace: string, owner: OwnerRef) => OwnerRef | undefined

const ARGO_NODE = 'workflows.argoproj.io/node-name'
const GITLAB_JOB = 'job.runner.gitlab.com/name'

/** Annotations that a role is read from. */
export const roleAnnotations: readonly string[] = [ARGO_NODE, GITLAB_JOB]

interface LabelRule {
  /** The rule applies where this label has a value, which is the name unless `name` says otherwise. */
  readonly label: string
  readonly kind: string | ((pod: PodView) => string)
  readonly role?: (pod: PodView) => string | undefined
  readonly name?: (value: string, pod: PodView) => string
}

/**
 * Workloads that are known by a label, first match wins. Labels come before owners because an owner may be a moment
 * old and unknown, and because revisions and runs get new owners while the workload stays. A TrainJob is known by the
 * JobSet of its name, a JupyterHub server by its pod's own name.
 * @source label names: KServe, Knative, JobSet, LeaderWorkerSet, KubeRay, Kubeflow, Argo, Spark operator, Volcano,
 *   Tekton, GitLab Runner, Airflow documentation
 */
const labelRules: readonly LabelRule[] = [
  {
    label: 'serving.kserve.io/inferenceservice',
    kind: 'InferenceService',
    role: valueOf('component')
  },
  { label: 'serving.knative.dev/service', kind: 'Service' },
  { label: 'serving.knative.dev/configuration', kind: 'Configuration' },
  {
    label: 'jobset.sigs.k8s.io/jobset-name',
    kind: 'JobSet',
    role: valueOf('jobset.sigs.k8s.io/replicatedjob-name')
  },
  { label: 'leaderworkerset.sigs.k8s.io/name', kind: 'LeaderWorkerSet', role: leaderOrWorker },
  {
    label: 'ray.io/originated-from-cr-name',
    kind: ({ labels }) => labels['ray.io/originated-from-crd'] ?? 'RayCluster',
    role: rayGroup
  },
  { label: 'ray.io/cluster', kind: 'RayCluster', role: rayGroup },
  {
    label: 'training.kubeflow.org/job-name',
    kind: ({ owner }) => owner?.kind ?? 'TrainingJob',
    role: ({ labels }) =>
      labels['training.kubeflow.org/replica-type'] ?? labels['training.kubeflow.org/job-role']
  },
  { label: 'workflows.argoproj.io/cron-workflow', kind: 'CronWorkflow', role: argoStep },
  { label: 'workflows.argoproj.io/workflow-template', kind: 'WorkflowTemplate', role: argoStep },
  {
    label: 'sparkoperator.k8s.io/app-name',
    kind: 'SparkApplication',
    role: valueOf('spark-role'),
    name: withoutRunNumber
  },
  { label: 'volcano.sh/job-name', kind: 'VolcanoJob', role: valueOf('volcano.sh/task-spec') },
  { label: 'notebook-name', kind: 'Notebook' },
  { label: 'tekton.dev/pipeline', kind: 'Pipeline', role: valueOf('tekton.dev/pipelineTask') },
  { label: 'tekton.dev/task', kind: 'Task' },
  {
    label: 'project.runner.gitlab.com/id',
    kind: 'GitLabProject',
    role: ({ annotations }) => annotations[GITLAB_JOB]
  },
  { label: 'dag_id', kind: 'AirflowTask', name: airflowTask }
]

/**
 * The workload that the pod's history is kept under. Needs nothing but the pod and what is in memory.
 * @param lookup controllers of ReplicaSets and Jobs; a miss falls back to the names that Kubernetes gives
 */
export function workloadOf(pod: PodView, lookup: OwnerLookup): WorkloadRef {
  const rule = labelRules.find(({ label }) => (pod.labels[label] ?? '') !== '')
  if (rule !== undefined) return fromLabels(rule, pod)
  const owner = pod.owner
  if (owner === undefined || owner.kind === 'Node') return { kind: 'Pod', name: stablePodName(pod) }
  return fromOwner(pod, owner, lookup(pod.namespace, owner))
}

/** The owner that a person looks at: that of the pod's own owner where it is known; undefined for a bare pod. */
export function topOwner({ namespace, owner }: PodView, lookup: OwnerLookup): OwnerRef | undefined {
  return owner === undefined ? undefined : (lookup(namespace, owner) ?? owner)
}

/** One text for a workload, unique in its namespace: `RayCluster/rc/gpu-group`. */
export function workloadKey({ kind, name, role }: WorkloadRef): string {
  return role === undefined ? `${kind}/${name}` : `${kind}/${name}/${role}`
}

function fromLabels(rule: LabelRule, pod: PodView): WorkloadRef {
  const value = pod.labels[rule.label] ?? ''
  const kind = typeof rule.kind === 'string' ? rule.kind : rule.kind(pod)
  const name = rule.name === undefined ? value : rule.name(value, pod)
  const role = rule.role?.(pod) ?? ''
  return role === '' ? { kind, name } : { kind, name, role: toRoleName(role) }
}

function fromOwner(pod: PodView, owner: OwnerRef, parent: OwnerRef | undefined): WorkloadRef {
  if (owner.kind === 'ReplicaSet') return fromReplicaSet(pod, owner, parent)
  if (owner.kind === 'Job') return fromJob(owner, parent)
  const config = pod.labels.deploymentconfig
  if (owner.kind === 'ReplicationController' && config !== undefined)
    return { kind: 'DeploymentConfig', name: config }
  return { kind: owner.kind, name: owner.name }
}

function fromReplicaSet(pod: PodView, owner: OwnerRef, parent: OwnerRef | undefined): WorkloadRef {
  const rollout = withoutSuffix(owner.name, pod.labels['rollouts-pod-template-hash'])
  if (rollout !== undefined) return { kind: 'Rollout', name: rollout }
  const deployment = withoutSuffix(owner.name, pod.labels['pod-template-hash'])
  if (deployment !== undefined) return { kind: 'Deployment', name: deployment }
  return parent === undefined
    ? { kind: 'ReplicaSet', name: owner.name }
    : { kind: parent.kind, name: parent.name }
}

/** Minutes since 1970 at the start of 2020: a Job whose digits are fewer was not named by a CronJob but after a day (20240131). */
const FIRST_CRON_MINUTE = 26_297_280

/** A CronJob names its Jobs by the minute of their schedule, in eight digits for the next decades. */
function fromJob(owner: OwnerRef, parent: OwnerRef | undefined): WorkloadRef {
  if (parent !== undefined) return { kind: parent.kind, name: parent.name }
  const [, cronJob, minute] = /^(.+)-(\d{8})$/.exec(owner.name) ?? []
  return cronJob === undefined || Number(minute) < FIRST_CRON_MINUTE
    ? { kind: 'Job', name: owner.name }
    : { kind: 'CronJob', name: cronJob }
}

function withoutSuffix(name: string, hash: string | undefined): string | undefined {
  const suffix = `-${hash ?? ''}`
  return hash !== undefined && hash !== '' && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : undefined
}

/** ScheduledSparkApplication adds the start time in nanoseconds to the name. */
function withoutRunNumber(name: string): string {
  return name.replace(/-\d{13,19}$/, '')
}

function stablePodName(pod: PodView): string {
  return (pod.generateName ?? pod.name).replace(/[-.]$/, '')
}

function valueOf(label: string): (pod: PodView) => string | undefined {
  return ({ labels }) => labels[label]
}

function leaderOrWorker({ labels }: PodView): string {
  return labels['leaderworkerset.sigs.k8s.io/worker-index'] === '0' ? 'leader' : 'worker'
}

function rayGroup({ labels }: PodView): string | undefined {
  return labels['ray.io/group'] ?? labels['ray.io/node-type']
}

function airflowTask(dag: string, { labels }: PodView): string {
  const task = labels.task_id ?? ''
  return task === '' ? dag : `${dag}.${task}`
}

/** The step without what changes from run to run: `train-x7k2p[0].fit(2:seed)` of workflow `train-x7k2p` is `fit`. */
function argoStep({ labels, annotations }: PodView): string | undefined {
  const node = annotations[ARGO_NODE]
  const workflow = labels['workflows.argoproj.io/workflow']
  if (node === undefined || workflow === undefined || !node.startsWith(workflow)) return undefined
  return node
    .slice(workflow.length)
    .replaceAll(/\([^()]*\)|\[\d+\]/g, '')
    .replace(/^\.+/, '')
}
