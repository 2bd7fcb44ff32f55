import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { claimedOriginals } from '../../../src/core/decision/own-output.ts'
import { warningsOf } from '../../../src/core/decision/tell.ts'
import { fieldAt, isRecord, type JsonRecord } from '../../../src/core/json.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aGkeNode, aMigNode, anMpsNode, aSharedNode, aSingleNode } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const WHOLE = 'nvidia.com/gpu'
const SLICE = 'nvidia.com/mig-1g.10gb'
const gkeTaint = { key: 'cloud.google.com/gke-gpu-partition-size', value: '', effect: 'NoSchedule' }
const namedTaint = { key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' }
const sharing: InputSpec = {
  namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
  policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 8 } })],
  usage: aUsage({ peakMiB: 3000 })
}

const underMps: InputSpec = {
  ...sharing,
  policies: [aPolicy({ mps: { namespaces: ['team-a'], maxReplicas: 8 } })]
}

interface Admitted {
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  readonly pod: unknown
}

function admit(pod: unknown, input: InputSpec = {}): Admitted {
  const decision = decide(anInput({ ...input, pod }))
  const patch = toJsonPatch(pod, decision)
  return { decision, patch, pod: applyStrictly(pod, patch) }
}

/** The pod with entries of an object at a path added, replaced, or (undefined) removed. */
function changed(pod: unknown, path: readonly string[], entries: JsonRecord): unknown {
  const [step, ...rest] = path
  if (step === undefined) {
    return JSON.parse(JSON.stringify(isRecord(pod) ? { ...pod, ...entries } : entries))
  }
  if (Array.isArray(pod))
    return pod.map((item, index) => (String(index) === step ? changed(item, rest, entries) : item))
  const record = isRecord(pod) ? pod : {}
  return { ...record, [step]: changed(record[step], rest, entries) }
}

function annotationOf(pod: unknown, key: string): unknown {
  return fieldAt(pod, 'metadata', 'annotations', `rightslice.dev/${key}`)
}

