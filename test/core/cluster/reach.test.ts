import t from 'tap'
import { hasLabels, obstacleTo } from '../../../src/core/cluster/reach.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { viewOf } from '../../build/input.ts'
import { aNode, type NodeSpec } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'

function obstacle(pod: PodSpec, node: NodeSpec): unknown {
  return obstacleTo(readPod(aPod(pod), 'team-a'), viewOf(aNode(node)))
}

t.test('nothing keeps a plain pod from a plain node', async (t) => {
  t.equal(obstacle({}, {}), undefined)
})

t.test('a node selector names the first key that does not match', async (t) => {
  const node = { labels: { pool: 'gpu', zone: 'a', empty: '' } }

  t.equal(obstacle({ nodeSelector: { pool: 'gpu', zone: 'a', empty: '' } }, node), undefined)
  t.strictSame(obstacle({ nodeSelector: { zone: 'b', pool: 'cpu' } }, node), {
    kind: 'selector',
    key: 'pool',
    want: 'cpu',
    have: 'gpu'
  })
  t.strictSame(obstacle({ nodeSelector: { missing: '' } }, node), {
    kind: 'selector',
    key: 'missing',
    want: '',
    have: undefined
  })
  t.match(obstacle({ nodeSelector: { constructor: 'x' } }, node), { kind: 'selector', have: undefined })
})

interface OperatorRow {
  readonly operator: string
  readonly values?: readonly unknown[]
  /** Value of the node's label `k`; undefined where it has none. */
  readonly label?: string
  readonly want: boolean
}

const operators: readonly OperatorRow[] = [
  { operator: 'In', values: ['a', 'b'], label: 'b', want: true },
  { operator: 'In', values: ['a', 'b'], label: 'c', want: false },
  { operator: 'In', values: ['a'], want: false },
  { operator: 'In', values: [], label: 'a', want: false },
  { operator: 'In', values: [''], label: '', want: true },
  { operator: 'NotIn', values: ['a'], label: 'b', want: true },
  { operator: 'NotIn', values: ['a'], label: 'a', want: false },
  { operator: 'NotIn', values: ['a'], want: true },
  { operator: 'Exists', label: '', want: true },
  { operator: 'Exists', want: false },
  { operator: 'DoesNotExist', want: true },
  { operator: 'DoesNotExist', label: 'a', want: false },
  { operator: 'Gt', values: ['5'], label: '6', want: true },
  { operator: 'Gt', values: ['5'], label: '5', want: false },
  { operator: 'Gt', values: ['-5'], label: '-4', want: true },
  { operator: 'Gt', values: ['5'], label: '10', want: true },
  { operator: 'Gt', values: ['5'], label: 'many', want: false },
  { operator: 'Gt', values: ['five'], label: '6', want: false },
  { operator: 'Gt', values: [], label: '6', want: false },
  { operator: 'Gt', values: ['5'], want: false },
  { operator: 'Gt', values: ['5'], label: '6.5', want: false },
  { operator: 'Lt', values: ['5'], label: '4', want: true },
  { operator: 'Lt', values: ['5'], label: '5', want: false },
  { operator: 'Lt', values: ['5'], want: false },
  { operator: 'Lt', values: ['5'], label: '', want: false },
  { operator: 'Near', values: ['a'], label: 'a', want: false },
  { operator: '', values: ['a'], label: 'a', want: false }
]
for (const { operator, values, label, want } of operators) {
  const has = label === undefined ? 'no label' : `label "${label}"`
  t.test(
    `${operator || 'no operator'} [${String(values ?? '')}] ${want ? 'holds' : 'does not hold'} for ${has}`,
    async (t) => {
      const nodeTerms = [{ matchExpressions: [{ key: 'k', operator, values }] }]

      const found = obstacle({ nodeTerms }, { labels: label === undefined ? {} : { k: label } })

      t.strictSame(found, want ? undefined : { kind: 'affinity' })
    }
  )
}

