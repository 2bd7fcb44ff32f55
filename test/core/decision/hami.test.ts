import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { warningsOf } from '../../../src/core/decision/tell.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, recordOf } from '../../../src/core/json.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { type HamiVersion, throughHami } from '../../build/hami-webhook.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aHamiNode, aMigNode, aSharedNode } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const WHOLE = 'nvidia.com/gpu'
const MEMORY = 'nvidia.com/gpumem'
const CORES = 'nvidia.com/gpucores'
const busy = aUsage({ peakMiB: 5200, peakComputeRatio: 0.25 })

const naming = aPolicy({ methods: ['hami'] })
const soft: InputSpec = {
  namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
  policies: [naming],
  nodes: [aHamiNode()],
  usage: busy
}

interface Admitted {
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  readonly pod: JsonRecord
}

function admit(pod: unknown, input: InputSpec = {}): Admitted {
  const decision = decide(anInput({ ...soft, ...input, pod }))
  const patch = toJsonPatch(pod, decision)
  const after = applyStrictly(pod, patch, decision.kind === 'rewrite' ? decision.methods : [])
  return { decision, patch, pod: isRecord(after) ? after : {} }
}

function gpuOf(pod: unknown, part: string): JsonRecord {
  const [container] = listOf(fieldOf(pod, 'spec'), 'containers')
  const map = fieldAt(container, 'resources', part)
  return isRecord(map)
    ? Object.fromEntries(Object.entries(map).filter(([name]) => name.startsWith('nvidia.com/')))
    : {}
}

const wanted = { [WHOLE]: '1', [MEMORY]: '6240', [CORES]: '30' }

