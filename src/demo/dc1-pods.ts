import { userAnnotations } from '../core/api/names.ts'

/** A pod as its controller sends it to the API server. */
interface DemoPod {
  readonly namespace: string
  readonly object: unknown
}

interface PodFacts {
  readonly kind: 'ReplicaSet' | 'StatefulSet' | 'Job' | 'DaemonSet'
  readonly workload: string
  readonly container: string
  readonly gpus?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

const HASH = '6c9f7d5b8c'

function pod(namespace: string, facts: PodFacts): DemoPod {
  const { kind, workload, container, gpus = 1, annotations, nodeSelector, args } = facts
  const isReplicaSet = kind === 'ReplicaSet'
  const owner = isReplicaSet ? `${workload}-${HASH}` : workload
  const gpu = { 'nvidia.com/gpu': String(gpus) }
  const resources = {
    limits: { cpu: '4', memory: '16Gi', ...gpu },
    requests: { cpu: '2', memory: '8Gi', ...gpu }
  }
  return {
    namespace,
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: `${owner}-`,
        namespace,
        labels: { app: workload, ...(isReplicaSet ? { 'pod-template-hash': HASH } : {}) },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [
          {
            apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
            kind,
            name: owner,
            controller: true,
            uid: owner
          }
        ]
      },
      spec: {
        ...(nodeSelector === undefined ? {} : { nodeSelector }),
        containers: [
          {
            name: container,
            image: `registry.example/${workload}:1`,
            ...(args === undefined ? {} : { args }),
            resources
          }
        ]
      }
    }
  }
}

/** The pods that the demo sends through the webhook, one situation each. */
export const dc1Pods: readonly DemoPod[] = [
  pod('search', { kind: 'ReplicaSet', workload: 'reranker', container: 'server' }),
  pod('search', { kind: 'ReplicaSet', workload: 'embedder', container: 'server' }),
  pod('search', { kind: 'ReplicaSet', workload: 'ocr', container: 'server' }),
  pod('search', { kind: 'Job', workload: 'nightly-eval-29012345', container: 'eval' }),
  pod('ml-dev', { kind: 'StatefulSet', workload: 'notebook-anna', container: 'notebook' }),
  pod('ml-dev', {
    kind: 'StatefulSet',
    workload: 'notebook-ben',
    container: 'notebook',
    nodeSelector: { 'example.com/desk': 'render' }
  }),
  pod('search', {
    kind: 'ReplicaSet',
    workload: 'chat',
    container: 'vllm',
    args: ['--model=/models/chat', '--gpu-memory-utilization=0.9']
  }),
  pod('search', { kind: 'ReplicaSet', workload: 'translate', container: 'server' }),
  pod('search', { kind: 'ReplicaSet', workload: 'brand-new', container: 'server' }),
  pod('search', {
    kind: 'ReplicaSet',
    workload: 'ranker-v2',
    container: 'server',
    annotations: { [userAnnotations.pin]: 'whole-gpu', [userAnnotations.reason]: 'load test' }
  }),
  pod('train', { kind: 'Job', workload: 'llm-ft', container: 'trainer', gpus: 8 }),
  pod('train', { kind: 'StatefulSet', workload: 'simulation', container: 'sim' }),
  pod('web', { kind: 'ReplicaSet', workload: 'captions', container: 'server' }),
  pod('train', { kind: 'DaemonSet', workload: 'gpu-burn', container: 'burn' })
]
