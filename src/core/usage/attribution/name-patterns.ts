import type { WorkloadRef } from '../../pod/workload.ts'

/**
 * Letters and digits of the parts that Kubernetes makes up: no vowels, so that no words arise, and nothing that looks alike.
 * @source k8s.io/apimachinery pkg/util/rand
 */
const LETTER = '[bcdfghjklmnpqrstvwxz2456789]'

/** Five of them end the name of a pod that was made from a `generateName`. */
const RANDOM = `${LETTER}{5}`

/** A template hash is a number of 32 bits written in them; fewer than five places come once in a hundred thousand. */
const HASH = `${LETTER}{5,10}`

/** Longest prefix of a generated name, characters: a longer one is cut, and then it tells no owner. */
const LONGEST_PREFIX = 58

interface NamePattern {
  /** Fits what follows the name of the workload and a dash, for a workload of this role. */
  readonly rest: (role: string) => RegExp | undefined
  /** Whether the part before the random end is made anew with every template, so that equal parts mean equal images. */
  readonly namesTemplate?: boolean
}

const fixed = (pattern: string): NamePattern['rest'] => {
  const whole = new RegExp(`^(?:${pattern})$`)
  return () => whole
}

const withRole = (pattern: (role: string) => string): NamePattern['rest'] => {
  return (role) => (role === '' ? undefined : new RegExp(`^(?:${pattern(escape(role))})$`))
}

const replicaSetPods: NamePattern = { rest: fixed(`${HASH}-${RANDOM}`), namesTemplate: true }
const generated: NamePattern = { rest: fixed(RANDOM) }
const ordinal: NamePattern = { rest: fixed('\\d{1,6}') }
const trainingReplica: NamePattern = { rest: withRole((role) => `${role}-\\d{1,6}`) }
const revisionPods = `\\d{5}-deployment-${HASH}-${RANDOM}`
const rayRun = `(?:raycluster-)?${RANDOM}-`

/** What KubeRay names the pods of a group; the group of the head is called `headgroup` in labels and `head` in names. */
const rayPods =
  (run: string): NamePattern['rest'] =>
  (role) =>
    role === 'headgroup' || role === 'head'
      ? new RegExp(`^(?:${run}head(?:-${RANDOM})?)$`)
      : new RegExp(`^(?:${run}(?:${escape(role)}-worker|worker-${escape(role)})-${RANDOM})$`)

/**
 * How the pods of a kind are named after their workload. Kinds whose pods do not carry its name (GitLab, Airflow, Tekton), and
 * bare pods, are not here: of those nothing is known once they are gone.
 * @source Kubernetes controllers; documentation and name helpers of Argo, KServe, Knative, KubeRay, Kubeflow, Spark operator,
 *   JobSet, LeaderWorkerSet, Volcano
 */
const patterns: ReadonlyMap<string, NamePattern> = new Map<string, NamePattern>([
  ['Deployment', replicaSetPods],
  ['Rollout', replicaSetPods],
  ['ReplicaSet', generated],
  ['ReplicationController', generated],
  ['DaemonSet', generated],
  ['DeploymentConfig', { rest: fixed(`\\d{1,6}-${RANDOM}`) }],
  ['StatefulSet', ordinal],
  ['Notebook', ordinal],
  ['Job', { rest: fixed(`(?:\\d{1,6}-)?${RANDOM}`), namesTemplate: true }],
  ['CronJob', { rest: fixed(`\\d{8}-(?:\\d{1,6}-)?${RANDOM}`) }],
  ['JobSet', { rest: withRole((role) => `${role}-\\d{1,6}-\\d{1,6}-${RANDOM}`) }],
  ['LeaderWorkerSet', { rest: (role) => (role === 'leader' ? /^\d{1,6}$/ : /^\d{1,6}-\d{1,6}$/) }],
  ['RayCluster', { rest: rayPods('') }],
  ['RayService', { rest: rayPods(rayRun) }],
  ['RayJob', { rest: rayPods(rayRun) }],
  ['PyTorchJob', trainingReplica],
  ['TFJob', trainingReplica],
  ['XGBoostJob', trainingReplica],
  ['PaddleJob', trainingReplica],
  ['JAXJob', trainingReplica],
  ['MPIJob', { rest: withRole((role) => `${role}(?:-\\d{1,6}|-${RANDOM})?`) }],
  ['VolcanoJob', trainingReplica],
  [
    'InferenceService',
    {
      rest: withRole((role) => `${role}(?:-default)?(?:-${HASH}-${RANDOM}|-${revisionPods})`),
      namesTemplate: true
    }
  ],
  ['Service', { rest: fixed(revisionPods), namesTemplate: true }],
  ['Configuration', { rest: fixed(revisionPods), namesTemplate: true }],
  ['CronWorkflow', { rest: withRole((role) => `\\d{10}-${role}-\\d{1,10}`) }],
  ['WorkflowTemplate', { rest: withRole((role) => `${RANDOM}-${role}-\\d{1,10}`) }],
  [
    'SparkApplication',
    {
      rest: (role) =>
        role === 'driver'
          ? /^(?:\d{13,19}-)?(?:[0-9a-f]{16}-)?driver$/
          : /^(?:\d{13,19}-)?(?:[0-9a-f]{16}-)?exec-\d{1,6}$/
    }
  ]
])

/** Servers of JupyterHub are bare pods, named after their user and nobody else. @source zero-to-jupyterhub, pod name template */
const hubServer = /^jupyter-[a-z0-9]/

/** Whether a pod of this name, of which nothing else is known, may have been one of the workload. */
export function fitsName(podName: string, { kind, name, role = '' }: WorkloadRef): boolean {
  if (kind === 'Pod') return podName === name && hubServer.test(name)
  if (!podName.startsWith(`${name}-`) || isCut(podName)) return false
  const rest = podName.slice(name.length + 1)
  if (kind === 'CronJob' && !isScheduleMinute(rest)) return false
  return patterns.get(kind)?.rest(role)?.test(rest) === true
}

/**
 * What the pods of one template of the workload have in common: the name without its random end.
 * @returns undefined for kinds whose names do not change with the template
 * @example 'api-7c9d8f6b5d-x2k4p' of a Deployment gives 'api-7c9d8f6b5d'
 */
export function templateOfName(podName: string, workload: WorkloadRef): string | undefined {
  if (patterns.get(workload.kind)?.namesTemplate !== true || !fitsName(podName, workload)) return undefined
  return podName.slice(0, podName.lastIndexOf('-'))
}

/** Minutes since 1970 at the start of 2020: fewer digits or less are a day or a number, not a schedule. */
const FIRST_CRON_MINUTE = 26_297_280

function isScheduleMinute(rest: string): boolean {
  return Number(rest.slice(0, 8)) >= FIRST_CRON_MINUTE
}

function isCut(podName: string): boolean {
  return podName.lastIndexOf('-') >= LONGEST_PREFIX - 1 || podName.length >= LONGEST_PREFIX + 5
}

function escape(text: string): string {
  return text.replace(/[^a-z0-9-]/gi, '\\$&')
}
