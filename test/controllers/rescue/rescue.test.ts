import t from 'tap'
import { Rescue } from '../../../src/controllers/rescue/rescue.ts'
import { fieldAt, type JsonRecord } from '../../../src/core/json.ts'
import type { EvictedPod, EvictionOutcome } from '../../../src/ports/pod-evictor.ts'
import { aHamiNode, aNode, aWholeNode } from '../../build/node.ts'
import type { PodSpec } from '../../build/pod.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { type QuotaSpec, someLimits } from '../../build/quota.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
import { type aLivePod, NOON_MS, Rig } from '../rig.ts'

const never = new AbortController().signal
const slice = 'nvidia.com/mig-1g.10gb'
const object = { kind: 'GpuWorkload', namespace: 'team-a', name: 'deployment-app' } as const

/** A pod of Deployment `app` that we gave a slice and that has waited for it. */
function waiting(
  spec: PodSpec & { readonly waitedMs?: number; readonly message?: string; readonly decision?: string } = {}
): Parameters<typeof aLivePod>[0] {
  const {
    waitedMs = 301_000,
    message = `0/2 nodes are available: 2 Insufficient ${slice}.`,
    decision,
    ...pod
  } = spec
  return {
    nodeName: '',
    labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
    annotations: {
      'rightslice.dev/decision': decision ?? 'FitsMigProfile',
      'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
    },
    containers: [{ limits: { [slice]: '1' }, requests: { [slice]: '1' } }],
    ...pod,
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message,
          lastTransitionTime: new Date(NOON_MS - waitedMs).toISOString()
        }
      ]
    }
  }
}

function aRescue({ wholeGpus = 8 } = {}) {
  const rig = new Rig()
  const sink = new MemoryEvents()
  const evicted: EvictedPod[] = []
  const answers: { outcome: EvictionOutcome; jobTriesLeft: number } = { outcome: 'evicted', jobTriesLeft: 1 }
  if (wholeGpus > 0) rig.addNode(aWholeNode({ name: 'whole', gpus: wholeGpus }))
  rig.writer.put(object, {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuWorkload',
    metadata: { namespace: 'team-a', name: object.name },
    spec: { workloadRef: { kind: 'Deployment', name: 'app' } }
  })
  const make = (): Rescue =>
    new Rescue({
      stores: rig.stores,
      writer: rig.writer,
      evictor: {
        evict: (pod) => {
          if (answers.outcome === 'evicted') evicted.push(pod)
          return Promise.resolve(answers.outcome)
        },
        jobTriesLeft: () => Promise.resolve(answers.jobTriesLeft)
      },
      sink,
      clock: rig.clock,
      log: rig.log,
      metrics: rig.metrics
    })
  const fallback = (): unknown => fieldAt(rig.writer.read(object), 'status', 'fallback')
  return { rig, sink, evicted, answers, rescue: make(), make, fallback }
}

t.test('a pod that waits too long: its workload falls back first, then the pod goes', async (t) => {
  const { rig, sink, evicted, rescue, fallback } = aRescue()
  rig.addPod(waiting())

  await rescue.look(never)
  t.match(fallback(), {
    share: 'mig-1g.10gb',
    since: '2026-11-20T12:00:00Z',
    until: '2026-11-20T13:00:00Z',
    times: 1
  })
  t.strictSame(evicted, [], 'the webhooks do not know yet')
  rig.clock.advance(10_000)
  await rescue.look(never)

  t.match(evicted, [{ namespace: 'team-a', uid: String }])
  t.match(sink.told, [
    {
      reason: 'FellBackToWholeGpu',
      subject: { kind: 'Pod' },
      message: /waited 5m1s for mig-1g\.10gb: whole GPUs until 2026-11-20 13:00 UTC/
    },
    { reason: 'FellBackToWholeGpu', subject: { kind: 'ReplicaSet' } }
  ])
  t.match(rig.metrics.counts, { 'rescued announced': 1, 'rescued evicted': 1 })
})

t.test('a controller that is new goes on where the one before stopped', async (t) => {
  const { rig, sink, evicted, rescue, make } = aRescue()
  rig.addPod(waiting())
  await rescue.look(never)
  rig.clock.advance(10_000)

  await make().look(never)

  t.equal(evicted.length, 1)
  t.equal(sink.told.length, 2, 'the cluster knows the Events already')
})

