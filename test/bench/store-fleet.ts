/*
 * Objects as large as those of a real cluster: with managed fields, images, conditions, variables and volumes, which are most of
 * their bytes, and of which nothing is kept.
 */

/** How many objects of each kind the cluster has. */
export const fleetSize = {
  nodes: 5_000,
  pods: 50_000,
  replicasets: 10_000,
  namespaces: 1_000,
  gpuworkloads: 2_000
}

/** Of so many pods one asks for a GPU. */
const PODS_PER_GPU_POD = 5

const PODS_A_WORKLOAD = 5

/** Objects of one collection, made when they are asked for. */
export interface Collection {
  readonly count: number
  /** One object, by its number. */
  readonly object: (index: number) => object
}

/** The collections of a cluster, by the plural of their kind; what is not named is empty. */
export type Collections = Readonly<Record<string, Collection>>

/** The cluster by which memory is measured. */
export const largeCluster: Collections = {
  nodes: { count: fleetSize.nodes, object: node },
  pods: { count: fleetSize.pods, object: pod },
  replicasets: { count: fleetSize.replicasets, object: replicaSet },
  namespaces: { count: fleetSize.namespaces, object: namespace },
  gpuworkloads: { count: fleetSize.gpuworkloads, object: gpuWorkload }
}

/** So many pods that all have GPUs. */
export function gpuPods(count: number): Collection {
  return { count, object: (index) => pod(index * PODS_PER_GPU_POD) }
}

function uidOf(kind: number, index: number): string {
  return `${kind.toString(16).padStart(8, '0')}-6f0c-4a53-9f43-${index.toString(16).padStart(12, '0')}`
}

function metadataOf(kind: number, index: number, more: object): object {
  return {
    uid: uidOf(kind, index),
    resourceVersion: String(1_000_000 + index),
    creationTimestamp: '2026-11-01T10:00:00Z',
    managedFields: ['kubelet', 'kube-controller-manager', 'kubectl-client-side-apply'].map((manager) => ({
      manager,
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-11-01T10:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: Object.fromEntries(
        Array.from({ length: 20 }, (_, field) => [`f:${manager}-field-${field}`, { 'f:type': {}, '.': {} }])
      )
    })),
    ...more
  }
}

const zones = ['europe-west4-a', 'europe-west4-b', 'europe-west4-c']

function nodeName(index: number): string {
  return `gke-training-a100-pool-${String(index % 12)}-${index.toString(16).padStart(8, '0')}`
}

function nodeLabels(index: number): Record<string, string> {
  const profiles = ['1g.10gb', '2g.20gb', '3g.40gb']
  const features = Array.from({ length: 18 }, (_, n) => [
    `feature.node.kubernetes.io/cpu-cpuid.FEATURE${n}`,
    'true'
  ])
  const slices = profiles.flatMap((profile, n) => [
    [`nvidia.com/mig-${profile}.count`, String(7 - n)],
    [`nvidia.com/mig-${profile}.memory`, String(9728 * (n + 1))],
    [`nvidia.com/mig-${profile}.multiprocessors`, String(14 * (n + 1))],
    [`nvidia.com/mig-${profile}.product`, `NVIDIA-A100-SXM4-80GB-MIG-${profile}`]
  ])
  return {
    'kubernetes.io/hostname': nodeName(index),
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'a2-ultragpu-8g',
    'topology.kubernetes.io/region': 'europe-west4',
    'topology.kubernetes.io/zone': zones[index % 3] ?? '',
    'nvidia.com/gpu.present': 'true',
    'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB',
    'nvidia.com/gpu.memory': '81920',
    'nvidia.com/gpu.count': '8',
    'nvidia.com/mig.capable': 'true',
    'nvidia.com/mig.strategy': 'mixed',
    'nvidia.com/mig.config': 'all-balanced',
    'nvidia.com/mig.config.state': 'success',
    'nvidia.com/gfd.timestamp': String(1_700_000_000 + index),
    ...Object.fromEntries([...features, ...slices])
  }
}

