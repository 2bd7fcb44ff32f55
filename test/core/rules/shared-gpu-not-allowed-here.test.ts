import type { JsonRecord } from '../../../src/core/json.ts'
import { asking, testRule } from '../../build/isolation.ts'

const sharedOk = { 'rightslice.dev/isolation': 'shared-ok' }
const listed = { timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } }

function affinity(key: string, operator: string, values: readonly string[]): JsonRecord {
  const nodeSelectorTerms = [{ matchExpressions: [{ key, operator, values }] }]
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
  }
}

testRule('SharedGpuNotAllowedHere', [
  ...[
    'nvidia.com/gpu.shared',
    'nvidia.com/mig-1g.10gb.shared',
    'nvidia.com/gpumem',
    'volcano.sh/vgpu-memory'
  ].map((resource) => ({
    name: `[RULE9] ${resource} in a hardware namespace`,
    main: asking(resource),
    policies: [listed],
    says: [new RegExp(`container "main" asks for ${resource}, but namespace "team-a" has isolation=hardware`)]
  })),
  ...['volcano.sh/vgpu-memo\ufffdy', 'nvidia.com/vgpu\u202e', 'run.ai/\u001b', 'nos.nebuly.com/\ud800'].map(
    (resource) => ({
      name: `[RULE7] a name that no API server takes is cleaned: ${JSON.stringify(resource)}`,
      main: asking(resource),
      says: [/^[\x20-\x7e]+$/]
    })
  ),
  {
    name: '[RULE7] a long name is cut',
    main: asking(`run.ai/${'x'.repeat(1_000_000)}`),
    says: [/asks for run\.ai\/x{290}\.\.\., but/]
  },
  {
    name: '[RULE9] shared-ok and listed',
    main: asking('nvidia.com/gpu.shared'),
    labels: sharedOk,
    policies: [listed]
  },
  {
    name: '[RULE9] shared-ok and listed under mps',
    main: asking('nvidia.com/gpu.shared'),
    labels: sharedOk,
    policies: [{ mps: { namespaces: ['team-a'], maxReplicas: 4 } }]
  },
  {
    name: '[RULE9] shared-ok, but not listed',
    main: asking('nvidia.com/gpu.shared'),
    labels: sharedOk,
    policies: [{}],
    says: [/no policy lists namespace "team-a"/]
  },
  {
    name: '[RULE9] shared-ok without any policy',
    main: asking('nvidia.com/gpu.shared'),
    labels: sharedOk,
    policies: []
  },
  {
    name: "[RULE9] GKE's number of clients, however small it is said to be",
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'cloud.google.com/gke-max-shared-clients-per-gpu': '1' } },
    policies: [listed],
    says: [
      /nvidia\.com\/gpu, "cloud\.google\.com\/gke-max-shared-clients-per-gpu=1", but namespace "team-a" has/
    ]
  },
  {
    name: "[RULE9] GKE's number of clients by affinity",
    main: asking('nvidia.com/gpu'),
    spec: affinity('cloud.google.com/gke-max-shared-clients-per-gpu', 'Exists', []),
    policies: [listed],
    says: [/isolation=hardware/]
  },
  {
    name: '[RULE9] a partition size of GKE is no shared GPU',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' } },
    policies: [listed]
  },
  {
    name: '[RULE9] HAMi by its method',
    main: asking('nvidia.com/gpumem'),
    labels: sharedOk,
    policies: [{ methods: ['hami'] }]
  },
  {
    name: '[RULE9] the method of HAMi allows no replica',
    main: asking('nvidia.com/gpu.shared'),
    labels: sharedOk,
    policies: [{ methods: ['hami'] }],
    says: [/no policy lists/]
  },
  {
    name: '[RULE9] nodes that share',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-L4-SHARED' } },
    says: [/asks for nvidia\.com\/gpu, "nvidia\.com\/gpu\.product=NVIDIA-L4-SHARED"/]
  },
  {
    name: '[RULE9] nodes that share, by affinity',
    main: asking('nvidia.com/gpu'),
    spec: affinity('nvidia.com/gpu.sharing-strategy', 'In', ['mps']),
    says: [/sharing-strategy=mps/]
  },
  {
    name: '[RULE9] nodes that are not unshared',
    main: asking('nvidia.com/gpu'),
    spec: affinity('nvidia.com/gpu.sharing-strategy', 'NotIn', ['none']),
    says: [/sharing-strategy!=none/]
  },
  {
    name: '[RULE9] nodes with several replicas',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'nvidia.com/gpu.replicas': '4' } },
    says: [/replicas=4/]
  },
  {
    name: '[RULE9] nodes with one replica',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'nvidia.com/gpu.replicas': '1' } }
  },
  { name: '[RULE9] shares of Koordinator', main: asking('koordinator.sh/gpu.shared'), says: [/koordinator/] },
  {
    name: '[RULE9] nodes of GKE that share at all',
    main: asking('nvidia.com/gpu'),
    spec: affinity('cloud.google.com/gke-gpu-sharing-strategy', 'Exists', []),
    says: [/gke-gpu-sharing/]
  },
  {
    name: '[RULE9] nodes that do not share',
    main: asking('nvidia.com/gpu'),
    spec: affinity('nvidia.com/gpu.sharing-strategy', 'In', ['none'])
  },
  {
    name: '[RULE9] a fraction of KAI',
    metadata: { annotations: { 'gpu-fraction': '0.5' } },
    says: [/the pod asks for a part of a GPU by gpu-fraction/]
  },
  {
    name: '[RULE9] a fraction of KAI where it may be',
    metadata: { annotations: { 'gpu-fraction': '0.5' } },
    labels: sharedOk,
    policies: [listed]
  },
  {
    name: '[RULE9] the way out names the slices that are chosen',
    main: asking('nvidia.com/gpu.shared'),
    policies: [{ mig: { allowedProfiles: ['1g.10gb'] } }],
    says: [/use nvidia\.com\/gpu or one of nvidia\.com\/mig-1g\.10gb/]
  },
  {
    name: '[RULE9] whole GPUs and slices',
    main: asking('nvidia.com/gpu'),
    spec: { initContainers: [{ name: 'i', ...asking('nvidia.com/mig-1g.10gb') }] }
  },
  { name: '[RULE9] zero replicas', main: asking('nvidia.com/gpu.shared', 0) }
])
