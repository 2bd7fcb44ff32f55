import fc from 'fast-check'
import t from 'tap'
import { readNode } from '../../../src/core/cluster/node-view.ts'
import { aMigNode, aNode } from '../../build/node.ts'

t.test('reads a node', async (t) => {
  const node = readNode(
    aNode({
      name: 'gpu-1',
      labels: { pool: 'gpu' },
      taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }],
      allocatable: { 'nvidia.com/gpu': '4' }
    })
  )

  t.strictSame(JSON.parse(JSON.stringify(node)), {
    name: 'gpu-1',
    labels: { 'kubernetes.io/hostname': 'gpu-1', pool: 'gpu' },
    taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }],
    allocatable: { 'nvidia.com/gpu': 4 },
    usable: true
  })
})

t.test('what has no name is no node', async (t) => {
  for (const raw of [undefined, null, [], {}, { metadata: { name: '' } }, { metadata: { name: 1 } }]) {
    t.equal(readNode(raw), undefined)
  }
})

t.test('a node without a status offers nothing and is not usable', async (t) => {
  const node = readNode({ metadata: { name: 'new' } })

  t.strictSame(Object.keys(node?.allocatable ?? { x: 1 }), [])
  t.equal(node?.usable, false)
})

const usable: readonly { name: string; node: unknown; want: boolean }[] = [
  { name: 'ready', node: aNode(), want: true },
  { name: 'not ready', node: aNode({ ready: false }), want: false },
  { name: 'cordoned', node: aNode({ unschedulable: true }), want: false },
  { name: 'uncordoned', node: aNode({ unschedulable: false }), want: true },
  {
    name: 'readiness unknown',
    node: { metadata: { name: 'n' }, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
    want: false
  },
  {
    name: 'only other conditions',
    node: { metadata: { name: 'n' }, status: { conditions: [{ type: 'DiskPressure', status: 'True' }] } },
    want: false
  }
]
for (const { name, node, want } of usable) {
  t.test(`a node is usable when it is Ready and not cordoned: ${name}`, async (t) => {
    t.equal(readNode(node)?.usable, want)
  })
}

t.test('only taints that keep pods away are read, and those without a key are not', async (t) => {
  const node = readNode(
    aNode({
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'b', value: 'x', effect: 'NoExecute', timeAdded: 'now' },
        { key: 'c', effect: 'PreferNoSchedule' },
        { key: 'd' },
        { effect: 'NoSchedule' },
        {}
      ]
    })
  )

  t.strictSame(node?.taints, [
    { key: 'a', value: '', effect: 'NoSchedule' },
    { key: 'b', value: 'x', effect: 'NoExecute' }
  ])
})

t.test('only GPU resources are counted, in order of their names', async (t) => {
  const node = readNode(
    aMigNode({
      profiles: { '2g.20gb': { count: 3 }, '1g.10gb': { count: 1 } },
      allocatable: { 'rdma/hca': '8' }
    })
  )

  t.strictSame(Object.entries(node?.allocatable ?? {}), [
    ['nvidia.com/gpu', 0],
    ['nvidia.com/mig-1g.10gb', 1],
    ['nvidia.com/mig-2g.20gb', 3]
  ])
})

const quantities: readonly { value: unknown; want: number | undefined }[] = [
  { value: '8', want: 8 },
  { value: 8, want: 8 },
  { value: '8000m', want: 8 },
  { value: '1k', want: 1000 },
  { value: '0', want: 0 },
  { value: '-1', want: undefined },
  { value: '0.5', want: undefined },
  { value: 'many', want: undefined },
  { value: '', want: undefined },
  { value: null, want: undefined }
]
for (const { value, want } of quantities) {
  t.test(`allocatable ${JSON.stringify(value)} counts as ${want ?? 'nothing'}`, async (t) => {
    t.equal(
      readNode(aNode({ allocatable: { 'nvidia.com/gpu': value } }))?.allocatable['nvidia.com/gpu'],
      want
    )
  })
}

t.test('reads any JSON without a throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
      readNode(spec)
      readNode({ metadata: { name: 'n', labels: status }, spec, status })
      readNode({ metadata: { name: 'n' }, spec: { taints: [spec] }, status: { allocatable: status } })
    })
  )
})
