import type { RuleCode } from '../../../src/core/api/rules.ts'
import type { JsonRecord } from '../../../src/core/json.ts'

/** One try to get at a GPU, or a neighbour, that was not given. */
export interface Attempt {
  readonly says: string
  readonly rule: RuleCode
  readonly pod: JsonRecord
}

/** What a try needs: fields of the container that does it, of the pod, and of its metadata. */
interface Trick {
  readonly rule: RuleCode
  readonly says: string
  readonly container?: JsonRecord
  readonly spec?: JsonRecord
  readonly metadata?: JsonRecord
  /** Resource that the pod's main container asks for; default none. */
  readonly gpu?: string
  readonly count?: number
}

const GPU = 'nvidia.com/gpu'
const SLICE = 'nvidia.com/mig-1g.10gb'
const SHARED = 'nvidia.com/gpu.shared'

const env = (...entries: readonly (readonly [string, string])[]): JsonRecord => ({
  env: entries.map(([name, value]) => ({ name, value }))
})

const visible: readonly Trick[] = [
  'all',
  ' all ',
  '0',
  '0,1',
  'GPU-3f2c1a9e-8d1f-4c47-a0b4-5b1f8a1f4f11',
  'MIG-5c89852c-d268-5c9f-8a7e-0d7a4c1a7a11',
  'none,0',
  '0,void',
  'VOID',
  'all\n'
].map((value) => ({
  rule: 'VisibleDevicesOverride',
  says: `NVIDIA_VISIBLE_DEVICES=${JSON.stringify(value)}`,
  container: env(['NVIDIA_VISIBLE_DEVICES', value])
}))

const visibleByReference: readonly Trick[] = [
  {
    rule: 'VisibleDevicesOverride',
    says: 'a reference to another variable',
    container: env(['WHICH', 'all'], ['NVIDIA_VISIBLE_DEVICES', '$(WHICH)'])
  },
  {
    rule: 'VisibleDevicesOverride',
    says: 'an entry that a later one hides',
    container: env(['NVIDIA_VISIBLE_DEVICES', 'all'], ['NVIDIA_VISIBLE_DEVICES', 'void'])
  },
  {
    rule: 'VisibleDevicesOverride',
    says: 'an annotation as source',
    container: {
      env: [
        {
          name: 'NVIDIA_VISIBLE_DEVICES',
          valueFrom: { fieldRef: { fieldPath: "metadata.annotations['which']" } }
        }
      ]
    }
  }
]

const variables: readonly Trick[] = [
  ...['NVIDIA_MIG_CONFIG_DEVICES', 'NVIDIA_MIG_MONITOR_DEVICES'].map(
    (name): Trick => ({ rule: 'MigControlVariable', says: name, container: env([name, 'all']) })
  ),
  ...[
    '/proc/self/cwd/lib.so',
    'lib/x.so',
    './x.so',
    '/usr/lib/ok.so:/proc/1/root/x.so',
    '//proc//self/./cwd/x.so',
    '/usr/lib/ok.so /proc/self/fd/3',
    '/var/lib/kubelet/pods/1/volumes/kubernetes.io~empty-dir/v/x.so',
    '/usr/../proc/self/cwd/lib.so'
  ].map(
    (value): Trick => ({
      rule: 'PreloadIntoToolkit',
      says: `LD_PRELOAD=${value}`,
      container: env(['LD_PRELOAD', value])
    })
  ),
  {
    rule: 'PreloadIntoToolkit',
    says: 'LD_PRELOAD in pieces',
    container: env(['A', '/proc/self'], ['LD_PRELOAD', '$(A)/cwd/lib.so'])
  },
  {
    rule: 'PreloadIntoToolkit',
    says: 'LD_AUDIT',
    container: env(['LD_AUDIT', '/proc/self/cwd/lib.so'])
  },
  {
    rule: 'PreloadIntoToolkit',
    says: 'LD_LIBRARY_PATH',
    gpu: GPU,
    container: env(['LD_LIBRARY_PATH', '/usr/lib:/proc/self/cwd'])
  },
  {
    rule: 'MpsPipeOverride',
    says: 'another MPS pipe',
    gpu: SHARED,
    container: env(['CUDA_MPS_PIPE_DIRECTORY', '/tmp/other'])
  }
]

const deviceLists: readonly Trick[] = [
  '/var/run/nvidia-container-devices/all',
  '//var/run/./nvidia-container-devices/0',
  '/run/nvidia-container-devices/GPU-1',
  '/var/run/nvidia-container-devices'
].map((mountPath) => ({
  rule: 'DeviceListMount',
  says: `mount at ${mountPath}`,
  container: { volumeMounts: [{ name: 'null', mountPath }] },
  spec: { volumes: [{ name: 'null', hostPath: { path: '/dev/null' } }] }
}))