const left: readonly { name: string; pod: Parameters<typeof waiting>[0]; outcome?: string }[] = [
  { name: 'has not waited for long', pod: { waitedMs: 280_000 } },
  { name: 'waits for something else', pod: { message: '0/2 nodes are available: 2 Insufficient cpu.' } },
  { name: 'was not changed by us', pod: { decision: 'NoFreeSlice' } },
  { name: 'is pinned to its share by its user', pod: { decision: 'PinnedToSlice' }, outcome: 'pinned' },
  { name: 'is on a node', pod: { nodeName: 'node-1' } }
]
for (const { name, pod, outcome } of left) {
  t.test(`a pod that ${name} is left alone`, async (t) => {
    const { rig, evicted, rescue, fallback } = aRescue()
    rig.addPod(waiting(pod))

    await rescue.look(never)
    rig.clock.advance(10_000)
    await rescue.look(never)

    t.strictSame([evicted.length, fallback()], [0, undefined])
    if (outcome !== undefined) t.ok(rig.metrics.counts[`rescued ${outcome}`])
  })
}

t.test('nothing is given up where no whole GPU is free', async (t) => {
  for (const wholeGpus of [0, 1]) {
    const { rig, evicted, rescue, fallback } = aRescue({ wholeGpus })
    rig.addPod({ name: 'taker', nodeName: 'whole' })
    rig.addPod(waiting())

    await rescue.look(never)

    t.strictSame([evicted.length, fallback()], [0, undefined])
    t.equal(rig.metrics.counts['rescued no-whole-gpu'], 1)
  }
})

