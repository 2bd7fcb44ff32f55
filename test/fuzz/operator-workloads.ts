import type { JsonRecord } from '../../src/core/json.ts'

interface OperatorWorkload {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly object: JsonRecord
}

const gpu = { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } }
const containers = [{ name: 'main', image: 'registry.example/app:1', resources: gpu }]
const template = { metadata: { labels: { app: 'app' } }, spec: { containers } }

const specs: readonly (readonly [group: string, version: string, kind: string, spec: JsonRecord])[] = [
  ['ray.io', 'v1', 'RayCluster', rayCluster()],
  ['ray.io', 'v1', 'RayJob', { rayClusterSpec: rayCluster() }],
  [
    'kubeflow.org',
    'v1',
    'PyTorchJob',
    { pytorchReplicaSpecs: { Master: { template }, Worker: { replicas: 2, template } } }
  ],
  [
    'kubeflow.org',
    'v2beta1',
    'MPIJob',
    { mpiReplicaSpecs: { Launcher: { template }, Worker: { template } } }
  ],
  [
    'jobset.x-k8s.io',
    'v1alpha2',
    'JobSet',
    { replicatedJobs: [{ name: 'a', template: { spec: { template } } }] }
  ],
  [
    'leaderworkerset.x-k8s.io',
    'v1',
    'LeaderWorkerSet',
    { leaderWorkerTemplate: { leaderTemplate: template, workerTemplate: template, size: 2 } }
  ],
  [
    'serving.kserve.io',
    'v1beta1',
    'InferenceService',
    {
      predictor: { model: { modelFormat: { name: 'onnx' }, resources: gpu } },
      transformer: { containers },
      explainer: { containers }
    }
  ],
  ['kubeflow.org', 'v1', 'Notebook', { template }]
]

/** Workloads of operators that hold templates of pods, one a kind that the webhook of advice knows. */
export const operatorWorkloads: readonly OperatorWorkload[] = specs.map(([group, version, kind, spec]) => ({
  group,
  version,
  resource: `${kind.toLowerCase()}s`,
  object: {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'app', namespace: 'team-a' },
    spec
  }
}))

function rayCluster(): JsonRecord {
  return {
    headGroupSpec: { rayStartParams: {}, template },
    workerGroupSpecs: [{ groupName: 'small', replicas: 1, template }]
  }
}
