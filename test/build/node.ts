import type { JsonRecord } from '../../src/core/json.ts'

/** What a test says about a node; the rest is that of a ready node without GPUs. */
export interface NodeSpec {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly taints?: readonly JsonRecord[]
  /** Beside cpu, memory and pods. */
  readonly allocatable?: Readonly<Record<string, unknown>>
  readonly ready?: boolean
  readonly unschedulable?: boolean
}

/** A Node as the API server sends it. */
export function aNode(node: NodeSpec = {}): JsonRecord {
  const name = node.name ?? 'node-1'
  const allocatable = { cpu: '64', memory: '512Gi', pods: '110', ...node.allocatable }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, ...node.labels },
      ...(node.annotations === undefined ? {} : { annotations: node.annotations })
    },
    spec: {
      ...(node.taints === undefined ? {} : { taints: node.taints }),
      ...(node.unschedulable === undefined ? {} : { unschedulable: node.unschedulable })
    },
    status: {
      allocatable,
      capacity: allocatable,
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: node.ready === false ? 'False' : 'True' }
      ]
    }
  }
}

interface GpuNodeSpec extends NodeSpec {
  /** Product label, by default that of an H100. */
  readonly product?: string
  readonly gpus?: number
}

/** A node of whole GPUs that are neither cut nor shared. */
export function aWholeNode({
  product = 'NVIDIA-H100-80GB-HBM3',
  gpus = 8,
  ...node
}: GpuNodeSpec = {}): JsonRecord {
  return aNode({
    ...node,
    labels: {
      'nvidia.com/gpu.product': product,
      'nvidia.com/gpu.memory': '81559',
      'nvidia.com/gpu.count': `${gpus}`,
      'nvidia.com/gpu.replicas': '1',
      'nvidia.com/gpu.sharing-strategy': 'none',
      'nvidia.com/mig.capable': 'true',
      'nvidia.com/mig.config': 'all-disabled',
      'nvidia.com/mig.config.state': 'success',
      ...node.labels
    },
    allocatable: { 'nvidia.com/gpu': `${gpus}`, ...node.allocatable }
  })
}

/** How many slices of one profile a node has, and what its own label says they hold. */
export interface SliceSpec {
  readonly count: number
  /** undefined: the node has no memory label for them. */
  readonly memoryMiB?: number
  readonly multiprocessors?: number
}

interface MigNodeSpec extends GpuNodeSpec {
  /** By name as resources write it: `1g.10gb`, `1g.10gb.me`. Default: seven `1g.10gb` of 9728 MiB. */
  readonly profiles?: Readonly<Record<string, SliceSpec>>
}

/** A node whose GPUs are cut into MIG slices under the mixed strategy; labels and allocatable agree. */
export function aMigNode({
  product = 'NVIDIA-H100-80GB-HBM3',
  gpus = 1,
  profiles = { '1g.10gb': { count: 7, memoryMiB: 9728 } },
  ...node
}: MigNodeSpec = {}): JsonRecord {
  const slices = Object.entries(profiles)
  return aNode({
    ...node,
    labels: {
      'nvidia.com/gpu.product': product,
      'nvidia.com/gpu.count': `${gpus}`,
      'nvidia.com/mig.capable': 'true',
      'nvidia.com/mig.strategy': 'mixed',
      'nvidia.com/mig.config': 'custom',
      'nvidia.com/mig.config.state': 'success',
      ...Object.assign({}, ...slices.map(([profile, slice]) => sliceLabels(product, profile, slice))),
      ...node.labels
    },
    allocatable: {
      'nvidia.com/gpu': '0',
      ...Object.fromEntries(slices.map(([profile, { count }]) => [`nvidia.com/mig-${profile}`, `${count}`])),
      ...node.allocatable
    }
  })
}

function sliceLabels(product: string, profile: string, slice: SliceSpec): Readonly<Record<string, string>> {
  const prefix = `nvidia.com/mig-${profile}`
  return {
    [`${prefix}.product`]: `${product}-MIG-${profile}`,
    [`${prefix}.count`]: `${slice.count}`,
    [`${prefix}.replicas`]: '1',
    [`${prefix}.sharing-strategy`]: 'none',
    ...(slice.memoryMiB === undefined ? {} : { [`${prefix}.memory`]: `${slice.memoryMiB}` }),
    ...(slice.multiprocessors === undefined
      ? {}
      : { [`${prefix}.multiprocessors`]: `${slice.multiprocessors}` })
  }
}

interface SharedNodeSpec extends GpuNodeSpec {
  readonly replicas?: number
  /** Memory of one whole GPU. */
  readonly memoryMiB?: number
  /** true: replicas are `nvidia.com/gpu.shared`; false: they keep the name `nvidia.com/gpu`. */
  readonly renamed?: boolean
}