const notWhole: readonly { name: string; node: JsonRecord }[] = [
  {
    name: 'GKE cuts its GPUs, and says so by its own labels alone',
    node: aNode({
      name: 'gke',
      labels: { 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' },
      allocatable: { 'nvidia.com/gpu': '7' }
    })
  },
  {
    name: 'HAMi lists each GPU ten times, and its one GPU is taken',
    node: aHamiNode({ gpus: 1, name: 'hami' })
  }
]
for (const { name, node } of notWhole) {
  t.test(`a node is not one with whole GPUs free where ${name}`, async (t) => {
    const { rig, rescue, fallback } = aRescue({ wholeGpus: 0 })
    rig.addNode(node)
    rig.addPod({ name: 'taker', nodeName: 'hami' })
    rig.addPod(waiting())

    await rescue.look(never)

    t.strictSame([fallback(), rig.metrics.counts['rescued no-whole-gpu']], [undefined, 1])
  })
}

t.test('a GPU of HAMi that nobody has a part of is a whole one', async (t) => {
  const { rig, rescue, fallback } = aRescue({ wholeGpus: 0 })
  rig.addNode(aHamiNode({ gpus: 2, name: 'hami' }))
  rig.addPod({ name: 'taker', nodeName: 'hami' })
  rig.addPod(waiting())

  await rescue.look(never)

  t.match(fallback(), { times: 1 })
})

t.test('a whole GPU that another pod waits for already is not free', async (t) => {
  const { rig, rescue, fallback } = aRescue({ wholeGpus: 1 })
  rig.addPod({ name: 'first', nodeName: '', status: { phase: 'Pending' } })
  rig.addPod(waiting())

  await rescue.look(never)

  t.strictSame([fallback(), rig.metrics.counts['rescued no-whole-gpu']], [undefined, 1])
})

const quotas: readonly { name: string; counts: QuotaSpec['counts']; evicted: number }[] = [
  { name: 'leaves none', counts: { 'requests.nvidia.com/gpu': ['2', '2'] }, evicted: 0 },
  { name: 'was lowered below what is used', counts: { 'requests.nvidia.com/gpu': ['0', '2'] }, evicted: 0 },
  { name: 'leaves one', counts: { 'requests.nvidia.com/gpu': ['3', '2'] }, evicted: 1 },
  { name: 'limits slices alone', counts: { [`requests.${slice}`]: ['1', '1'] }, evicted: 2 }
]
for (const { name, counts = {}, evicted: want } of quotas) {
  t.test(`of two pods that wait ${want} can come again with whole GPUs where a quota ${name}`, async (t) => {
    const { rig, evicted, rescue } = aRescue()
    const [quota] = someLimits({ quotas: [{ counts }] }).quotas
    if (quota !== undefined) rig.stores.quotas.set('team-a', quota.name, quota)
    for (const name of ['app-6c9d7f8b5d-1', 'app-6c9d7f8b5d-2']) rig.addPod(waiting({ name }))

    await rescue.look(never)
    rig.clock.advance(10_000)
    await rescue.look(never)

    t.equal(evicted.length, want)
  })
}

t.test('a bare pod is told of and stays, and so does that of a Job without tries left', async (t) => {
  const job = { kind: 'Job', name: 'train', apiVersion: 'batch/v1', uid: 'job-1' }
  for (const owner of [undefined, job]) {
    const { rig, sink, evicted, answers, rescue } = aRescue()
    answers.jobTriesLeft = 0
    const workload = owner === undefined ? { kind: 'Pod', name: 'solo' } : { kind: 'Job', name: 'train' }
    rig.writer.put(object, { ...rig.writer.read(object), spec: { workloadRef: workload } })
    const bare = waiting({ name: 'solo' })
    rig.addPod({ ...bare, labels: { 'rightslice.dev/slice': 'mig-1g.10gb' }, owner } as never)

    await rescue.look(never)
    rig.clock.advance(10_000)
    await rescue.look(never)

    t.strictSame(evicted, [])
    t.equal(rig.metrics.counts['rescued not-made-anew'], 1)
    t.match(sink.told[0], { reason: 'FellBackToWholeGpu', subject: { kind: 'Pod', name: 'solo' } })
  }
})

t.test('no more than a few go at a time, those that waited longest first', async (t) => {
  const { rig, evicted, rescue } = aRescue()
  for (let number = 0; number < 5; number += 1)
    rig.addPod(waiting({ name: `app-6c9d7f8b5d-${number}`, waitedMs: 301_000 + number }))

  await rescue.look(never)
  rig.clock.advance(10_000)
  await rescue.look(never)

  t.strictSame(
    evicted.map(({ name }) => name),
    ['app-6c9d7f8b5d-4', 'app-6c9d7f8b5d-3', 'app-6c9d7f8b5d-2']
  )
})

t.test('a workload falls back once, and each of its pods has an Event when it goes', async (t) => {
  const { rig, sink, evicted, rescue } = aRescue({ wholeGpus: 100 })
  const names = Array.from({ length: 60 }, (_, index) => `app-6c9d7f8b5d-${index}`)
  for (const name of names) rig.addPod(waiting({ name }))

  while (await rescue.look(never)) {
    for (const { namespace, name } of evicted) rig.stores.pods.remove(namespace, name)
    rig.clock.advance(3_000)
  }

  const pods = sink.told.filter(({ subject }) => subject.kind === 'Pod').map(({ subject }) => subject.name)
  t.strictSame(pods.sort(), names.sort(), 'more than the 50 that may be told of at once')
  t.equal(sink.told.length, 61, 'and their owner one')
  t.equal(rig.writer.calls.filter((call) => call.includes('status')).length, 1)
})

t.test('while a rescue is under way the next look comes soon', async (t) => {
  const { rig, rescue } = aRescue()
  const ending = new AbortController()
  rig.addPod(waiting())

  const running = rescue.run(ending.signal)
  const busyMs = await rig.clock.untilSleep(() => true)
  for (const { namespace, name } of rig.stores.pods.list()) rig.stores.pods.remove(namespace, name)
  rig.clock.advance(3_000)
  const idleMs = await rig.clock.untilSleep(() => true)
  ending.abort()
  await running

  t.strictSame([busyMs, idleMs], [3_000, 10_000])
})

t.test('each fallback that follows lasts twice as long', async (t) => {
  const { rig, rescue, fallback } = aRescue()
  rig.addPod(waiting())

  await rescue.look(never)
  rig.clock.advance(3_600_000)
  await rescue.look(never)

  t.match(fallback(), { times: 2, since: '2026-11-20T13:00:00Z', until: '2026-11-20T15:00:00Z' })
})

t.test('a policy that is gone leaves nobody waiting', async (t) => {
  const { rig, rescue, fallback } = aRescue()
  rig.addPolicy(aRawPolicy({ suspend: true }))
  rig.addPod(waiting())

  await rescue.look(never)

  t.match(fallback(), { times: 1 })
})

t.test('a budget that blocks is tried again, and a fault of one pod is not that of others', async (t) => {
  const { rig, evicted, answers, rescue } = aRescue()
  rig.addPod(waiting())
  await rescue.look(never)
  rig.clock.advance(10_000)
  answers.outcome = 'blocked'

  await rescue.look(never)
  t.strictSame([evicted.length, rig.metrics.counts['rescued blocked']], [0, 1])
  answers.outcome = 'evicted'
  await rescue.look(never)
  t.equal(evicted.length, 1)
})
