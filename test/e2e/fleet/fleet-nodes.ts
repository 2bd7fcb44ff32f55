import type { GpuNodeSpec } from '../../bed/nodes.ts'

/** Label by which some workloads and policies choose among the nodes. */
export const POOL = 'example.com/pool'

const PARTITION = 'cloud.google.com/gke-gpu-partition-size'
const poolA = { labels: { [POOL]: 'a' } }
const poolB = { labels: { [POOL]: 'b' } }

/** Node that HAMi has registered, once `register` was called with these numbers. */
export const hamiNode = { name: 'hami', gpus: 20, memoryMiB: 23_034 } as const

/**
 * Nodes of every way to share, and whole GPUs, most of which have one resource name. No two shares hold the same, so that there is one
 * right answer, and there is enough of each for everybody.
 */
export const fleetNodes: readonly GpuNodeSpec[] = [
  {
    name: 'mixed-h100',
    product: 'H100-80',
    layout: { kind: 'mig-mixed', gpus: 40, profiles: { '1g.10gb': 70, '2g.20gb': 60, '3g.40gb': 60 } },
    ...poolA
  },
  {
    name: 'mixed-a100',
    product: 'A100-80',
    layout: { kind: 'mig-mixed', gpus: 30, profiles: { '1g.10gb': 60, '4g.40gb': 30 } },
    ...poolB
  },
  {
    name: 'mixed-small',
    product: 'A100-40',
    layout: { kind: 'mig-mixed', gpus: 20, profiles: { '1g.5gb': 70, '3g.20gb': 40 } },
    ...poolB
  },
  { name: 'single', product: 'A30', layout: { kind: 'mig-single', gpus: 25, profile: '1g.6gb' }, ...poolA },
  {
    name: 'sliced-l4',
    product: 'L4',
    layout: { kind: 'time-sliced', gpus: 25, replicas: 4, renamed: true },
    ...poolA
  },
  {
    name: 'sliced-l40s',
    product: 'L40S',
    layout: { kind: 'time-sliced', gpus: 25, replicas: 4, renamed: true },
    ...poolB
  },
  {
    name: 'sliced-a10',
    product: 'A10',
    layout: { kind: 'time-sliced', gpus: 50, replicas: 2, renamed: false }
  },
  {
    name: 'mps-l40s',
    product: 'L40S',
    layout: { kind: 'mps', gpus: 25, replicas: 4, renamed: true },
    ...poolB
  },
  { name: 'mps-a10', product: 'A10', layout: { kind: 'mps', gpus: 50, replicas: 2, renamed: false } },
  {
    name: 'gke-cut',
    product: 'A100-40',
    layout: { kind: 'gke', gpus: 25, partitionSize: '2g.10gb' },
    taints: [{ key: PARTITION, value: '2g.10gb', effect: 'NoSchedule' }],
    ...poolA
  },
  {
    name: 'gke-clients',
    product: 'L4',
    layout: { kind: 'gke', gpus: 40, sharing: { strategy: 'time-sharing', clients: 2 } }
  },
  { name: hamiNode.name, product: 'L4', layout: { kind: 'whole', gpus: hamiNode.gpus }, ...poolA },
  { name: 'whole-a', product: 'H100-80', layout: { kind: 'whole', gpus: 60 }, ...poolA },
  { name: 'whole-b', product: 'H100-80', layout: { kind: 'whole', gpus: 60 }, ...poolB }
]