/** A node whose whole GPUs are time-sliced; by default two L4 in four replicas each, under the shared name. */
export function aSharedNode({
  product = 'NVIDIA-L4',
  gpus = 2,
  replicas = 4,
  memoryMiB = 23_034,
  renamed = true,
  ...node
}: SharedNodeSpec = {}): JsonRecord {
  const total = `${gpus * replicas}`
  return aNode({
    ...node,
    labels: {
      'nvidia.com/gpu.product': renamed ? product : `${product}-SHARED`,
      'nvidia.com/gpu.memory': `${memoryMiB}`,
      'nvidia.com/gpu.count': `${gpus}`,
      'nvidia.com/gpu.replicas': `${replicas}`,
      'nvidia.com/gpu.sharing-strategy': 'time-slicing',
      'nvidia.com/mig.capable': 'false',
      ...node.labels
    },
    allocatable: {
      ...(renamed ? { 'nvidia.com/gpu': '0', 'nvidia.com/gpu.shared': total } : { 'nvidia.com/gpu': total }),
      ...node.allocatable
    }
  })
}

/** A node whose whole GPUs are shared by MPS; else as `aSharedNode`. */
export function anMpsNode(node: SharedNodeSpec = {}): JsonRecord {
  const labels = { 'nvidia.com/gpu.sharing-strategy': 'mps', 'nvidia.com/mps.capable': 'true' }
  return aSharedNode({ ...node, labels: { ...labels, ...node.labels } })
}

interface HamiNodeSpec extends GpuNodeSpec {
  /** Containers that may share one GPU. */
  readonly split?: number
  readonly memoryMiB?: number
  readonly corePercent?: number
  /** Replaces the registration. */
  readonly register?: string
}

/** A node whose GPUs HAMi's plugin has registered; by default two L4, each for ten containers. */
export function aHamiNode({
  product = 'NVIDIA-L4',
  gpus = 2,
  split = 10,
  memoryMiB = 23_034,
  corePercent = 100,
  register = JSON.stringify(
    Array.from({ length: gpus }, (_, index) => ({
      id: `GPU-${index}`,
      ...(index === 0 ? {} : { index }),
      count: split,
      devmem: memoryMiB,
      devcore: corePercent,
      type: `NVIDIA-${product}`,
      mode: 'hami-core',
      health: true
    }))
  ),
  ...node
}: HamiNodeSpec = {}): JsonRecord {
  return aNode({
    ...node,
    labels: {
      'nvidia.com/gpu.product': product,
      'nvidia.com/gpu.count': `${gpus}`,
      'nvidia.com/gpu.memory': `${memoryMiB}`,
      ...node.labels
    },
    annotations: { 'hami.io/node-nvidia-register': register, ...node.annotations },
    allocatable: { 'nvidia.com/gpu': `${gpus * split}`, ...node.allocatable }
  })
}

interface SingleNodeSpec extends GpuNodeSpec {
  /** As labels write it: `1g.10gb.me`. */
  readonly profile?: string
  readonly slices?: number
  readonly slice?: Partial<SliceSpec>
}

/** A node whose GPUs are all cut into slices of one profile under the single strategy; by default seven `1g.10gb` of an H100. */
export function aSingleNode({
  product = 'NVIDIA-H100-80GB-HBM3',
  profile = '1g.10gb',
  slices = 7,
  slice = { memoryMiB: 9984, multiprocessors: 16 },
  ...node
}: SingleNodeSpec = {}): JsonRecord {
  return aNode({
    ...node,
    labels: {
      'nvidia.com/gpu.product': `${product}-MIG-${profile}`,
      'nvidia.com/gpu.count': `${slices}`,
      'nvidia.com/gpu.replicas': '1',
      'nvidia.com/gpu.sharing-strategy': 'none',
      'nvidia.com/mig.capable': 'true',
      'nvidia.com/mig.strategy': 'single',
      'nvidia.com/mig.config': `all-${profile}`,
      'nvidia.com/mig.config.state': 'success',
      ...(slice.memoryMiB === undefined ? {} : { 'nvidia.com/gpu.memory': `${slice.memoryMiB}` }),
      ...(slice.multiprocessors === undefined
        ? {}
        : { 'nvidia.com/gpu.multiprocessors': `${slice.multiprocessors}` }),
      ...node.labels
    },
    allocatable: { 'nvidia.com/gpu': `${slices}`, ...node.allocatable }
  })
}

interface GkeNodeSpec extends NodeSpec {
  readonly accelerator?: string
  /** What the plugin counts: slices, clients, or GPUs. */
  readonly count?: number
  readonly partitionSize?: string
  readonly sharing?: { readonly strategy: string; readonly clients: number | string }
}

/** A node of GKE, which has no labels of feature discovery; by default one A100 that is neither cut nor shared. */
export function aGkeNode({
  accelerator = 'nvidia-tesla-a100',
  count = 1,
  partitionSize,
  sharing,
  ...node
}: GkeNodeSpec = {}): JsonRecord {
  const label = (name: string): string => `cloud.google.com/gke-${name}`
  return aNode({
    ...node,
    labels: {
      [label('accelerator')]: accelerator,
      [label('nodepool')]: 'pool-1',
      ...(partitionSize === undefined ? {} : { [label('gpu-partition-size')]: partitionSize }),
      ...(sharing === undefined
        ? {}
        : {
            [label('gpu-sharing-strategy')]: sharing.strategy,
            [label('max-shared-clients-per-gpu')]: `${sharing.clients}`
          }),
      ...node.labels
    },
    allocatable: { 'nvidia.com/gpu': `${count}`, ...node.allocatable }
  })
}