const outputs: readonly { name: string; pod?: PodSpec; input?: InputSpec }[] = [
  { name: 'a slice', input: {} },
  { name: 'limits alone', pod: { containers: [{ requests: undefined }] } },
  { name: 'numbers', pod: { containers: [{ limits: { [WHOLE]: 1, cpu: 2 } }] } },
  {
    name: 'a slice for init and main',
    pod: { initContainers: [{}] },
    input: { usage: aUsage({}, { container: 'init-0' }) }
  },
  { name: 'a pinned slice', pod: { annotations: { 'rightslice.dev/pin': 'mig-1g.10gb' } } },
  { name: 'a renamed replica', input: { ...sharing, nodes: [aSharedNode()] } },
  { name: 'a replica of the same name', input: { ...sharing, nodes: [aSharedNode({ renamed: false })] } },
  {
    name: 'a replica of the same name beside a selector of the user',
    pod: { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-L4-SHARED' } },
    input: {
      ...sharing,
      nodes: [
        aSharedNode({ name: 'a', renamed: false }),
        aSharedNode({ name: 'b', renamed: false, product: 'Tesla-T4', memoryMiB: 15_360 })
      ]
    }
  },
  {
    name: 'a replica of one product of two',
    input: {
      ...sharing,
      usage: aUsage({ peakMiB: 4500 }),
      nodes: [aSharedNode({ name: 'a' }), aSharedNode({ name: 'b', product: 'Tesla-T4', memoryMiB: 15_360 })]
    }
  },
  {
    name: 'a replica of one product, where a slice of it would do',
    input: {
      ...sharing,
      usage: aUsage({ peakMiB: 8200 }),
      nodes: [
        aMigNode({ name: 'a', profiles: { '1g.10gb': { count: 1, memoryMiB: 9000 } } }),
        aSharedNode({
          name: 'b',
          memoryMiB: 40_960,
          labels: { 'nvidia.com/mig-1g.10gb.count': '1', 'nvidia.com/mig-1g.10gb.memory': '9984' },
          allocatable: { [SLICE]: '1' }
        }),
        aSharedNode({ name: 'c', product: 'Tesla-T4', memoryMiB: 15_360 })
      ]
    }
  },
  {
    name: 'a slice beside a container of the same name that asks for nothing',
    pod: { initContainers: [{ name: 'main', limits: { cpu: '1' } }] }
  },
  {
    name: 'a slice beside a container of the same name that asks for none',
    pod: { initContainers: [{ name: 'main', limits: { [WHOLE]: '0' } }] }
  },
  { name: 'a replica of MPS', input: { ...underMps, nodes: [anMpsNode()] } },
  {
    name: 'a replica of MPS of the same name',
    input: { ...underMps, nodes: [anMpsNode({ renamed: false })] }
  },
  {
    name: 'a replica of MPS beside time-slicing',
    input: { ...underMps, nodes: [aSharedNode({ name: 'a' }), anMpsNode({ name: 'b' })] }
  },
  { name: 'a slice of the single strategy', input: { nodes: [aSingleNode()] } },
  {
    name: 'slices of the single strategy, told apart from replicas of them by their labels',
    input: {
      nodes: [
        aSingleNode({ name: 'a' }),
        aSingleNode({ name: 'b', labels: { 'nvidia.com/gpu.replicas': '2' }, allocatable: { [WHOLE]: '14' } })
      ]
    }
  },
  {
    name: 'a slice of GKE behind taints of its own, beside nodes with the same taint',
    input: {
      nodes: [
        aGkeNode({ name: 'a', partitionSize: '2g.10gb', count: 3, taints: [gkeTaint] }),
        aMigNode({ name: 'b', taints: [gkeTaint] })
      ]
    }
  },
  {
    name: 'a time-shared slice of GKE, told apart by its pool, for a pod that selects the accelerator',
    pod: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-a100-80gb' } },
    input: {
      ...sharing,
      nodes: ['pool-1', 'pool-2'].map((pool, index) =>
        aGkeNode({
          name: pool,
          accelerator: 'nvidia-a100-80gb',
          partitionSize: '3g.40gb',
          sharing: { strategy: 'time-sharing', clients: 2 },
          count: 4,
          labels: {
            'cloud.google.com/gke-nodepool': pool,
            ...(index === 0 ? {} : { 'nvidia.com/mig.config.state': 'pending' })
          }
        })
      )
    }
  },
  {
    name: 'a slice behind a taint that its policy names, before nodes that another policy governs',
    input: {
      nodes: [
        aMigNode({ name: 'a', taints: [namedTaint], labels: { pool: 'behind' } }),
        aMigNode({ name: 'b', taints: [namedTaint], labels: { pool: 'aside' } })
      ],
      policies: [
        aPolicy({ name: 'aside', priority: 10, nodeSelector: { pool: 'aside' } }),
        aPolicy({
          name: 'behind',
          nodeSelector: { pool: 'behind' },
          admission: { toleratedTaints: [namedTaint.key] }
        })
      ]
    }
  },
  { name: 'a pod that is kept', input: { usage: undefined } },
  {
    name: 'a pod of a namespace that warns',
    input: { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } }
  }
]

for (const { name, pod, input } of outputs) {
  t.test(`[DEC49] deciding on our own output changes nothing: ${name}`, async (t) => {
    const first = admit(aPod(pod), input)

    const second = admit(first.pod, input)

    t.strictSame(second.patch, [])
    t.strictSame(second.pod, first.pod)
    t.equal(second.decision.kind, first.decision.kind)
    t.equal(second.decision.reason, first.decision.reason)
    t.equal(second.decision.sentence, first.decision.sentence)
    if (second.decision.kind === 'rewrite') {
      t.equal(second.decision.repeated, true)
      t.strictSame(warningsOf(second.decision), [])
    }
  })
}

t.test('[DEC49] different shares of one pod stay while others wait for the end of their trial', async (t) => {
  const given = {
    policies: [aPolicy({ canary: { pods: 1, healthyFor: '2h' } })],
    usage: aUsage({}, { container: 'large', peakMiB: 15_000 }),
    nodes: [
      aMigNode({
        profiles: {
          '1g.10gb': { count: 2, memoryMiB: 9728 },
          '2g.20gb': { count: 1, memoryMiB: 19_968 }
        }
      })
    ]
  }
  const raw = aPod({ containers: [{}, { name: 'large' }] })
  const first = admit(raw, given)
  const tried = { siblings: [{ share: 'several', snapshot: first.decision.evidence.snapshot, pods: 1 }] }

  const again = decide({ ...anInput({ ...given, pod: first.pod }), ...tried })
  const other = decide({ ...anInput({ ...given, pod: raw }), ...tried })

  t.equal(fieldAt(first.pod, 'metadata', 'labels', 'rightslice.dev/slice'), 'several')
  t.match(again, { kind: 'rewrite', repeated: true })
  t.strictSame(toJsonPatch(first.pod, again), [])
  t.equal(other.reason, 'CanaryPending')
})

