import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision, Rewrite } from '../../../src/core/decision/decision.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aSharedNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const RESOURCES = '/spec/containers/0/resources'
const WHOLE = 'nvidia.com~1gpu'
const SLICE = 'nvidia.com~1mig-1g.10gb'
const sameName: InputSpec = {
  nodes: [aSharedNode({ renamed: false })],
  namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
  policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } })],
  usage: aUsage({ peakMiB: 1000 })
}

function patchOf(pod: unknown, input: InputSpec = {}): ReturnType<typeof toJsonPatch> {
  return toJsonPatch(pod, decide(anInput({ ...input, pod })))
}

function pathsOf(pod: unknown, input: InputSpec = {}): readonly string[] {
  return patchOf(pod, input).map(({ op, path }) => `${op} ${path}`)
}

function aRewrite(change: Partial<Rewrite> = {}): Rewrite {
  const decision: Decision = decide(anInput())
  if (decision.kind === 'keep') throw new Error(`expected a rewrite, got ${decision.reason}`)
  return { ...decision, ...change }
}

const marks = ['add /metadata/annotations', 'add /metadata/labels']

t.test('[PAT2] limits and requests change together', async (t) => {
  const patch = patchOf(aPod())

  t.strictSame(patch.slice(0, 4), [
    { op: 'remove', path: `${RESOURCES}/limits/${WHOLE}` },
    { op: 'add', path: `${RESOURCES}/limits/${SLICE}`, value: '1' },
    { op: 'remove', path: `${RESOURCES}/requests/${WHOLE}` },
    { op: 'add', path: `${RESOURCES}/requests/${SLICE}`, value: '1' }
  ])
  t.strictSame(pathsOf(aPod()).slice(4), marks)
})

const limitsOnly = [`remove ${RESOURCES}/limits/${WHOLE}`, `add ${RESOURCES}/limits/${SLICE}`]

for (const requests of [undefined, {}, { cpu: '1' }]) {
  t.test(`[PAT2] requests without a GPU are not touched: ${JSON.stringify(requests)}`, async (t) => {
    const pod = aPod({ containers: [{ limits: { 'nvidia.com/gpu': 1, cpu: '2' }, requests }] })

    t.strictSame(pathsOf(pod), [...limitsOnly, ...marks])
  })
}

t.test('[PAT2] a number is written as a text, whatever it was', async (t) => {
  for (const count of [1, '1', '1000m', '1e0']) {
    const pod = aPod({ containers: [{ limits: { 'nvidia.com/gpu': count } }] })

    t.strictSame(
      patchOf(pod)
        .flatMap((operation) => ('value' in operation ? [operation.value] : []))
        .slice(0, 2),
      ['1', '1']
    )
  }
})

t.test('[PAT2] an entry of zero for the share becomes one, in both maps', async (t) => {
  const limits = { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '0' }
  const pod = aPod({ containers: [{ limits, requests: { 'nvidia.com/mig-1g.10gb': '0' } }] })

  const after = applyStrictly(pod, patchOf(pod))

  t.match(after, { spec: { containers: [{ resources: { limits: { 'nvidia.com/mig-1g.10gb': '1' } } }] } })
  t.match(after, { spec: { containers: [{ resources: { requests: { 'nvidia.com/mig-1g.10gb': '1' } } }] } })
})

t.test('[PAT2] containers are found by list and place', async (t) => {
  const pod = aPod({
    initContainers: [{ limits: {} }, { name: 'warm' }],
    containers: [{ name: 'a', limits: {} }, {}]
  })
  const usage = aUsage({}, { container: 'warm' })

  t.strictSame(
    pathsOf(pod, { usage }).filter((path) => path.includes('limits')),
    [
      `remove /spec/containers/1/resources/limits/${WHOLE}`,
      `add /spec/containers/1/resources/limits/${SLICE}`,
      `remove /spec/initContainers/1/resources/limits/${WHOLE}`,
      `add /spec/initContainers/1/resources/limits/${SLICE}`
    ]
  )
})

