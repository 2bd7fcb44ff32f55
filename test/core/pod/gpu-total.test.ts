import t from 'tap'
import { gpuTotalOf } from '../../../src/core/pod/gpu-total.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { aPod, type ContainerSpec } from '../../build/pod.ts'

const gpus = (count: number | string): ContainerSpec => ({ limits: { 'nvidia.com/gpu': String(count) } })
const sidecar = (count: number): ContainerSpec => ({ ...gpus(count), restartPolicy: 'Always' })
const slices: ContainerSpec = { limits: { 'nvidia.com/mig-1g.10gb': '2', cpu: '4', 'rdma/hca': '1' } }

interface Case {
  readonly name: string
  readonly init?: readonly ContainerSpec[]
  readonly app: readonly ContainerSpec[]
  readonly want: Readonly<Record<string, number>>
}

const cases: readonly Case[] = [
  { name: 'one container', app: [gpus(1)], want: { 'nvidia.com/gpu': 1 } },
  { name: 'containers add up', app: [gpus(1), gpus(2)], want: { 'nvidia.com/gpu': 3 } },
  {
    name: 'a smaller init container costs nothing',
    init: [gpus(1)],
    app: [gpus(2)],
    want: { 'nvidia.com/gpu': 2 }
  },
  {
    name: 'a larger init container is what counts',
    init: [gpus(4), gpus(3)],
    app: [gpus(2)],
    want: { 'nvidia.com/gpu': 4 }
  },
  {
    name: 'a sidecar runs beside the containers',
    init: [sidecar(1)],
    app: [gpus(2)],
    want: { 'nvidia.com/gpu': 3 }
  },
  {
    name: 'an init container runs beside the sidecars before it',
    init: [sidecar(1), gpus(3)],
    app: [gpus(2)],
    want: { 'nvidia.com/gpu': 4 }
  },
  {
    name: 'an init container does not run beside the sidecars after it',
    init: [gpus(3), sidecar(1)],
    app: [gpus(1)],
    want: { 'nvidia.com/gpu': 3 }
  },
  {
    name: 'each resource is reckoned by itself',
    init: [gpus(1)],
    app: [slices],
    want: { 'nvidia.com/gpu': 1, 'nvidia.com/mig-1g.10gb': 2 }
  },
  {
    name: 'resources of other systems count by their names',
    app: [{ limits: { 'nvidia.com/gpumem': '4096' } }],
    want: { 'nvidia.com/gpumem': 4096 }
  },
  { name: 'zero, and what is no count, is nothing', app: [gpus(0), gpus('1.5')], want: {} },
  { name: 'a pod without GPUs', app: [{ limits: { cpu: '1' } }], want: {} }
]

for (const { name, init = [], app, want } of cases) {
  t.test(`[POD17] sidecar arithmetic table: ${name}`, async (t) => {
    const pod = readPod(aPod({ initContainers: init, containers: app }), 'team-a')

    t.strictSame(gpuTotalOf(pod.containers), want)
  })
}
