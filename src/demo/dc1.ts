import { API_GROUP, API_VERSION, namespaceLabels } from '../core/api/names.ts'
import { SNAPSHOT_API_VERSION, SNAPSHOT_KIND, type Snapshot } from '../gather/snapshot.ts'
import { type DailyPeaks, dc1Peaks } from './dc1-peaks.ts'

const apiVersion = `${API_GROUP}/${API_VERSION}`

interface NodeFacts {
  readonly product: string
  readonly pool?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly allocatable: Readonly<Record<string, string>>
}

function node(name: string, { product, pool = 'gpu', labels, allocatable }: NodeFacts): unknown {
  const own = {
    'kubernetes.io/hostname': name,
    'node.kubernetes.io/pool': pool,
    'nvidia.com/gpu.product': product
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...own, ...labels } },
    status: { allocatable, conditions: [{ type: 'Ready', status: 'True' }] }
  }
}

function migLabels(
  slices: Readonly<Record<string, readonly [count: number, memoryMiB: number]>>
): Record<string, string> {
  const labels: Record<string, string> = {
    'nvidia.com/mig.capable': 'true',
    'nvidia.com/mig.strategy': 'mixed',
    'nvidia.com/mig.config.state': 'success'
  }
  for (const [profile, [count, memoryMiB]] of Object.entries(slices)) {
    labels[`nvidia.com/mig-${profile}.count`] = String(count)
    labels[`nvidia.com/mig-${profile}.memory`] = String(memoryMiB)
  }
  return labels
}

function sharedLabels(replicas: number, memoryMiB: number): Record<string, string> {
  return {
    'nvidia.com/mig.capable': 'false',
    'nvidia.com/gpu.memory': String(memoryMiB),
    'nvidia.com/gpu.replicas': String(replicas),
    'nvidia.com/gpu.sharing-strategy': 'time-slicing'
  }
}

/** Six GPU nodes: two partitioned, two shared in the two ways, two whole. */
const nodes: readonly unknown[] = [
  node('gpu-a100-01', {
    product: 'NVIDIA-A100-SXM4-40GB',
    labels: migLabels({ '1g.5gb': [4, 4864], '2g.10gb': [2, 9856], '3g.20gb': [2, 20096] }),
    allocatable: {
      'nvidia.com/gpu': '0',
      'nvidia.com/mig-1g.5gb': '4',
      'nvidia.com/mig-2g.10gb': '2',
      'nvidia.com/mig-3g.20gb': '2'
    }
  }),
  node('gpu-h100-01', {
    product: 'NVIDIA-H100-80GB-HBM3',
    labels: migLabels({ '1g.10gb': [7, 9984], '3g.40gb': [2, 40320] }),
    allocatable: { 'nvidia.com/gpu': '6', 'nvidia.com/mig-1g.10gb': '7', 'nvidia.com/mig-3g.40gb': '2' }
  }),
  node('gpu-l4-01', {
    product: 'NVIDIA-L4',
    labels: sharedLabels(4, 23034),
    allocatable: { 'nvidia.com/gpu': '0', 'nvidia.com/gpu.shared': '4' }
  }),
  node('gpu-a10-01', {
    product: 'NVIDIA-A10-SHARED',
    labels: { ...sharedLabels(2, 23028), 'example.com/desk': 'render' },
    allocatable: { 'nvidia.com/gpu': '2' }
  }),
  node('gpu-h200-01', {
    product: 'NVIDIA-H200',
    labels: { 'nvidia.com/mig.capable': 'true', 'nvidia.com/gpu.memory': '143771' },
    allocatable: { 'nvidia.com/gpu': '8' }
  }),
  node('gpu-l40s-01', {
    product: 'NVIDIA-L40S',
    labels: { 'nvidia.com/mig.capable': 'false', 'nvidia.com/gpu.memory': '46068' },
    allocatable: { 'nvidia.com/gpu': '2' }
  })
]

function namespace(name: string, labels: Readonly<Record<string, string>>): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } }
  }
}

const namespaces: readonly unknown[] = [
  namespace('search', { [namespaceLabels.rightsize]: 'enforce' }),
  namespace('train', { [namespaceLabels.rightsize]: 'enforce' }),
  namespace('ml-dev', { [namespaceLabels.rightsize]: 'enforce', [namespaceLabels.isolation]: 'shared-ok' }),
  namespace('web', { [namespaceLabels.rightsize]: 'warn' }),
  namespace('default', { [namespaceLabels.rightsize]: 'enforce' })
]

const policies: readonly unknown[] = [
  {
    apiVersion,
    kind: 'GpuPolicy',
    metadata: { name: 'dc1-sharing', generation: 3 },
    spec: {
      kind: 'Sharing',
      mode: 'Approve',
      nodeSelector: { 'node.kubernetes.io/pool': 'gpu' },
      mig: { allowedProfiles: ['1g.5gb', '2g.10gb', '3g.20gb', '1g.10gb', '3g.40gb'], headroom: '20%' },
      methods: ['time-slicing', 'mig-mixed'], // development shares first; other namespaces are not listed for it
      timeSlicing: { namespaces: ['ml-dev'], maxReplicas: 4 },
      window: 'Sat 02:00-06:00 UTC'
    }
  }
]

function workload(peaks: DailyPeaks, index: number): unknown {
  const { namespace: where, kind, name, container, device, memoryMiB, compute } = peaks
  return {
    apiVersion,
    kind: 'GpuWorkload',
    metadata: {
      namespace: where,
      name: `${kind.toLowerCase()}-${name}`,
      resourceVersion: String(1000 + index)
    },
    spec: { workloadRef: { kind, name } },
    status: {
      containers: [
        {
          name: container,
          peakMemory: `${Math.max(...memoryMiB)}Mi`,
          deviceMemory: `${device}Mi`,
          history: { coverage: `${memoryMiB.length}d`, samples: memoryMiB.length * 1440 },
          ...(compute === undefined
            ? {}
            : { peakCompute: `${Math.max(...compute)}%`, computeMetric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' })
        }
      ]
    }
  }
}

/** The bundled cluster "dc1": six GPU nodes, five namespaces, one policy, and the history of its workloads. */
export const dc1: Snapshot = {
  apiVersion: SNAPSHOT_API_VERSION,
  kind: SNAPSHOT_KIND,
  nodes,
  namespaces,
  policies,
  workloads: dc1Peaks.map(workload),
  owners: [],
  pods: [],
  exemptions: [],
  quotas: [],
  limitRanges: []
}
