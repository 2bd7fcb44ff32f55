import fc from 'fast-check'
import t from 'tap'
import { candidatesOf } from '../../src/core/sharing/candidates.ts'
import { hasFree } from '../../src/core/sharing/capacity.ts'
import { indexNodes, type NodeClass, selectedClasses } from '../../src/core/sharing/node-index.ts'
import { GpuDemand } from '../../src/gather/gpu-demand.ts'
import type { GpuPod } from '../../src/gather/gpu-pod.ts'
import { NodeCapacity } from '../../src/gather/node-capacity.ts'
import { RecentAnswers } from '../../src/gather/recent-answers.ts'
import { aGpuPod } from '../build/gpu-pod.ts'
import { viewOf } from '../build/input.ts'
import { aHamiNode, aMigNode, aSharedNode } from '../build/node.ts'
import { MemoryStore } from '../fakes/memory-store.ts'
import { holds } from '../property/holds.ts'

const slice = 'nvidia.com/mig-1g.10gb'
const names = ['n0', 'n1', 'n2']
const index = indexNodes([
  ...names.map((name) => viewOf(aMigNode({ name, labels: { 'kubernetes.io/hostname': 'same' } }))),
  viewOf(aSharedNode({ name: 'shared', renamed: false }))
])

interface Rig {
  readonly pods: MemoryStore<GpuPod>
  readonly capacity: NodeCapacity
  readonly answers: RecentAnswers
}

function rig(): Rig {
  const pods = new MemoryStore<GpuPod>()
  const answers = new RecentAnswers(pods)
  const capacity = new NodeCapacity(new GpuDemand(pods), answers)
  capacity.useIndex(index)
  return { pods, capacity, answers }
}

function classOf(resource: string): NodeClass {
  const found = index.classes.find(({ offers }) => offers.some((offer) => offer.resource === resource))
  if (found === undefined) throw new Error(`no class offers ${resource}`)
  return found
}

t.test('what is free of a class is what its nodes have, without what their pods ask for', async (t) => {
  const { pods, capacity } = rig()
  const migs = classOf(slice)

  t.equal(capacity.free(migs, slice), 21)
  pods.set('ml', 'a', aGpuPod({ name: 'a', node: 'n1', requests: { [slice]: 5 } }))
  pods.set('ml', 'b', aGpuPod({ name: 'b', node: 'elsewhere', requests: { [slice]: 5 } }))
  t.strictSame([capacity.free(migs, slice), capacity.mostFreeOnOne(migs, slice)], [16, 7])
  pods.set('ml', 'c', aGpuPod({ name: 'c', node: 'n1', requests: { [slice]: 5 } }))
  t.equal(capacity.free(migs, slice), 14, 'more than a node has takes no other node’s')
  pods.remove('ml', 'a')
  t.equal(capacity.free(migs, slice), 16)
})

t.test('what is left of a class is looked at node by node', async (t) => {
  const { pods, capacity } = rig()
  const [narrowed] = selectedClasses(
    { individualKeys: new Set(['pick']) },
    [{ ...classOf(slice), nodes: [...classOf(slice).nodes] }],
    {}
  )
  const one = { ...classOf(slice), nodes: [classOf(slice).nodes[1] ?? classOf(slice).nodes[0]] as const }
  pods.set('ml', 'a', aGpuPod({ name: 'a', node: 'n1', requests: { [slice]: 5 } }))

  t.equal(capacity.free(one, slice), 2)
  t.equal(narrowed === undefined ? undefined : capacity.free(narrowed, slice), 16)
})

t.test('a name of its own tells who waits; for that of whole GPUs our label does', async (t) => {
  const { pods, capacity, answers } = rig()
  const gpu = 'nvidia.com/gpu'
  const marks = { 'rightslice.dev/slice': 'shared', 'rightslice.dev/decision': 'FitsSharedReplica' }
  pods.set('ml', 'whole', aGpuPod({ name: 'whole', requests: { [gpu]: 1 } }))
  pods.set('ml', 'shared', aGpuPod({ name: 'shared', requests: { [gpu]: 1 }, marks }))
  pods.set('ml', 'slice', aGpuPod({ name: 'slice' }))
  answers.answered({ namespace: 'ml', pod: 'x*', group: '', share: 'shared', resources: { [gpu]: 1 } })

  t.equal(capacity.waiting({ resource: gpu, share: 'shared' }), 2)
  t.equal(capacity.waiting({ resource: slice, share: 'mig-1g.10gb' }), 1)
})

t.test('whatever happens, the sums are what counting anew gives', async (t) => {
  const change = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    node: fc.constantFrom('', ...names),
    count: fc.integer({ min: 0, max: 9 }),
    goes: fc.boolean()
  })

  holds(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const { pods, capacity } = rig()
      capacity.free(classOf(slice), slice)
      for (const { name, node, count, goes } of changes) {
        if (goes) pods.remove('ml', name)
        else pods.set('ml', name, aGpuPod({ name, node, requests: { [slice]: count } }))
      }
      const anew = new NodeCapacity(new GpuDemand(pods), new RecentAnswers(pods))
      anew.useIndex(index)
      return capacity.free(classOf(slice), slice) === anew.free(classOf(slice), slice)
    })
  )
  t.pass('the law holds')
})

t.test(
  '[DEC54] parts of a GPU by HAMi are counted by place and by memory, and never by the MiB of others',
  async (t) => {
    const hami = indexNodes([viewOf(aHamiNode({ name: 'hami', gpus: 2, split: 10, memoryMiB: 20_000 }))])
    const [candidate] = candidatesOf(hami.classes)
    const { pods, capacity, answers } = rig()
    capacity.useIndex(hami)
    const room = (neededMiB: number): boolean =>
      candidate !== undefined && hasFree(candidate, capacity, { promised: [], neededMiB })
    const part = (name: string, memoryMiB: number, node = 'hami'): void => {
      const requests = { 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': memoryMiB }
      const marks = { 'rightslice.dev/slice': 'gpumem', 'rightslice.dev/decision': 'FitsSharedReplica' }
      pods.set('ml', name, aGpuPod({ name, node, requests, marks }))
    }

    part('a', 18_000)
    t.strictSame([room(18_000), room(22_001)], [true, false], 'one pod with many MiB takes one of 20 places')
    part('b', 10_000, '')
    t.strictSame([room(12_000), room(12_001)], [true, false], 'who waits takes memory too')
    for (let count = 0; count < 18; count += 1) part(`c${count}`, 1)
    t.equal(room(1), false, 'no place is left')
    answers.close()
  }
)