t.test(
  '[DEC50] a whole GPU that came back beside the share is removed again, and nothing else',
  async (t) => {
    const first = admit(aPod())
    const resources = ['spec', 'containers', '0', 'resources']
    const both = ['limits', 'requests'].reduce(
      (pod, part) => changed(pod, [...resources, part], { [WHOLE]: '1' }),
      first.pod
    )

    const second = admit(both)

    t.strictSame(
      second.patch,
      ['limits', 'requests'].map((part) => ({
        op: 'remove',
        path: `/spec/containers/0/resources/${part}/nvidia.com~1gpu`
      }))
    )
    t.strictSame(second.pod, first.pod)
    t.equal(second.decision.kind === 'rewrite' && second.decision.repeated, false)
  }
)

t.test('[DEC49] marks that others wrote beside our share are overwritten', async (t) => {
  const first = admit(aPod())
  const forged = changed(
    changed(first.pod, ['metadata', 'annotations'], {
      'rightslice.dev/explain': 'you owe me a GPU',
      'rightslice.dev/snapshot': 'forged'
    }),
    ['metadata', 'labels'],
    { 'rightslice.dev/slice': 'mig-7g.80gb' }
  )

  t.strictSame(admit(forged).pod, first.pod)
})

t.test('[DEC49] marks that somebody took away beside our share are written again', async (t) => {
  const first = admit(aPod())
  const stripped = changed(first.pod, ['metadata'], { labels: undefined })

  t.strictSame(admit(stripped).pod, first.pod)
})

t.test('[DEC49] forged marks on a pod with a whole GPU are overwritten', async (t) => {
  const honest = admit(aPod())
  const forged = aPod({
    annotations: {
      'rightslice.dev/decision': 'Pinned',
      'rightslice.dev/explain': 'nonsense',
      'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}',
      'rightslice.dev/snapshot': 'nonsense'
    },
    labels: { 'rightslice.dev/slice': 'nonsense' }
  })

  const { decision, pod } = admit(forged)

  t.equal(decision.reason, 'FitsMigProfile')
  t.strictSame(fieldAt(pod, 'metadata', 'annotations'), fieldAt(honest.pod, 'metadata', 'annotations'))
  t.strictSame(fieldAt(pod, 'metadata', 'labels'), { 'rightslice.dev/slice': 'mig-1g.10gb' })
})