const inZone = (value: string): JsonRecord => ({ key: 'zone', operator: 'In', values: [value] })
const isNode = (name: string, operator = 'In'): JsonRecord => ({
  key: 'metadata.name',
  operator,
  values: [name]
})
const terms: readonly { name: string; nodeTerms: readonly JsonRecord[]; want: boolean }[] = [
  {
    name: 'all requirements of a term hold',
    nodeTerms: [{ matchExpressions: [inZone('a'), inZone('a')] }],
    want: true
  },
  {
    name: 'one requirement fails',
    nodeTerms: [{ matchExpressions: [inZone('a'), inZone('b')] }],
    want: false
  },
  {
    name: 'one of several terms holds',
    nodeTerms: [{ matchExpressions: [inZone('b')] }, { matchExpressions: [inZone('a')] }],
    want: true
  },
  { name: 'no terms at all match nothing', nodeTerms: [], want: false },
  { name: 'an empty term matches nothing', nodeTerms: [{}], want: false },
  {
    name: 'an empty term beside one that holds',
    nodeTerms: [{ matchExpressions: [] }, { matchExpressions: [inZone('a')] }],
    want: true
  },
  { name: 'the node is named', nodeTerms: [{ matchFields: [isNode('node-1')] }], want: true },
  { name: 'another node is named', nodeTerms: [{ matchFields: [isNode('node-2')] }], want: false },
  {
    name: 'the node is excluded by name',
    nodeTerms: [{ matchFields: [isNode('node-1', 'NotIn')] }],
    want: false
  },
  {
    name: 'a field other than the name never matches',
    nodeTerms: [{ matchFields: [{ key: 'spec.unschedulable', operator: 'DoesNotExist' }] }],
    want: false
  },
  {
    name: 'name and labels must both hold',
    nodeTerms: [{ matchFields: [isNode('node-1')], matchExpressions: [inZone('b')] }],
    want: false
  }
]
for (const { name, nodeTerms, want } of terms) {
  t.test(`required node affinity: ${name}`, async (t) => {
    t.strictSame(obstacle({ nodeTerms }, { labels: { zone: 'a' } }), want ? undefined : { kind: 'affinity' })
  })
}

t.test('preferred affinity keeps nobody away', async (t) => {
  const preferred = [{ weight: 1, preference: { matchExpressions: [inZone('b')] } }]

  t.equal(
    obstacle(
      { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
      {}
    ),
    undefined
  )
})

const gpuTaint = { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }
const tolerations: readonly {
  name: string
  tolerations: readonly JsonRecord[]
  taint?: JsonRecord
  want: boolean
}[] = [
  { name: 'none', tolerations: [], want: false },
  { name: 'key and value', tolerations: [{ key: 'nvidia.com/gpu', value: 'present' }], want: true },
  {
    name: 'Equal said',
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Equal', value: 'present' }],
    want: true
  },
  { name: 'another value', tolerations: [{ key: 'nvidia.com/gpu', value: 'true' }], want: false },
  { name: 'no value against a value', tolerations: [{ key: 'nvidia.com/gpu' }], want: false },
  {
    name: 'no value against no value',
    tolerations: [{ key: 'nvidia.com/gpu', value: '' }],
    taint: { key: 'nvidia.com/gpu', effect: 'NoSchedule' },
    want: true
  },
  { name: 'key exists', tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }], want: true },
  { name: 'another key exists', tolerations: [{ key: 'other', operator: 'Exists' }], want: false },
  { name: 'everything exists', tolerations: [{ operator: 'Exists' }], want: true },
  {
    name: 'an empty key with Exists is every key',
    tolerations: [{ key: '', operator: 'Exists' }],
    want: true
  },
  {
    name: 'an empty key with Equal is no key',
    tolerations: [{ operator: 'Equal', value: 'present' }],
    want: false
  },
  { name: 'the effect', tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }], want: true },
  { name: 'another effect', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }], want: false },
  {
    name: 'for a while counts',
    tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    taint: { key: 'gone', effect: 'NoExecute' },
    want: true
  },
  {
    name: 'an operator that is not known',
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Like' }],
    want: false
  },
  {
    name: 'one of several',
    tolerations: [{ key: 'a' }, { key: 'nvidia.com/gpu', operator: 'Exists' }],
    want: true
  }
]
for (const { name, tolerations: list, taint = gpuTaint, want } of tolerations) {
  t.test(`toleration: ${name}`, async (t) => {
    t.strictSame(
      obstacle({ tolerations: list }, { taints: [taint] }),
      want ? undefined : { kind: 'taint', key: taint.key }
    )
  })
}

t.test('every taint must be tolerated, and one that only prefers is none', async (t) => {
  const taints = [gpuTaint, { key: 'spot', effect: 'NoExecute' }, { key: 'soft', effect: 'PreferNoSchedule' }]
  const gpu = { key: 'nvidia.com/gpu', operator: 'Exists' }

  t.strictSame(obstacle({ tolerations: [gpu] }, { taints }), { kind: 'taint', key: 'spot' })
  t.equal(obstacle({ tolerations: [gpu, { key: 'spot', operator: 'Exists' }] }, { taints }), undefined)
})

t.test('selector, then affinity, then taints are told', async (t) => {
  const nodeTerms = [{ matchExpressions: [inZone('b')] }]
  const node = { taints: [gpuTaint] }

  t.match(obstacle({ nodeSelector: { a: 'b' }, nodeTerms }, node), { kind: 'selector' })
  t.match(obstacle({ nodeTerms }, node), { kind: 'affinity' })
  t.match(obstacle({}, node), { kind: 'taint' })
})

t.test('a node has labels when it has each of them', async (t) => {
  const node = viewOf(aNode({ labels: { pool: 'gpu', zone: 'a' } }))

  t.equal(hasLabels(node, {}), true)
  t.equal(hasLabels(node, { pool: 'gpu', zone: 'a' }), true)
  t.equal(hasLabels(node, { pool: 'gpu', zone: 'b' }), false)
  t.equal(hasLabels(node, { missing: '' }), false)
})