t.test('[DEC61] a pod gets memory and compute to measure, and the scheduler that knows them', async (t) => {
  const { decision, pod } = admit(aPod())

  t.equal(decision.reason, 'FitsSharedReplica')
  for (const part of ['limits', 'requests']) t.strictSame(gpuOf(pod, part), wanted)
  t.equal(fieldAt(pod, 'spec', 'schedulerName'), 'hami-scheduler')
  t.equal(fieldAt(pod, 'metadata', 'labels', 'rightslice.dev/slice'), 'gpumem')
  t.match(
    decision.sentence,
    'main nvidia.com/gpu 1 -> nvidia.com/gpu 1 + nvidia.com/gpumem 6240 + nvidia.com/gpucores 30 (peak 5.1Gi + 20% = 6.1Gi, holds 6.1Gi); a library'
  )
  t.match(
    warningsOf(decision)[0],
    /container "main" gets nvidia\.com\/gpumem 6240 instead of nvidia\.com\/gpu \(/
  )
})

t.test('[DEC61] compute is left out where it does not count', async (t) => {
  for (const input of [
    { usage: aUsage({ peakMiB: 5200 }) },
    { policies: [aPolicy({ methods: ['hami'], compute: { fit: 'Ignore' } })] }
  ])
    t.strictSame(gpuOf(admit(aPod(), input).pod, 'limits'), { [WHOLE]: '1', [MEMORY]: '6240' })
})

t.test('[DEC49] deciding on our own output changes nothing, also after HAMi has seen it', async (t) => {
  for (const pod of [aPod(), aPod({ containers: [{ requests: undefined }] })]) {
    const first = admit(pod)

    for (const seen of [first.pod, throughHami(first.pod)]) {
      const second = admit(seen)

      t.strictSame(second.patch, [])
      t.equal(second.decision.kind === 'rewrite' && second.decision.repeated, true)
      t.equal(second.decision.sentence, first.decision.sentence)
    }
    t.strictSame(throughHami(first.pod), first.pod, 'HAMi finds nothing to add')
  }
})

const versions: readonly HamiVersion[] = ['before exclusive cores', 'with exclusive cores']
for (const version of versions) {
  t.test(`[DEC62] a pod that HAMi has seen first ends in the same share: ${version}`, async (t) => {
    const seen = throughHami(aPod(), version)

    const first = admit(seen)
    const second = admit(first.pod)

    t.equal(fieldAt(seen, 'spec', 'schedulerName'), 'hami-scheduler')
    for (const part of ['limits', 'requests']) t.strictSame(gpuOf(first.pod, part), wanted)
    t.strictSame(first.pod, admit(aPod()).pod)
    t.strictSame(second.patch, [])
    t.equal(second.decision.kind === 'rewrite' && second.decision.repeated, true)
  })
}

t.test('[DEC62] what HAMi leaves beside no GPU, in so many words, is no request', async (t) => {
  const none = { name: 'second', image: 'registry.example/app:1', resources: { limits: { [WHOLE]: '0' } } }
  const pod = aPod()
  const spec = { ...recordOf(pod, 'spec'), containers: [...listOf(fieldOf(pod, 'spec'), 'containers'), none] }
  const first = admit({ ...pod, spec })
  const between = throughHami(first.pod)
  const [, second] = listOf(fieldOf(between, 'spec'), 'containers')

  t.equal(first.decision.reason, 'FitsSharedReplica')
  t.strictSame(fieldAt(second, 'resources', 'limits'), { [WHOLE]: '0', [CORES]: '100' })
  t.strictSame(admit(between).patch, [])
})

t.test('[DEC62] what HAMi has left goes where compute does not count', async (t) => {
  const { pod, patch } = admit(throughHami(aPod()), { usage: aUsage({ peakMiB: 5200 }) })

  for (const part of ['limits', 'requests'])
    t.strictSame(gpuOf(pod, part), { [WHOLE]: '1', [MEMORY]: '6240' })
  t.equal(patch.filter(({ op, path }) => op === 'remove' && path.endsWith('gpucores')).length, 2)
  t.strictSame(admit(pod, { usage: aUsage({ peakMiB: 5200 }) }).patch, [])
})

t.test(
  '[DEC62] a pod of HAMi’s scheduler gets no share that others place, and is told its own reason',
  async (t) => {
    const seen = throughHami(aPod())
    const both = aPolicy({ methods: ['mig-mixed', 'hami'] })

    const beside = admit(seen, { policies: [both], nodes: [aMigNode({ name: 'mig' }), aHamiNode()] })
    const alone = admit(seen, { policies: [both], nodes: [aMigNode()] })
    const unknown = admit(seen, { usage: undefined })

    t.equal(beside.decision.kind === 'rewrite' && beside.decision.changes[0]?.share, 'gpumem')
    t.strictSame(
      admit(beside.pod, { policies: [both], nodes: [aMigNode({ name: 'mig' }), aHamiNode()] }).patch,
      []
    )
    t.match(alone.decision, {
      reason: 'ManagedByOtherScheduler',
      sentence: 'schedulerName is hami-scheduler'
    })
    t.equal(unknown.decision.reason, 'NoHistory')
    t.strictSame(gpuOf(unknown.pod, 'limits'), { [WHOLE]: '1', [CORES]: '100' })
  }
)

t.test('[DEC62] where no policy names HAMi its pods stay its own', async (t) => {
  const input = { policies: [aPolicy()] }

  t.equal(admit(throughHami(aPod()), input).decision.reason, 'ForeignGpuResource')
  t.equal(
    admit(throughHami(aPod(), 'before exclusive cores'), input).decision.reason,
    'ManagedByOtherScheduler'
  )
  t.equal(admit(aPod(), input).decision.reason, 'HamiNotAllowed')
})

const theirs: readonly { name: string; limits: JsonRecord; schedulerName?: string }[] = [
  { name: 'memory', limits: { [WHOLE]: '1', [MEMORY]: '3000' } },
  { name: 'the memory that would be chosen', limits: { [WHOLE]: '1', [MEMORY]: '6240', [CORES]: '30' } },
  { name: 'memory alone', limits: { [MEMORY]: '3000' } },
  { name: 'memory in percent', limits: { [WHOLE]: '1', 'nvidia.com/gpumem-percentage': '50' } },
  { name: 'a part of the compute', limits: { [WHOLE]: '1', [CORES]: '50' } },
  {
    name: 'all of the compute, by another scheduler',
    limits: { [WHOLE]: '1', [CORES]: '100' },
    schedulerName: 'x'
  },
  { name: 'all of the compute twice', limits: { [WHOLE]: '2', [CORES]: '100' } },
  {
    name: 'all of the compute and a priority',
    limits: { [WHOLE]: '1', [CORES]: '100', 'nvidia.com/priority': '1' }
  }
]
for (const { name, limits, schedulerName = 'hami-scheduler' } of theirs) {
  t.test(`[DEC8] a pod that asks for a part of a GPU by itself is its user's own: ${name}`, async (t) => {
    const pod = aPod({ containers: [{ limits }], schedulerName })

    const admitted = admit(pod)

    t.equal(admitted.decision.reason, 'ForeignGpuResource')
    t.strictSame(admitted.pod, pod)
  })
}

t.test(
  '[DEC49] forged marks do not make a share of HAMi ours, nor does an honest one with other numbers',
  async (t) => {
    const first = admit(aPod())
    const [container] = listOf(fieldOf(first.pod, 'spec'), 'containers')
    const greedy = { [WHOLE]: '1', [MEMORY]: '20000', [CORES]: '30' }
    const resources = { limits: greedy, requests: greedy }
    const forged = {
      ...first.pod,
      spec: { ...Object(first.pod['spec']), containers: [{ ...Object(container), resources }] }
    }

    const { decision, pod } = admit(forged)

    t.equal(decision.reason, 'ForeignGpuResource')
    t.strictSame(gpuOf(pod, 'limits'), greedy)
    t.equal(fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision'), undefined)
  }
)

const kept: readonly {
  name: string
  pod?: PodSpec
  input?: InputSpec
  want: string
  says?: string | RegExp
}[] = [
  {
    name: 'two GPU containers',
    pod: { containers: [{ name: 'main' }, { name: 'other' }] },
    want: 'SeveralGpuContainers'
  },
  { name: 'an init container with a GPU', pod: { initContainers: [{}] }, want: 'SeveralGpuContainers' },
  {
    name: 'a GPU in a sidecar alone',
    pod: { containers: [{ limits: {} }], initContainers: [{ restartPolicy: 'Always' }] },
    want: 'SeveralGpuContainers'
  },
  {
    name: 'another scheduler that we may serve',
    pod: { schedulerName: 'batch' },
    input: { settings: { schedulers: ['default-scheduler', 'batch'] } },
    want: 'ManagedByOtherScheduler',
    says: 'schedulerName is batch'
  },
  { name: 'a namespace of hardware isolation', input: { namespaceLabels: {} }, want: 'HamiNotAllowed' },
  { name: 'a need above every GPU', input: { usage: aUsage({ peakMiB: 20_000 }) }, want: 'PeakTooLarge' },
  {
    name: 'a program that needs the whole compute',
    input: { usage: aUsage({ peakMiB: 5200, peakComputeRatio: 0.9 }) },
    want: 'ComputeTooHigh'
  },
  { name: 'sharing: mig', pod: { annotations: { 'rightslice.dev/sharing': 'mig' } }, want: 'OptedOut' },
  { name: 'hostIPC', pod: { spec: { hostIPC: true } }, want: 'BreaksIsolation' },
  {
    name: 'a switch for HAMi’s library',
    pod: { containers: [{ env: { CUDA_DISABLE_CONTROL: 'true' } }] },
    want: 'BreaksIsolation'
  },
  {
    name: 'another mark of HAMi',
    pod: { labels: { 'hami.io/webhook': 'ignore' } },
    want: 'ManagedByOtherScheduler'
  }
]
const usage = aUsage({ peakMiB: 5200 }, { container: 'other' }, { container: 'init-0' })
for (const { name, pod, input, want, says = /./ } of kept) {
  t.test(`[DEC61] keeps the whole GPU: ${name}`, async (t) => {
    const { decision } = admit(aPod(pod), { usage, ...input })

    t.equal(decision.kind, 'keep')
    t.equal(decision.reason, want)
    t.match(decision.sentence, says)
  })
}

t.test('[DEC10] what HAMi notes of a pod that it has placed does not make it foreign', async (t) => {
  const first = admit(aPod())
  const notes = Object.fromEntries(
    [
      'bind-phase',
      'bind-time',
      'vgpu-node',
      'vgpu-time',
      'vgpu-devices-to-allocate',
      'vgpu-devices-allocated'
    ].map((name) => [`hami.io/${name}`, 'x'])
  )
  const annotations = { ...Object(fieldAt(first.pod, 'metadata', 'annotations')), ...notes }
  const placed = { ...first.pod, metadata: { ...Object(first.pod['metadata']), annotations } }

  t.strictSame(admit(placed).patch, [])
  t.equal(admit(placed).decision.reason, 'FitsSharedReplica')
})

const pinned = { 'rightslice.dev/pin': 'gpumem', 'rightslice.dev/min-memory': '9Gi' }
const obeying = aPolicy({ methods: ['hami'], exemptions: { allowPin: true } })

t.test(
  '[DEC22] a pin to a part of a GPU gives the memory that the pod names, without any history',
  async (t) => {
    const input = { policies: [obeying], usage: undefined }
    const first = admit(aPod({ annotations: pinned }), input)

    t.equal(first.decision.reason, 'PinnedToSlice')
    t.strictSame(gpuOf(first.pod, 'limits'), { [WHOLE]: '1', [MEMORY]: '9216' })
    t.strictSame(admit(first.pod, input).patch, [])
  }
)

t.test('[DEC22] a pin to more than a GPU has, or where HAMi is not, keeps the GPU', async (t) => {
  const large = { ...pinned, 'rightslice.dev/min-memory': '40Gi' }
  const input = { policies: [obeying], usage: undefined }

  t.match(admit(aPod({ annotations: large }), input).decision, {
    reason: 'MinMemoryTooLarge',
    sentence: 'no GPU of HAMi that the pod can reach has 40Gi for one container'
  })
  t.match(admit(aPod({ annotations: pinned }), { ...input, nodes: [aSharedNode()] }).decision, {
    reason: 'PinNotOffered',
    sentence: /a part of a GPU by HAMi/
  })
})

t.test('[DEC35] the order of the policy decides between slices and parts of a GPU', async (t) => {
  const nodes = [aMigNode({ name: 'mig' }), aHamiNode({ name: 'hami' })]
  for (const [methods, want] of [
    [['hami', 'mig-mixed'], 'gpumem'],
    [['mig-mixed', 'hami'], 'mig-1g.10gb']
  ] as const) {
    const { decision } = admit(aPod(), { policies: [aPolicy({ methods })], nodes, usage: aUsage() })

    t.equal(decision.kind === 'rewrite' && decision.changes[0]?.share, want)
  }
})