function node(index: number): object {
  return {
    metadata: metadataOf(1, index, { name: nodeName(index), labels: nodeLabels(index) }),
    spec: {
      providerID: `gce://project/zone/${nodeName(index)}`,
      taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }]
    },
    status: {
      allocatable: {
        cpu: '96',
        memory: '1000Gi',
        'nvidia.com/gpu': '0',
        'nvidia.com/mig-1g.10gb': '16',
        'nvidia.com/mig-2g.20gb': '8',
        'nvidia.com/mig-3g.40gb': '8'
      },
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        type,
        status: type === 'Ready' ? 'True' : 'False',
        lastHeartbeatTime: '2026-11-29T10:00:00Z',
        reason: 'KubeletHasSufficientMemory',
        message: 'kubelet has sufficient memory available'
      })),
      images: Array.from({ length: 50 }, (_, n) => ({
        names: [
          `registry.example.com/team/image-${n}@sha256:${n.toString(16).padStart(64, 'a')}`,
          `registry.example.com/team/image-${n}:v1.${n}.0`
        ],
        sizeBytes: 1_000_000_000 + n
      }))
    }
  }
}

function pod(index: number): object {
  const workload = Math.floor(index / PODS_A_WORKLOAD)
  const usesGpu = index % PODS_PER_GPU_POD === 0
  const resources = { cpu: '4', memory: '16Gi', ...(usesGpu ? { 'nvidia.com/mig-1g.10gb': '1' } : {}) }
  const original = '{"server":{"limits":{"nvidia.com/gpu":"1"},"requests":{"nvidia.com/gpu":"1"}}}'
  return {
    metadata: metadataOf(2, index, {
      name: `inference-server-${workload}-7d9c6bbd8f-${index.toString(36).padStart(5, 'x')}`,
      namespace: `team-${workload % fleetSize.namespaces}`,
      labels: { app: `inference-server-${workload}`, 'pod-template-hash': '7d9c6bbd8f' },
      annotations: usesGpu
        ? {
            'rightslice.dev/decision': 'FitsMigProfile',
            'rightslice.dev/explain': `Peak 6.8 GiB of ${workload} plus 20 % fits mig-1g.10gb (9.5 GiB).`,
            'rightslice.dev/original-resources': original
          }
        : { 'cni.projectcalico.org/podIP': '10.0.0.1/32' }
    }),
    spec: {
      nodeName: nodeName(index % fleetSize.nodes),
      containers: ['server', 'proxy'].map((name) => ({
        name,
        image: `registry.example.com/team/${name}@sha256:${'b'.repeat(64)}`,
        env: Array.from({ length: 15 }, (_, n) => ({
          name: `SETTING_${n}`,
          value: `value-${n}-of-${workload}`
        })),
        resources: name === 'server' ? { limits: resources, requests: resources } : {},
        volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }]
      })),
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }]
    },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True'
      })),
      containerStatuses: ['server', 'proxy'].map((name) => ({
        name,
        ready: true,
        imageID: `registry.example.com/team/${name}@sha256:${'b'.repeat(64)}`,
        containerID: `containerd://${'c'.repeat(64)}`
      }))
    }
  }
}

function replicaSet(index: number): object {
  const name = `inference-server-${index}`
  return {
    metadata: metadataOf(3, index, {
      name: `${name}-7d9c6bbd8f`,
      namespace: `team-${index % fleetSize.namespaces}`,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: uidOf(4, index), controller: true }
      ]
    })
  }
}

function namespace(index: number): object {
  const name = `team-${index}`
  const labels = { 'kubernetes.io/metadata.name': name, 'rightslice.dev/rightsize': 'enforce', owner: name }
  return { metadata: metadataOf(5, index, { name, labels }) }
}

function gpuWorkload(index: number): object {
  const name = `inference-server-${index}`
  return {
    metadata: metadataOf(6, index, {
      name: `deployment-${name}`,
      namespace: `team-${index % fleetSize.namespaces}`
    }),
    spec: { workloadRef: { kind: 'Deployment', name } },
    status: {
      containers: [{ name: 'server', peakMemory: '7000Mi', peakCompute: '40%', history: { coverage: '14d' } }]
    }
  }
}
