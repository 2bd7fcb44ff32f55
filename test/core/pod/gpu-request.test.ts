import t from 'tap'
import { gpuRequestOf, WHOLE_GPU } from '../../../src/core/pod/gpu-request.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { aPod, type ContainerSpec } from '../../build/pod.ts'

function requestOf(container: ContainerSpec): unknown {
  const [view] = readPod(aPod({ containers: [container] }), 'team-a').containers
  if (view === undefined) throw new Error('the pod has no container')
  return gpuRequestOf(view)
}

const cases: readonly { name: string; container: ContainerSpec; want: unknown }[] = [
  { name: 'one GPU in limits and requests', container: {}, want: { kind: 'whole', count: 1 } },
  {
    name: 'missing requests, for a limit alone is enough',
    container: { limits: { [WHOLE_GPU]: '1' }, requests: undefined },
    want: { kind: 'whole', count: 1 }
  },
  {
    name: 'requests of other resources change nothing',
    container: { limits: { [WHOLE_GPU]: 2, cpu: '4' }, requests: { cpu: '1' } },
    want: { kind: 'whole', count: 2 }
  },
  { name: 'no resources', container: { limits: {} }, want: { kind: 'none' } },
  {
    name: 'cpu, memory and rdma are no GPUs',
    container: { limits: { cpu: '1', 'rdma/hca': '1' } },
    want: { kind: 'none' }
  },
  { name: 'zero GPUs are no request', container: { limits: { [WHOLE_GPU]: '0' } }, want: { kind: 'none' } },
  {
    name: 'zero slices beside a GPU are no share',
    container: { limits: { [WHOLE_GPU]: '1', 'nvidia.com/mig-1g.10gb': '0' } },
    want: { kind: 'whole', count: 1 }
  },
  {
    name: 'a slice',
    container: { limits: { 'nvidia.com/mig-1g.10gb': '1' } },
    want: { kind: 'share', resources: ['nvidia.com/mig-1g.10gb'], besideWhole: false }
  },
  {
    name: 'shares are named in order, and a whole GPU beside them is said',
    container: {
      limits: { 'nvidia.com/mig-2g.20gb': '1', 'nvidia.com/gpu.shared': '1', [WHOLE_GPU]: '1' }
    },
    want: {
      kind: 'share',
      resources: ['nvidia.com/gpu.shared', 'nvidia.com/mig-2g.20gb'],
      besideWhole: true
    }
  },
  {
    name: 'a replicated slice',
    container: { limits: { 'nvidia.com/mig-1g.10gb.shared': '1' } },
    want: { kind: 'share', resources: ['nvidia.com/mig-1g.10gb.shared'], besideWhole: false }
  },
  {
    name: 'a resource of another system comes before everything',
    container: { limits: { [WHOLE_GPU]: '1', 'nvidia.com/gpumem': '20k', 'nvidia.com/mig-1g.10gb': '1.5' } },
    want: { kind: 'foreign', resource: 'nvidia.com/gpumem' }
  },
  {
    name: 'a request without a limit',
    container: { limits: {}, requests: { [WHOLE_GPU]: '1' } },
    want: { kind: 'invalid', resource: WHOLE_GPU }
  },
  {
    name: 'requests≠limits',
    container: { limits: { [WHOLE_GPU]: '2' }, requests: { [WHOLE_GPU]: '1' } },
    want: { kind: 'invalid', resource: WHOLE_GPU }
  },
  {
    name: 'request and limit in two spellings of one value',
    container: { limits: { [WHOLE_GPU]: '1' }, requests: { [WHOLE_GPU]: '1000m' } },
    want: { kind: 'whole', count: 1 }
  }
]

for (const { name, container, want } of cases) {
  t.test(`reads what a container asks for: ${name}`, async (t) => t.strictSame(requestOf(container), want))
}

t.test('a container without resources asks for nothing', async (t) => {
  const [view] = readPod({ spec: { containers: [{ name: 'main' }] } }, 'team-a').containers

  t.strictSame(view && gpuRequestOf(view), { kind: 'none' })
})

for (const quantity of ['1', 1, '1000m', '1e0', '+1', '0.001k']) {
  t.test(`${JSON.stringify(quantity)} is one GPU`, async (t) => {
    t.strictSame(requestOf({ limits: { [WHOLE_GPU]: quantity } }), { kind: 'whole', count: 1 })
  })
}

for (const quantity of ['-1', '0.5', '500m', '', 'one', true, null, {}, 1.5]) {
  t.test(`${JSON.stringify(quantity)} is no count of GPUs`, async (t) => {
    t.strictSame(requestOf({ limits: { [WHOLE_GPU]: quantity } }), { kind: 'invalid', resource: WHOLE_GPU })
  })
}
