import { SNAPSHOT_API_VERSION, SNAPSHOT_KIND, type Snapshot } from '../../src/gather/snapshot.ts'

/** Kinds of GPU nodes that a large fleet mixes, in pools of equal nodes. */
const pools = [
  { product: 'NVIDIA-A100-SXM4-80GB', slices: { '1g.10gb': [7, 9728], '2g.20gb': [3, 19968] }, whole: 2 },
  { product: 'NVIDIA-A100-SXM4-80GB', slices: { '1g.10gb': [4, 9728], '3g.40gb': [2, 40192] }, whole: 4 },
  { product: 'NVIDIA-H100-80GB-HBM3', slices: { '1g.10gb': [14, 9984], '3g.40gb': [2, 40320] }, whole: 4 },
  { product: 'NVIDIA-H200', slices: { '1g.18gb': [7, 16384], '2g.35gb': [2, 33024] }, whole: 6 },
  { product: 'NVIDIA-A100-SXM4-40GB', slices: {}, whole: 8 },
  { product: 'NVIDIA-L4', slices: {}, whole: 1 }
] as const

const zones = ['zone-a', 'zone-b', 'zone-c']

/** Name of a node of the fleet. */
export function nodeName(index: number): string {
  return `gpu-${String(index).padStart(5, '0')}`
}

function node(index: number): unknown {
  const pool = pools[index % pools.length] ?? pools[0]
  const name = nodeName(index)
  const labels: Record<string, string> = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': `gpu-${index % pools.length}`,
    'topology.kubernetes.io/zone': zones[index % zones.length] ?? '',
    'topology.kubernetes.io/host-id': `host-${index}`,
    'nvidia.com/gpu.present': 'true',
    'nvidia.com/gpu.product': pool.product,
    'nvidia.com/mig.capable': 'true',
    'nvidia.com/mig.strategy': 'mixed',
    'nvidia.com/mig.config.state': 'success',
    'nvidia.com/gfd.timestamp': String(1_700_000_000 + index)
  }
  const allocatable: Record<string, string> = {
    cpu: '96',
    memory: '1000Gi',
    'nvidia.com/gpu': String(pool.whole)
  }
  for (const [profile, [count, memoryMiB]] of Object.entries<readonly [number, number]>(pool.slices)) {
    labels[`nvidia.com/mig-${profile}.count`] = String(count)
    labels[`nvidia.com/mig-${profile}.memory`] = String(memoryMiB)
    allocatable[`nvidia.com/mig-${profile}`] = String(count)
  }
  return {
    metadata: { name, labels },
    spec: { taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] },
    status: { allocatable, conditions: [{ type: 'Ready', status: 'True' }] }
  }
}

/** A cluster of `nodeCount` GPU nodes with the policy and history that the benchmark's pod needs. */
export function fleet(nodeCount: number): Snapshot {
  const apiVersion = 'rightslice.dev/v1alpha1'
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: SNAPSHOT_KIND,
    nodes: Array.from({ length: nodeCount }, (_, index) => node(index)),
    namespaces: [{ metadata: { name: 'bench', labels: { 'rightslice.dev/rightsize': 'enforce' } } }],
    policies: [
      {
        apiVersion,
        kind: 'GpuPolicy',
        metadata: { name: 'bench' },
        spec: { mode: 'Approve', mig: { headroom: '20%' } }
      }
    ],
    workloads: [
      {
        apiVersion,
        kind: 'GpuWorkload',
        metadata: { namespace: 'bench', name: 'deployment-llm-inference' },
        spec: { workloadRef: { kind: 'Deployment', name: 'llm-inference' } },
        status: {
          containers: ['server', 'fetch-model', 'metrics'].map((name) => ({
            name,
            peakMemory: '7000Mi',
            history: { coverage: '14d' }
          }))
        }
      }
    ],
    owners: [],
    pods: [],
    exemptions: [],
    quotas: [],
    limitRanges: []
  }
}
