import t from 'tap'
import { knownNodeOf } from '../../../src/controllers/workloads/known-node.ts'
import { readNode } from '../../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { aGkeNode, aHamiNode, aMigNode, aNode, aSharedNode } from '../../build/node.ts'

function known(raw: JsonRecord) {
  const node = readNode(raw)
  if (node === undefined) throw new Error('no node')
  return knownNodeOf(node)
}

t.test('slices with what their labels say', async (t) => {
  t.match(known(aMigNode()), {
    name: 'node-1',
    replicas: { 'nvidia.com/mig-1g.10gb': 1 },
    memoryMiB: { 'nvidia.com/mig-1g.10gb': 9728 },
    mps: false
  })
})

t.test('replicas under the name of what is replicated', async (t) => {
  t.match(known(aSharedNode()), {
    replicas: { 'nvidia.com/gpu': 4 },
    memoryMiB: { 'nvidia.com/gpu': 23_034 },
    mps: false
  })
  t.equal(known(aSharedNode({ labels: { 'nvidia.com/gpu.sharing-strategy': 'mps' } })).mps, true)
})

t.test('GPUs of HAMi are shared, whatever labels say', async (t) => {
  t.match(known(aHamiNode({ split: 10, labels: { 'nvidia.com/gpu.replicas': '1' } })), {
    replicas: { 'nvidia.com/gpu': 10, 'nvidia.com/gpumem': 10 },
    memoryMiB: { 'nvidia.com/gpu': 23_034 },
    mps: false
  })
})

t.test('clients of GKE, by its own labels', async (t) => {
  const node = (strategy: string) => known(aGkeNode({ sharing: { strategy, clients: 3 }, count: 3 }))

  t.match(node('time-sharing'), { replicas: { 'nvidia.com/gpu': 3 }, mps: false })
  t.match(node('mps'), { replicas: { 'nvidia.com/gpu': 3 }, mps: true })
})

t.test('of a node without labels nothing is known', async (t) => {
  t.strictSame(known(aNode()), { name: 'node-1', replicas: {}, memoryMiB: {}, mps: false })
})
