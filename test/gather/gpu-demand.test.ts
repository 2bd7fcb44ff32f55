import fc from 'fast-check'
import t from 'tap'
import { GpuDemand } from '../../src/gather/gpu-demand.ts'
import type { GpuPod } from '../../src/gather/gpu-pod.ts'
import { MemoryStore } from '../fakes/memory-store.ts'
import { holds } from '../property/holds.ts'

const gpu = 'nvidia.com/gpu'
const slice = 'nvidia.com/mig-1g.10gb'

function gpuPod(name: string, node: string, requests: GpuPod['requests']): GpuPod {
  return { uid: `u-${name}`, namespace: 'ml', name, node, phase: 'Running', group: '', requests, marks: {} }
}

t.test('counts by node and resource what was there, what comes, moves and goes', async (t) => {
  const pods = new MemoryStore<GpuPod>()
  pods.set('ml', 'a', gpuPod('a', 'n1', { [gpu]: 2 }))
  const demand = new GpuDemand(pods)

  pods.set('ml', 'b', gpuPod('b', '', { [slice]: 1 }))
  t.strictSame(
    [
      demand.askedFor('n1', gpu),
      demand.askedFor('', slice),
      demand.askedFor('n1', slice),
      demand.askedFor('n2', gpu)
    ],
    [2, 1, 0, 0]
  )
  pods.set('ml', 'b', gpuPod('b', 'n1', { [slice]: 1 }))
  t.strictSame([demand.askedFor('', slice), demand.askedFor('n1', slice)], [0, 1])
  pods.remove('ml', 'a')
  t.strictSame([demand.askedFor('n1', gpu), demand.askedFor('n1', slice)], [0, 1])
  demand.close()
  pods.remove('ml', 'b')
  t.equal(demand.askedFor('n1', slice), 1, 'closed, it keeps what it had')
})

t.test('whatever happens, it is what counting all pods anew gives', async (t) => {
  const change = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    node: fc.constantFrom('', 'n1', 'n2'),
    gpus: fc.integer({ min: 0, max: 3 }),
    slices: fc.integer({ min: 0, max: 2 }),
    goes: fc.boolean()
  })

  holds(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const pods = new MemoryStore<GpuPod>()
      const demand = new GpuDemand(pods)
      for (const { name, node, gpus, slices, goes } of changes) {
        if (goes) pods.remove('ml', name)
        else pods.set('ml', name, gpuPod(name, node, { [gpu]: gpus, [slice]: slices }))
      }
      return ['', 'n1', 'n2'].every((node) =>
        [gpu, slice].every((resource) => {
          const here = pods.list().filter((pod) => pod.node === node)
          const sum = here.reduce((total, { requests }) => total + (requests[resource] ?? 0), 0)
          return demand.askedFor(node, resource) === sum
        })
      )
    })
  )
  t.pass('the law holds')
})