t.test('[PAT3] a share of the same name changes the node selector and no resource', async (t) => {
  const bare = patchOf(aPod(), sameName)
  const selecting = patchOf(
    aPod({ nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-L4-SHARED' } }),
    sameName
  )

  t.strictSame(bare[0], {
    op: 'add',
    path: '/spec/nodeSelector',
    value: { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' }
  })
  t.strictSame(selecting[0], {
    op: 'add',
    path: '/spec/nodeSelector/nvidia.com~1gpu.sharing-strategy',
    value: 'time-slicing'
  })
  t.strictSame(
    bare.slice(1).map(({ op, path }) => `${op} ${path}`),
    marks
  )
})

t.test('[PAT3] required labels that the pod selects already are not added again', async (t) => {
  const nodeSelector = { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' }

  t.strictSame(pathsOf(aPod({ nodeSelector }), sameName), marks)
})

t.test('several required labels are added in the order of their names', async (t) => {
  const decision = aRewrite({ changes: [], nodeSelector: { b: '1', a: '2' } })

  t.strictSame(JSON.stringify(toJsonPatch(aPod(), decision)[0]).includes('{"a":"2","b":"1"}'), true)
  t.strictSame(
    toJsonPatch(aPod({ nodeSelector: { x: 'y' } }), decision)
      .slice(0, 2)
      .map(({ path }) => path),
    ['/spec/nodeSelector/a', '/spec/nodeSelector/b']
  )
})

t.test('[PAT4] marks are added beside what is there, key by key', async (t) => {
  const pod = aPod({ annotations: { 'example.com/a': 'b' }, labels: { app: 'x' } })

  t.strictSame(pathsOf(pod).slice(4), [
    'add /metadata/annotations/rightslice.dev~1decision',
    'add /metadata/annotations/rightslice.dev~1explain',
    'add /metadata/annotations/rightslice.dev~1original-resources',
    'add /metadata/annotations/rightslice.dev~1snapshot',
    'add /metadata/labels/rightslice.dev~1slice'
  ])
})

const reserved = {
  'rightslice.dev/decision': 'x',
  'rightslice.dev/explain': 'x',
  'rightslice.dev/original-resources': 'x',
  'rightslice.dev/snapshot': 'x'
}

t.test('[PAT5] reserved keys are overwritten, or removed where nothing is to be said', async (t) => {
  const pod = aPod({ annotations: reserved, labels: { 'rightslice.dev/slice': 'x' } })
  const label = 'remove /metadata/labels/rightslice.dev~1slice'

  t.strictSame(pathsOf(pod, { usage: undefined }), [
    'remove /metadata/annotations/rightslice.dev~1original-resources',
    'add /metadata/annotations/rightslice.dev~1decision',
    'add /metadata/annotations/rightslice.dev~1explain',
    'add /metadata/annotations/rightslice.dev~1snapshot',
    label
  ])
  t.strictSame(pathsOf(pod, { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } }), [
    ...Object.keys(reserved).map((key) => `remove /metadata/annotations/${key.replace('/', '~1')}`),
    label
  ])
})

t.test('[PAT5] a pod that must not be touched keeps even forged keys', async (t) => {
  const pod = aPod({ annotations: reserved, labels: { 'rightslice.dev/slice': 'x' } })

  t.strictSame(patchOf(pod, { operation: 'UPDATE' }), [])
  t.strictSame(patchOf(pod, { namespaceLabels: { 'rightslice.dev/rightsize': 'off' } }), [])
})

t.test('[PAT5] keys of others and those of users stay', async (t) => {
  const annotations = { 'rightslice.dev/pin': 'whole-gpu', 'rightslice.dev.example.com/decision': 'x' }
  const pod = aPod({ annotations })

  t.match(applyStrictly(pod, patchOf(pod)), { metadata: { annotations } })
})

t.test('[PAT1] a kept pod that says so already gets an empty patch', async (t) => {
  const pod = aPod()
  const after = applyStrictly(pod, patchOf(pod, { usage: undefined }))

  t.strictSame(patchOf(after, { usage: undefined }), [])
})

t.test('[PAT1] maps that are null or of another type are made anew', async (t) => {
  const pod = { ...aPod(), metadata: { name: 'x', annotations: null, labels: [] } }

  t.strictSame(pathsOf(pod).slice(4), marks)
  t.match(applyStrictly(pod, patchOf(pod)), {
    metadata: { labels: { 'rightslice.dev/slice': 'mig-1g.10gb' } }
  })
})

t.test('[PAT1] nothing is changed on an object without metadata: it could not be told there', async (t) => {
  for (const metadata of [undefined, null, 'text', []]) t.strictSame(patchOf({ ...aPod(), metadata }), [])
})

t.test('[PAT1] a decision about another pod gives operations only where something is', async (t) => {
  const decision = aRewrite({ nodeSelector: { a: 'b' } })

  for (const raw of [
    {},
    null,
    'text',
    [],
    { spec: { containers: 'none' } },
    { spec: { containers: [null] } }
  ]) {
    t.strictSame(
      toJsonPatch(raw, decision).filter(({ path }) => path.includes('resources')),
      []
    )
  }
})

const ownTaint = { key: 'example.com/share', value: 'small', effect: 'NoSchedule' }

t.test('[PAT9] a taint that is to be tolerated is, beside what the pod tolerates', async (t) => {
  const tolerated = { key: 'k', operator: 'Exists' }
  const own = { key: 'example.com/share', operator: 'Equal', value: 'small', effect: 'NoSchedule' }
  const rewrite = aRewrite({ tolerates: [ownTaint] })
  const operationsOn = (pod: unknown): unknown =>
    toJsonPatch(pod, rewrite).filter(({ path }) => path.startsWith('/spec/tolerations'))

  t.strictSame(operationsOn(aPod()), [{ op: 'add', path: '/spec/tolerations', value: [own] }])
  t.strictSame(operationsOn(aPod({ tolerations: [tolerated] })), [
    { op: 'add', path: '/spec/tolerations/-', value: own }
  ])
})

t.test('[PAT9] a taint without a value is tolerated whatever its value', async (t) => {
  const rewrite = aRewrite({ tolerates: [{ ...ownTaint, value: '' }] })

  t.match(toJsonPatch(aPod(), rewrite), [
    ...Array.from({ length: 4 }, () => ({})),
    { value: [{ key: 'example.com/share', operator: 'Exists', effect: 'NoSchedule' }] }
  ])
})

t.test('[PAT10] the scheduler of the share is written where it is another one', async (t) => {
  const rewrite = aRewrite({ schedulerName: 'other' })
  const operationsOn = (pod: unknown): unknown =>
    toJsonPatch(pod, rewrite).filter(({ path }) => path === '/spec/schedulerName')

  t.strictSame(operationsOn(aPod()), [{ op: 'add', path: '/spec/schedulerName', value: 'other' }])
  t.strictSame(operationsOn(aPod({ schedulerName: 'other' })), [])
  t.strictSame(operationsOn({}), [])
})

t.test('[PAT11] a share that keeps the whole GPU adds what it asks for beside it', async (t) => {
  const [change] = aRewrite().changes
  if (change === undefined) throw new Error('a rewrite changes one container')
  const ask = { resources: { 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': 2048 } }

  const patch = toJsonPatch(aPod(), aRewrite({ changes: [{ ...change, ask }] }))

  t.strictSame(patch.slice(0, 2), [
    { op: 'add', path: `${RESOURCES}/limits/nvidia.com~1gpumem`, value: '2048' },
    { op: 'add', path: `${RESOURCES}/requests/nvidia.com~1gpumem`, value: '2048' }
  ])
})