t.test('[DEC49] forged marks do not make a replica of the same name ours', async (t) => {
  const input = { ...sharing, nodes: [aSharedNode({ renamed: false })] }
  const { decision, pod } = admit(
    aPod({
      annotations: {
        'rightslice.dev/decision': 'FitsSharedReplica',
        'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
      }
    }),
    input
  )

  t.equal(decision.kind === 'rewrite' && decision.repeated, false)
  t.match(annotationOf(pod, 'explain'), 'main nvidia.com/gpu 1 -> nvidia.com/gpu (shared) 1')
  t.strictSame(fieldAt(pod, 'spec', 'nodeSelector'), { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' })
})

const theirs: readonly { name: string; limits: JsonRecord; claim: string }[] = [
  {
    name: 'a share that would not be chosen',
    limits: { 'nvidia.com/mig-2g.20gb': '1' },
    claim: '{"main":{"nvidia.com/gpu":"1"}}'
  },
  { name: 'two of the share', limits: { [SLICE]: '2' }, claim: '{"main":{"nvidia.com/gpu":"1"}}' },
  {
    name: 'another share beside it',
    limits: { [SLICE]: '1', 'nvidia.com/mig-2g.20gb': '1' },
    claim: '{"main":{"nvidia.com/gpu":"1"}}'
  },
  { name: 'a claim of two GPUs', limits: { [SLICE]: '1' }, claim: '{"main":{"nvidia.com/gpu":"2"}}' },
  { name: 'a claim of nothing', limits: { [SLICE]: '1' }, claim: '{"main":{}}' },
  {
    name: 'a claim for another container',
    limits: { [SLICE]: '1' },
    claim: '{"other":{"nvidia.com/gpu":"1"}}'
  },
  { name: 'a claim that is no object', limits: { [SLICE]: '1' }, claim: '[1]' },
  { name: 'a claim with no object inside', limits: { [SLICE]: '1' }, claim: '{"main":"1"}' },
  { name: 'a claim that is no JSON', limits: { [SLICE]: '1' }, claim: '{' },
  { name: 'an empty claim', limits: { [SLICE]: '1' }, claim: '' }
]

for (const { name, limits, claim } of theirs) {
  t.test(
    `[DEC49] already rewritten (Velero): a restored pod is its user's own, and our marks go: ${name}`,
    async (t) => {
      const pod = aPod({
        containers: [{ limits }],
        annotations: {
          'example.com/kept': 'yes',
          'rightslice.dev/decision': 'FitsMigProfile',
          'rightslice.dev/explain': 'of another cluster',
          'rightslice.dev/original-resources': claim,
          'rightslice.dev/snapshot': 'old'
        },
        labels: { app: 'x', 'rightslice.dev/slice': 'mig-1g.10gb' }
      })

      const admitted = admit(pod)

      t.equal(admitted.decision.reason, 'AlreadyASlice')
      t.strictSame(fieldAt(admitted.pod, 'metadata', 'annotations'), { 'example.com/kept': 'yes' })
      t.strictSame(fieldAt(admitted.pod, 'metadata', 'labels'), { app: 'x' })
      t.strictSame(fieldAt(admitted.pod, 'spec'), fieldAt(pod, 'spec'))
    }
  )
}

t.test('[DEC49] our output is the user’s own once its share would not be chosen any more', async (t) => {
  const first = admit(aPod())

  const later = admit(first.pod, { usage: aUsage({ peakMiB: 40_000 }) })

  t.equal(later.decision.reason, 'AlreadyASlice')
  t.equal(annotationOf(later.pod, 'decision'), undefined)
  t.strictSame(fieldAt(later.pod, 'spec'), fieldAt(first.pod, 'spec'))
})

t.test('[DEC49] a newer history behind the same share refreshes what the marks say', async (t) => {
  const first = admit(aPod())

  const later = admit(first.pod, { usage: aUsage({ peakMiB: 5300 }) })

  t.equal(later.decision.reason, 'FitsMigProfile')
  t.match(annotationOf(later.pod, 'explain'), 'peak 5.2Gi')
  t.strictSame(fieldAt(later.pod, 'spec'), fieldAt(first.pod, 'spec'))
})

t.test('[DEC49] a container called as an inherited field is not mistaken for a claim', async (t) => {
  const pod = aPod({
    containers: [{ name: '__proto__' }],
    annotations: { 'rightslice.dev/original-resources': '{}' }
  })

  const [original] = claimedOriginals(readPod(pod, 'team-a'))

  t.strictSame(original?.containers[0]?.limits, { [WHOLE]: '1' })
})

t.test(
  'what was asked before is restored in place of every GPU resource, other resources stay',
  async (t) => {
    const pod = aPod({
      containers: [
        { limits: { cpu: '1', [SLICE]: '1', [WHOLE]: '1' }, requests: { cpu: '1' } },
        { name: 'bare', limits: { cpu: '1' } }
      ],
      spec: { initContainers: [{ name: 'nothing' }] },
      annotations: {
        'rightslice.dev/original-resources':
          '{"main":{"nvidia.com/gpu":"1"},"nothing":{"nvidia.com/gpu":"1"}}'
      }
    })

    const originals = claimedOriginals(readPod(pod, 'team-a'))

    t.equal(originals.length, 1)
    t.strictSame(
      originals[0]?.containers.map(({ limits, requests }) => [limits, requests]),
      [
        [undefined, undefined],
        [{ cpu: '1', [WHOLE]: '1' }, { cpu: '1' }],
        [{ cpu: '1' }, { cpu: '1' }]
      ]
    )
  }
)
