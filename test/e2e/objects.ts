import { fieldOf, type JsonRecord, listOf, stringMapOf } from '../../src/core/json.ts'

/** What may be said of a pod template that asks for one GPU. */
export interface TemplateFacts {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly restartPolicy?: string
  readonly gpus?: number
}

/** A pod template whose container `main` asks for whole GPUs, limits only, as people write it. */
export function gpuTemplate({
  labels = {},
  annotations = {},
  nodeSelector = {},
  restartPolicy = 'Always',
  gpus = 1
}: TemplateFacts): JsonRecord {
  return {
    metadata: { labels, annotations },
    spec: {
      restartPolicy,
      nodeSelector,
      containers: [
        { name: 'main', image: 'registry.example/app:1', resources: { limits: { 'nvidia.com/gpu': gpus } } }
      ]
    }
  }
}

/** A bare pod. */
export function barePod(name: string, facts: TemplateFacts = {}): JsonRecord {
  const { metadata, spec } = gpuTemplate({ labels: { app: name }, ...facts })
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...Object(metadata), name }, spec }
}

/** A Deployment, StatefulSet, ReplicaSet or DaemonSet with one replica and the label app=NAME. */
export function workload(
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet',
  name: string,
  facts: TemplateFacts = {}
): JsonRecord {
  const labels = { app: name }
  const replicas = kind === 'DaemonSet' ? {} : { replicas: 1 }
  const service = kind === 'StatefulSet' ? { serviceName: name } : {}
  const template = gpuTemplate({ ...facts, labels })
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { ...replicas, ...service, selector: { matchLabels: labels }, template }
  }
}

/** A Job with the label app=NAME on its pod. */
export function job(name: string, facts: TemplateFacts = {}): JsonRecord {
  const template = gpuTemplate({ restartPolicy: 'Never', ...facts, labels: { app: name } })
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } }
}

/** A CronJob that is never due by itself; tests start a Job from it. */
export function cronJob(name: string): JsonRecord {
  const jobSpec = Object(job(name).spec)
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } }
  }
}

/** A policy as an admin writes it. */
export function policy(name: string, spec: JsonRecord): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuPolicy',
    metadata: { name },
    spec: { mode: 'Approve', ...spec }
  }
}

/** The pod as the ReplicaSet of the Deployment `web` would make it; the owner is not there, so the pod does not live long. */
export function ownedByReplicaSet(pod: JsonRecord): JsonRecord {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web-abc',
    controller: true,
    uid: '6f0a2f0e-0000-4000-8000-000000000001'
  }
  const labels = { app: 'x', 'pod-template-hash': 'abc' }
  return { ...pod, metadata: { ...Object(pod['metadata']), labels, ownerReferences: [owner] } }
}

/** What the first container of a pod asks for of NVIDIA's resources. */
export function gpuOf(pod: unknown, part: 'limits' | 'requests'): Readonly<Record<string, string>> {
  const [container] = listOf(fieldOf(pod, 'spec'), 'containers')
  const map = stringMapOf(fieldOf(container, 'resources'), part)
  return Object.fromEntries(Object.entries(map).filter(([key]) => key.startsWith('nvidia.com/')))
}
