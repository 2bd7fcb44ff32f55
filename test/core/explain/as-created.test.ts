import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { asCreated, isSameAnswer, readWritten } from '../../../src/core/explain/as-created.ts'
import { fieldAt, type JsonRecord } from '../../../src/core/json.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { anInput } from '../../build/input.ts'
import { aHamiNode, aMigNode, aSharedNode, aSingleNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const shared = { 'rightslice.dev/isolation': 'shared-ok' }

const cases = [
  { name: 'a slice by its own resource', nodes: [aMigNode()] },
  { name: 'a slice by the label of its node', nodes: [aSingleNode()] },
  {
    name: 'a replica that keeps the name of a whole GPU',
    nodes: [aSharedNode({ renamed: false })],
    policy: { timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } },
    labels: shared
  },
  { name: 'a part of a GPU by HAMi', nodes: [aHamiNode()], policy: { methods: ['hami'] }, labels: shared }
]

/** A pod without what the API server fills in, whose own selector and label must stay. */
const pod = aPod({
  annotations: { 'example.com/note': 'kept' },
  labels: { app: 'web' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  spec: { schedulerName: undefined }
})
const { schedulerName: _default, ...spec } = Object(pod['spec'])
const original = { ...pod, spec }

for (const { name, nodes, policy = {}, labels = {} } of cases) {
  t.test(`a pod that was given ${name} is found as it was`, async (t) => {
    const reachable = nodes.map((node) => ({
      ...node,
      metadata: {
        ...Object(node['metadata']),
        labels: { ...Object(fieldAt(node, 'metadata', 'labels')), 'kubernetes.io/os': 'linux' }
      }
    }))
    const usage = aUsage({ peakMiB: 3000 })
    const input = anInput({
      usage,
      pod: original,
      nodes: reachable,
      policies: [aPolicy(policy)],
      namespaceLabels: labels
    })
    const decision = decide(input)
    const methods = decision.kind === 'rewrite' ? decision.methods : []
    const given = Object(applyStrictly(original, toJsonPatch(original, decision), methods))

    const [found] = asCreated({
      ...given,
      spec: { ...given.spec, nodeName: 'node-1' },
      status: { phase: 'Running' }
    })

    t.equal(decision.kind, 'rewrite', decision.sentence)
    t.strictSame(found, original)
    t.match(readWritten(given), { decision: decision.reason, sentence: decision.sentence, share: String })
  })
}

t.test('a pod that was kept loses its node and our marks alone', async (t) => {
  const annotations = { 'rightslice.dev/decision': 'NoHistory', 'rightslice.dev/explain': 'none', own: 'x' }
  const kept = aPod({ annotations, nodeName: 'node-1' })

  const [found] = asCreated(kept)

  t.strictSame(found, aPod({ annotations: { own: 'x' } }))
  t.strictSame(readWritten(kept), { decision: 'NoHistory', sentence: 'none', snapshot: '' })
})

const odd: readonly { readonly name: string; readonly raw: unknown; readonly want: JsonRecord }[] = [
  { name: 'no object', raw: 'text', want: {} },
  { name: 'an object without anything', raw: {}, want: { metadata: {}, spec: {} } },
  {
    name: 'a claim that is no JSON',
    raw: aPod({ annotations: { 'rightslice.dev/original-resources': '{' } }),
    want: aPod({ annotations: {} })
  },
  {
    name: 'a claim that is no object',
    raw: aPod({ annotations: { 'rightslice.dev/original-resources': '7' } }),
    want: aPod({ annotations: {} })
  },
  {
    name: 'a claim about a container that is not there',
    raw: aPod({ annotations: { 'rightslice.dev/original-resources': '{"x":{"nvidia.com/gpu":"1"}}' } }),
    want: aPod({ annotations: {} })
  }
]

for (const { name, raw, want } of odd) {
  t.test(`${name} is taken as it is`, async (t) => {
    t.strictSame(asCreated(raw), [want])
  })
}

t.test('a decision that nobody knows is as good as none', async (t) => {
  t.equal(readWritten(aPod({ annotations: { 'rightslice.dev/decision': 'Whim' } })), undefined)
  t.equal(readWritten(undefined), undefined)
})

t.test(
  "node labels of a share may be the user's own: each may stay or go, unless the template tells",
  async (t) => {
    const sentence = 'on nodes with a=1,b=2 (peak)'
    const nodeSelector = { a: '1', b: '2', c: '3' }
    const given = aPod({
      annotations: {
        'rightslice.dev/decision': 'FitsMigProfile',
        'rightslice.dev/explain': sentence,
        'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
      },
      nodeSelector
    })
    const selectors = (pods: readonly JsonRecord[]): readonly unknown[] =>
      pods.map((pod) => fieldAt(pod, 'spec', 'nodeSelector'))

    t.strictSame(selectors(asCreated(given)), [
      { c: '3' },
      { a: '1', c: '3' },
      { b: '2', c: '3' },
      nodeSelector
    ])
    t.strictSame(selectors(asCreated(given, { a: '1' })), [{ a: '1', c: '3' }])
    t.strictSame(selectors(asCreated(given, {})), [{ c: '3' }])
  }
)

t.test("each of the five node labels that a share adds may be the user's own", async (t) => {
  const nodeSelector = { a: '1', b: '2', c: '3', d: '4', e: '5' }
  const given = aPod({
    annotations: {
      'rightslice.dev/decision': 'FitsMigProfile',
      'rightslice.dev/explain': 'on nodes with a=1,b=2,c=3,d=4,e=5 (peak)',
      'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
    },
    nodeSelector
  })
  const found = asCreated(given).map((pod) => fieldAt(pod, 'spec', 'nodeSelector'))

  t.equal(found.length, 32)
  for (const [key, value] of Object.entries(nodeSelector))
    t.ok(
      found.some((own) => JSON.stringify(own) === JSON.stringify({ [key]: value })),
      key
    )
})

t.test('an answer is the same when reason and share are', async (t) => {
  const rewrite = decide(anInput())
  const kept = decide(anInput({ usage: undefined }))
  const written = { decision: 'FitsMigProfile', sentence: '', snapshot: '', share: 'mig-1g.10gb' } as const

  t.equal(isSameAnswer(written, rewrite), true)
  t.equal(isSameAnswer({ ...written, share: 'mig-2g.20gb' }, rewrite), false)
  t.equal(isSameAnswer(written, kept), false)
  t.equal(isSameAnswer({ decision: 'NoHistory', sentence: '', snapshot: '' }, kept), true)
})

t.test('a claim of ours goes, another stays, and the maps that it left empty are there again', async (t) => {
  const annotations = {
    'rightslice.dev/decision': 'FitsMigProfile',
    'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
  }
  const resourceClaims = [
    { name: 'gpu', resourceClaimTemplateName: 'rightslice-1g-10gb' },
    { name: 'nic', resourceClaimTemplateName: 'fast-nic' }
  ]
  const container = (claims: readonly string[], more: JsonRecord = {}): JsonRecord => ({
    name: 'main',
    resources: { ...more, claims: claims.map((name) => ({ name })) }
  })
  const gpu = { 'nvidia.com/gpu': '1' }

  const found = asCreated({
    metadata: { annotations },
    spec: { resourceClaims, containers: [container(['gpu', 'nic'])] }
  })

  t.strictSame(found, [
    {
      metadata: { annotations: {} },
      spec: {
        containers: [container(['nic'], { limits: gpu, requests: gpu })],
        resourceClaims: [resourceClaims[1]]
      }
    }
  ])
})