const hostPath = (rule: RuleCode, path: string, mount: JsonRecord = {}): Trick => ({
  rule,
  says: `hostPath ${path} ${JSON.stringify(mount)}`,
  container: { volumeMounts: [{ name: 'host', mountPath: '/mnt', ...mount }] },
  spec: { volumes: [{ name: 'host', hostPath: { path } }] }
})

const hostPaths: readonly Trick[] = [
  ...[
    '/',
    '//',
    '/dev',
    '/dev/',
    '//dev/./',
    '/dev/nvidia0',
    '/dev/nvidia-uvm',
    '/dev/nvidia-caps/nvidia-cap2',
    '/dev/dri/renderD128',
    '/dev/char',
    '/dev/vfio/vfio',
    '/proc',
    '/proc/driver/nvidia/gpus',
    '/proc/1/root',
    '/proc/self/root/dev',
    '/proc/1/task/1/root/dev',
    '/sys/bus/pci/devices',
    '/run/nvidia/mps',
    '/var/run/nvidia/mps',
    '/tmp/nvidia-mps',
    '/tmp',
    '/var/run',
    '/run/containerd/containerd.sock',
    '/var/run/docker.sock',
    '/etc/cdi',
    '/etc',
    '/etc/kubernetes/manifests',
    '/run/dbus'
  ].map((path) => hostPath('HostDevicePath', path)),
  hostPath('HostDevicePath', '/dev', { subPath: 'nvidia0' }),
  hostPath('HostDevicePath', '/dev', { subPathExpr: 'nvidia0' }),
  hostPath('HostDevicePath', '/dev', { readOnly: true }),
  {
    rule: 'HostDevicePath',
    says: 'a volume that nobody mounts yet',
    spec: { volumes: [{ name: 'host', hostPath: { path: '/dev' } }] }
  },
  {
    rule: 'HostDevicePath',
    says: 'an inline CSI volume',
    container: { volumeMounts: [{ name: 'csi', mountPath: '/mnt' }] },
    spec: {
      volumes: [{ name: 'csi', csi: { driver: 'dir.csi.example', volumeAttributes: { source: '/dev' } } }]
    }
  },
  ...[
    '/var/lib/kubelet/device-plugins',
    '/var/lib/kubelet/device-plugins/kubelet.sock',
    '/var/lib//kubelet/',
    '/var/lib/kubelet/pod-resources',
    '/var/lib',
    '/var/snap/microk8s/common/var/lib/kubelet/device-plugins',
    '/srv/kubelet/plugins_registry'
  ].map((path) => hostPath('PluginSocketPath', path))
]

const cdi: readonly Trick[] = [
  ['nvidia.cdi.k8s.io/container.main', 'nvidia.com/gpu=all'],
  ['nvidia.cdi.k8s.io/pod', 'nvidia.com/gpu=0'],
  ['cdi.k8s.io/gpu', 'nvidia.com/gpu=all']
].map(([key = '', value]) => ({
  rule: 'CdiAnnotation',
  says: `${key}=${String(value)}`,
  metadata: { annotations: { [key]: value } }
}))

const privileged: JsonRecord = { securityContext: { privileged: true } }
const host: readonly Trick[] = [
  ...[GPU, SLICE, SHARED].flatMap((gpu): Trick[] => [
    { rule: 'PrivilegedWithGpu', says: `privileged with ${gpu}`, gpu, container: privileged },
    { rule: 'HostPidWithGpu', says: `hostPID with ${gpu}`, gpu, spec: { hostPID: true } }
  ]),
  {
    rule: 'PrivilegedWithGpu',
    says: 'privileged with a resource claim',
    container: privileged,
    spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] }
  },
  { rule: 'HostIpcWithSharedGpu', says: 'hostIPC with a replica', gpu: SHARED, spec: { hostIPC: true } },
  {
    rule: 'RuntimeClassNotAllowed',
    says: 'another runtime with a GPU',
    gpu: GPU,
    spec: { runtimeClassName: 'other' }
  },
  {
    rule: 'RuntimeClassNotAllowed',
    says: 'another runtime of NVIDIA without a GPU',
    spec: { runtimeClassName: 'nvidia-legacy' }
  },
  { rule: 'NodeNameSet', says: 'nodeName without a GPU', spec: { nodeName: 'gpu-1' } },
  { rule: 'NodeNameSet', says: 'nodeName with a GPU', gpu: GPU, spec: { nodeName: 'gpu-1' } }
]

const limits = (resource: string, count = 1): JsonRecord => ({
  resources: { limits: { [resource]: String(count) } }
})

