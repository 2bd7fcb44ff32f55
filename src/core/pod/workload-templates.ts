import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../json.ts'
import { ownerMarkOf, podFrom, type TemplatedPod, templatedPodOf } from './pod-template.ts'

/** A pod template inside a workload, with the labels that its controller puts on the pods. */
interface Part {
  readonly template: unknown
  readonly labels: Readonly<Record<string, string>>
}

type Parts = (spec: unknown, name: string) => readonly Part[]

/** @source KubeRay, Kubeflow, JobSet, LeaderWorkerSet, KServe API references */
const partsOf: Readonly<Record<string, Parts>> = {
  RayCluster: rayParts,
  RayJob: (spec, name) => rayParts(fieldOf(spec, 'rayClusterSpec'), name, 'RayJob'),
  PyTorchJob: (spec, name) => replicaParts(fieldOf(spec, 'pytorchReplicaSpecs'), name),
  MPIJob: (spec, name) => replicaParts(fieldOf(spec, 'mpiReplicaSpecs'), name),
  JobSet: (spec, name) =>
    listOf(spec, 'replicatedJobs').map((job) => ({
      template: fieldAt(job, 'template', 'spec', 'template'),
      labels: {
        'jobset.sigs.k8s.io/jobset-name': name,
        'jobset.sigs.k8s.io/replicatedjob-name': stringOf(job, 'name') ?? ''
      }
    })),
  LeaderWorkerSet: (spec, name) => {
    const template = fieldOf(spec, 'leaderWorkerTemplate')
    const part = (key: string, index: string): Part => ({
      template: fieldOf(template, key),
      labels: {
        'leaderworkerset.sigs.k8s.io/name': name,
        'leaderworkerset.sigs.k8s.io/worker-index': index
      }
    })
    return [part('leaderTemplate', '0'), part('workerTemplate', '1')]
  },
  InferenceService: (spec, name) =>
    ['predictor', 'transformer', 'explainer'].map((component) => ({
      template: componentTemplate(fieldOf(spec, component)),
      labels: { 'serving.kserve.io/inferenceservice': name, component }
    })),
  Notebook: (spec, name) => [{ template: fieldOf(spec, 'template'), labels: { 'notebook-name': name } }]
}

/** Templates of one workload that are looked at. People write a handful; an object of 3 MiB has room for 100,000, a second of work. */
const MOST_TEMPLATES = 1_000

/** The pods that an object would make, one a template of the first 1,000; empty when it makes none that we know. */
export function templatedPodsOf(raw: unknown): readonly TemplatedPod[] {
  const kind = stringOf(raw, 'kind')
  const parts = kind !== undefined && Object.hasOwn(partsOf, kind) ? partsOf[kind] : undefined
  if (kind === undefined || parts === undefined) {
    const single = templatedPodOf(raw)
    return single === undefined ? [] : [single]
  }
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name') ?? stringOf(metadata, 'generateName') ?? ''
  const namespace = stringOf(metadata, 'namespace')
  const apiVersion = stringOf(raw, 'apiVersion') ?? ''
  const owner = { apiVersion, kind, name, controller: true, uid: '' }
  const mark = ownerMarkOf(metadata)
  const looked = parts(fieldOf(raw, 'spec'), name).slice(0, MOST_TEMPLATES)
  return looked.flatMap(({ template, labels }) => {
    if (!isRecord(template)) return []
    const own = fieldAt(template, 'metadata', 'labels')
    const made = {
      generateName: `${name}-`,
      namespace,
      ownerReferences: [owner],
      labels: { ...(isRecord(own) ? own : {}), ...labels }
    }
    return [{ pod: podFrom(template, made), kind, name, namespace, ...mark }]
  })
}

function rayParts(spec: unknown, name: string, kind = 'RayCluster'): readonly Part[] {
  const labels = {
    'ray.io/cluster': name,
    ...(kind === 'RayCluster'
      ? {}
      : { 'ray.io/originated-from-cr-name': name, 'ray.io/originated-from-crd': kind })
  }
  const head = { template: fieldAt(spec, 'headGroupSpec', 'template'), group: 'headgroup' }
  const workers = listOf(spec, 'workerGroupSpecs').map((group) => ({
    template: fieldOf(group, 'template'),
    group: stringOf(group, 'groupName') ?? ''
  }))
  return [head, ...workers].map(({ template, group }) => ({
    template,
    labels: { ...labels, 'ray.io/group': group }
  }))
}

function replicaParts(specs: unknown, name: string): readonly Part[] {
  return Object.entries(isRecord(specs) ? specs : {}).map(([type, spec]) => ({
    template: fieldOf(spec, 'template'),
    labels: {
      'training.kubeflow.org/job-name': name,
      'training.kubeflow.org/replica-type': type.toLowerCase()
    }
  }))
}

/** A component holds the fields of a pod beside its own; a model is served by a container that KServe adds. */
function componentTemplate(component: unknown): JsonRecord | undefined {
  if (!isRecord(component)) return undefined
  const model = fieldOf(component, 'model')
  const served = isRecord(model) ? [{ ...model, name: stringOf(model, 'name') ?? 'kserve-container' }] : []
  return { spec: { ...component, containers: [...listOf(component, 'containers'), ...served] } }
}