const requests: readonly Trick[] = [
  SHARED,
  'nvidia.com/mig-1g.10gb.shared',
  'nvidia.com/gpumem',
  'nvidia.com/gpu.hami',
  'volcano.sh/vgpu-memory'
]
  .map((gpu): Trick => ({ rule: 'SharedGpuNotAllowedHere', says: `asks for ${gpu}`, container: limits(gpu) }))
  .concat([
    {
      rule: 'SharedGpuNotAllowedHere',
      says: 'picks nodes that share',
      gpu: GPU,
      spec: { nodeSelector: { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' } }
    },
    {
      rule: 'SharedGpuNotAllowedHere',
      says: 'picks GKE nodes that share',
      gpu: GPU,
      spec: { nodeSelector: { 'cloud.google.com/gke-gpu-sharing-strategy': 'mps' } }
    },
    {
      rule: 'SharedGpuNotAllowedHere',
      says: 'picks GKE nodes with several clients',
      gpu: GPU,
      spec: { nodeSelector: { 'cloud.google.com/gke-max-shared-clients-per-gpu': '3' } }
    },
    {
      rule: 'SharedGpuNotAllowedHere',
      says: 'a fraction by annotation',
      metadata: { annotations: { 'gpu-fraction': '0.5' } }
    },
    { rule: 'MixedGpuResources', says: 'whole and slice', gpu: GPU, container: limits(SLICE) },
    {
      rule: 'MixedGpuResources',
      says: 'whole and a claim from a template of ours',
      gpu: GPU,
      spec: { resourceClaims: [{ name: 'more', resourceClaimTemplateName: 'rightslice-1g-10gb' }] }
    },
    { rule: 'MixedGpuResources', says: 'whole and replica', gpu: GPU, container: limits(SHARED) },
    { rule: 'MoreThanOneReplica', says: 'two replicas', container: limits(SHARED, 2) }
  ])

/** Where a container of a try is put: beside the main one or as it, before it, or as a native sidecar. */
const places = ['main', 'second', 'init', 'sidecar'] as const

/** Kinds that own the pods, in turn; the owner lifts no rule. */
const owners = [
  ['apps/v1', 'ReplicaSet'],
  ['apps/v1', 'DaemonSet'],
  ['apps/v1', 'StatefulSet'],
  ['batch/v1', 'Job'],
  ['ray.io/v1', 'RayCluster'],
  undefined
] as const

/** Every try: each trick in each place where a container may do it, owned by each kind in turn. */
export function attempts(): readonly Attempt[] {
  const tricks = [
    ...visible,
    ...visibleByReference,
    ...variables,
    ...deviceLists,
    ...hostPaths,
    ...cdi,
    ...host,
    ...requests
  ]
  return tricks
    .flatMap((trick) =>
      (trick.container === undefined ? (['main'] as const) : places).map((place) => ({ trick, place }))
    )
    .map(({ trick, place }, index) => toAttempt(trick, place, index))
}

function toAttempt(trick: Trick, place: (typeof places)[number], index: number): Attempt {
  const owner = owners[index % owners.length]
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner[0],
            kind: owner[1],
            name: 'own',
            uid: '0b8c9d9e-0000-4000-8000-000000000001',
            controller: true
          }
        ]
  return {
    says: `${trick.rule}: ${trick.says} (${place}, ${owner?.[1] ?? 'bare pod'})`,
    rule: trick.rule,
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `try-${index}`, ownerReferences, ...trick.metadata },
      spec: { ...containersOf(trick, place), ...trick.spec }
    }
  }
}

function containersOf({ gpu, count, container = {} }: Trick, place: (typeof places)[number]): JsonRecord {
  const main = plain('main', gpu === undefined ? {} : limits(gpu, count))
  const extra = plain('extra', container)
  switch (place) {
    case 'main':
      return gpu !== undefined && container['resources'] !== undefined
        ? { containers: [main, extra] }
        : { containers: [{ ...main, ...container }] }
    case 'second':
      return { containers: [main, extra] }
    case 'init':
      return { containers: [main], initContainers: [extra] }
    case 'sidecar':
      return { containers: [main], initContainers: [{ ...extra, restartPolicy: 'Always' }] }
  }
}

function plain(name: string, fields: JsonRecord): JsonRecord {
  return { name, image: 'registry.example/app:1', ...fields }
}

/** Ephemeral containers that break a rule in a pod with a GPU. */
export const debugAttempts: readonly { readonly rule: RuleCode; readonly container: JsonRecord }[] = [
  { rule: 'PrivilegedWithGpu', container: plain('d1', privileged) },
  { rule: 'VisibleDevicesOverride', container: plain('d2', env(['NVIDIA_VISIBLE_DEVICES', 'all'])) },
  { rule: 'MigControlVariable', container: plain('d3', env(['NVIDIA_MIG_CONFIG_DEVICES', 'all'])) },
  { rule: 'PreloadIntoToolkit', container: plain('d4', env(['LD_PRELOAD', '/proc/self/cwd/x.so'])) },
  {
    rule: 'DeviceListMount',
    container: plain('d5', {
      volumeMounts: [{ name: 'scratch', mountPath: '/var/run/nvidia-container-devices/all' }]
    })
  }
]
