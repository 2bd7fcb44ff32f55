import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { EventTeller } from '../../../src/controllers/events/event-teller.ts'
import { type JsonRecord, stringOf } from '../../../src/core/json.ts'
import { readPodRecord } from '../../../src/gather/pod-record.ts'
import { type RefusalRecord, readRefusalRecord } from '../../../src/gather/refusal-record.ts'
import { aRefusalEvent, refusedByWebhook } from '../../build/refusal-event.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
import { MemoryStore } from '../../fakes/memory-store.ts'
import { aLivePod, NOON_MS, Rig } from '../rig.ts'

const never = new AbortController().signal

function setUp() {
  const rig = new Rig()
  rig.stores.replicaSets.set('team-a', 'app-6c9d7f8b5d', {
    namespace: 'team-a',
    kind: 'ReplicaSet',
    name: 'app-6c9d7f8b5d',
    controller: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', uid: 'deployment-1' }
  })
  const sink = new MemoryEvents()
  const refusals = new MemoryStore<RefusalRecord>()
  const teller = new EventTeller({
    stores: { ...rig.stores, refusals },
    clock: rig.clock,
    log: rig.log,
    metrics: rig.metrics,
    sink
  })
  const newPod = (name: string, decision: string, change: Parameters<typeof aLivePod>[0] = {}): void => {
    const annotations = {
      'rightslice.dev/decision': decision,
      'rightslice.dev/explain': `because of ${decision}`
    }
    rig.addPod({ name, ageMs: 5_000, annotations, ...change })
  }
  /** What Kubernetes tells of a pod that it could not make for the ReplicaSet. */
  const refuse = (message: string, change: JsonRecord = {}): void => {
    const raw = aRefusalEvent(message, change)
    const record = readRefusalRecord(raw)
    if (record !== undefined) refusals.set(record.namespace, stringOf(raw['metadata'], 'name') ?? '', record)
  }
  return { rig, sink, teller, newPod, refuse }
}

t.test('a rewritten pod is told on pod and owner, once per template', async (t) => {
  const { sink, teller, newPod } = setUp()
  newPod('app-1', 'FitsMigProfile')
  newPod('app-2', 'FitsMigProfile')

  await teller.look(never)
  await teller.look(never)

  t.strictSame(sink.told, [
    {
      atMs: NOON_MS,
      reason: 'GpuRequestRewritten',
      message: 'because of FitsMigProfile',
      key: '6c9d7f8b5d',
      subject: { apiVersion: 'v1', kind: 'Pod', namespace: 'team-a', name: 'app-1', uid: 'uid-app-1' }
    },
    {
      atMs: NOON_MS,
      reason: 'GpuRequestRewritten',
      message: 'because of FitsMigProfile',
      key: '6c9d7f8b5d',
      subject: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'team-a',
        name: 'app',
        uid: 'deployment-1'
      }
    }
  ])
})

t.test('a kept pod is told on its owner when the reason is another one than before', async (t) => {
  const { sink, teller, newPod } = setUp()

  newPod('app-1', 'NoHistory')
  await teller.look(never)
  newPod('app-2', 'NoHistory', { labels: { 'pod-template-hash': 'other' } })
  await teller.look(never)
  newPod('app-3', 'PeakTooLarge', { labels: { 'pod-template-hash': 'other' } })
  await teller.look(never)

  t.match(sink.told, [
    { reason: 'GpuRequestKept', message: 'NoHistory: because of NoHistory', subject: { kind: 'Deployment' } },
    { reason: 'GpuRequestKept', message: 'PeakTooLarge: because of PeakTooLarge' }
  ])
  t.equal(sink.told.length, 2)
})

t.test('the reason before is read from the object of the workload, also by a new process', async (t) => {
  const { rig, sink, teller, newPod } = setUp()
  rig.writer.put(
    { kind: 'GpuWorkload', namespace: 'team-a', name: 'deployment-app' },
    {
      metadata: { namespace: 'team-a', name: 'deployment-app' },
      spec: { workloadRef: { kind: 'Deployment', name: 'app' } },
      status: { decision: { reason: 'NoHistory' } }
    }
  )
  newPod('app-1', 'NoHistory')

  await teller.look(never)

  t.strictSame(sink.told, [])
})

for (const [what, change] of Object.entries({
  'is no news any more': { ageMs: 3_600_000 },
  'lies in a namespace that has not opted in': { namespace: 'elsewhere' },
  'carries a word that is no reason': { annotations: { 'rightslice.dev/decision': 'toString' } },
  'carries no mark': { annotations: {} }
})) {
  t.test(`a pod that ${what} is not told of`, async (t) => {
    const { sink, teller, newPod } = setUp()
    newPod('app-1', 'FitsMigProfile', change)

    await teller.look(never)

    t.strictSame(sink.told, [])
  })
}

t.test('a bare pod has no owner, and no control characters reach the message', async (t) => {
  const { rig, sink, teller } = setUp()
  const annotations = { 'rightslice.dev/decision': 'Pinned', 'rightslice.dev/explain': 'a\u001b[31m\nb' }
  const { metadata, ...raw } = aLivePod({ name: 'bare', ageMs: 1_000, annotations, labels: {} })
  const record = readPodRecord({ ...raw, metadata: { ...Object(metadata), ownerReferences: [] } })
  if (record === undefined) throw new Error('the pod is not read')
  rig.stores.pods.set('team-a', 'bare', record)

  await teller.look(never)

  t.match(sink.told, [{ message: 'Pinned: a [31m b', subject: { kind: 'Pod', name: 'bare' } }])
})

t.test('an event that cannot be written is tried again, and counted', async (t) => {
  const { rig, sink, teller, newPod } = setUp()
  newPod('app-1', 'NoHistory')
  sink.before = () => {
    throw new TypeError('planted')
  }

  await teller.look(never)
  sink.before = undefined
  await teller.look(never)

  t.equal(sink.told.length, 1)
  t.strictSame(rig.metrics.counts, { 'event failed': 1, 'event told': 1 })
})

t.test('a flood is cut off and counted', async (t) => {
  const { rig, sink, teller, newPod } = setUp()
  for (let index = 0; index < 80; index += 1) {
    newPod(`p${index}`, 'NoHistory', {
      labels: {},
      owner: { kind: 'Job', name: `j${index}`, uid: `j${index}` }
    })
  }

  await teller.look(never)

  t.equal(sink.told.length, 50)
  t.match(rig.metrics.counts, { 'event told': 50, 'event limited': 30 })
})

t.test('it looks soon after a pod came, and ends with its signal', async (t) => {
  const { rig, sink, teller, newPod } = setUp()
  const stopping = new AbortController()
  const running = teller.run(stopping.signal)
  await rig.clock.untilSleep((ms) => ms === 60_000)

  newPod('app-1', 'NoHistory')
  rig.clock.advance(await rig.clock.untilSleep((ms) => ms === 1_000))
  await rig.clock.untilSleep((ms) => ms === 60_000)
  stopping.abort()
  await running
  newPod('app-2', 'PeakTooLarge')
  await nextTurn()

  t.equal(sink.told.length, 1)
})

t.test('refused pods are told on their owner, once per template and rule', async (t) => {
  const { sink, teller, refuse } = setUp()
  refuse(
    refusedByWebhook(
      '[PrivilegedWithGpu] container "main" is privileged; drop it',
      '[PrivilegedWithGpu] and 2 more',
      '[HostPidWithGpu] the pod sets hostPID; drop it'
    )
  )

  await teller.look(never)
  refuse(refusedByWebhook('[PrivilegedWithGpu] in other words'), { name: 'the-same-again' })
  await teller.look(never)

  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'team-a', name: 'app' }
  t.match(sink.told, [
    {
      reason: 'GpuPodRejected',
      message: '[PrivilegedWithGpu] container "main" is privileged; drop it',
      subject: owner
    },
    { reason: 'GpuPodRejected', message: '[HostPidWithGpu] the pod sets hostPID; drop it', subject: owner }
  ])
  t.equal(sink.told.length, 2)
})

t.test('another template of the same owner is told again', async (t) => {
  const { rig, sink, teller, refuse } = setUp()
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', uid: 'deployment-1' }
  rig.stores.replicaSets.set('team-a', 'app-2', {
    namespace: 'team-a',
    kind: 'ReplicaSet',
    name: 'app-2',
    controller
  })
  refuse(refusedByWebhook('[NodeNameSet] the pod names its node; let it be'))
  refuse(refusedByWebhook('[NodeNameSet] the pod names its node; let it be'), {
    name: 'second',
    involvedObject: { name: 'app-2', uid: 'rs-2' }
  })

  await teller.look(never)

  t.strictSame(
    sink.told.map(({ subject }) => subject.name),
    ['app', 'app']
  )
})

for (const [kind, owner] of Object.entries({ Job: 'CronJob', StatefulSet: 'StatefulSet' })) {
  t.test(`pods of a ${kind} are told on the ${owner}`, async (t) => {
    const { rig, sink, teller, refuse } = setUp()
    rig.stores.jobs.set('team-a', 'night-29000000', {
      namespace: 'team-a',
      kind: 'Job',
      name: 'night-29000000',
      controller: { apiVersion: 'batch/v1', kind: 'CronJob', name: 'night', uid: 'cron-1' }
    })
    refuse(refusedByWebhook('[CdiAnnotation] the pod asks for devices; drop it'), {
      involvedObject: { kind, name: 'night-29000000', uid: 'maker-1', apiVersion: 'batch/v1' }
    })

    await teller.look(never)

    t.match(sink.told, [{ reason: 'GpuPodRejected', subject: { kind: owner } }])
  })
}

t.test('where pods are not refused, nobody is told of a refusal', async (t) => {
  const { rig, sink, teller, refuse } = setUp()
  rig.stores.namespaces.set('', 'told', { name: 'told', labels: { 'rightslice.dev/rightsize': 'warn' } })
  for (const namespace of ['told', 'unknown'])
    refuse(refusedByWebhook('[NodeNameSet] the pod names its node'), { namespace })

  await teller.look(never)

  t.strictSame(sink.told, [])
})

t.test('a flood of refusals in one namespace takes no Event from another', async (t) => {
  const { rig, sink, teller, refuse } = setUp()
  rig.stores.namespaces.set('', 'noisy', { name: 'noisy', labels: { 'rightslice.dev/rightsize': 'enforce' } })
  for (let index = 0; index < 500; index += 1)
    refuse(refusedByWebhook('[NodeNameSet] forged'), {
      name: `e${index}`,
      namespace: 'noisy',
      involvedObject: { name: `rs-${index}` }
    })
  refuse(refusedByWebhook('[NodeNameSet] the pod names its node'))

  await teller.look(never)

  const by = Map.groupBy(sink.told, ({ subject }) => subject.namespace)
  t.strictSame([by.get('noisy')?.length, by.get('team-a')?.length], [10, 1])
  t.match(rig.metrics.counts, { 'event told': 11, 'event limited': 490 })
})

t.test('a share that was nearly filled is told on owner and pod, once', async (t) => {
  const { rig, sink, teller } = setUp()
  const nearFull = nearLimitOf(new Date(NOON_MS - 60_000))
  const given = {
    labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
    annotations: { 'rightslice.dev/original-resources': '{}' }
  }
  rig.addPod({ name: 'app-1', ...given })
  rig.addPod({ name: 'whole' })
  rig.writer.put({ kind: 'GpuWorkload', namespace: 'team-a', name: 'deployment-app' }, nearFull)

  await teller.look(never)
  await teller.look(never)

  const event = {
    reason: 'SliceMemoryNearLimit',
    message: 'container "main" came near the 9728 MiB of its share; its next pods get a larger one'
  }
  t.match(sink.told, [
    { ...event, subject: { kind: 'Pod', name: 'app-1' } },
    { ...event, subject: { kind: 'Deployment', name: 'app' } }
  ])
  t.equal(sink.told.length, 2)
})

t.test('of several pods in such a share nobody knows which, so the owner alone is told', async (t) => {
  const { rig, sink, teller } = setUp()
  for (const name of ['app-1', 'app-2'])
    rig.addPod({
      name,
      labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
      annotations: { 'rightslice.dev/original-resources': '{}' }
    })
  const name = { kind: 'GpuWorkload' as const, namespace: 'team-a', name: 'deployment-app' }
  rig.writer.put(name, nearLimitOf(new Date(NOON_MS - 2 * 3_600_000)))

  await teller.look(never)
  t.strictSame(sink.told, [], 'what is hours old is no news')
  rig.writer.put(name, nearLimitOf(new Date(NOON_MS - 60_000)))
  await teller.look(never)

  t.match(sink.told, [{ reason: 'SliceMemoryNearLimit', subject: { kind: 'Deployment' } }])
  t.equal(sink.told.length, 1)
})

/** The object of Deployment `app`, whose container came near the ceiling of its slice. */
function nearLimitOf(at: Date): JsonRecord {
  const stepUp = {
    at: at.toISOString(),
    failedMiB: 9728,
    evidence: 'near-ceiling',
    image: 'registry.example/app:1'
  }
  return {
    metadata: { namespace: 'team-a', name: 'deployment-app' },
    spec: { workloadRef: { kind: 'Deployment', name: 'app' } },
    status: { containers: [{ name: 'main', sizing: [{ model: 'H100', stepUps: [stepUp] }] }] }
  }
}

t.test('one look goes through the objects of workloads once, however many pods are new', async (t) => {
  const { rig, teller, newPod } = setUp()
  for (let index = 0; index < 20; index += 1) {
    newPod(`w${index}`, 'FitsMigProfile', { owner: { kind: 'StatefulSet', name: `w${index}` }, labels: {} })
  }
  const { workloads } = rig.stores
  let lists = 0
  const list = workloads.list.bind(workloads)
  workloads.list = () => {
    lists += 1
    return list()
  }

  await teller.look(never)

  t.equal(rig.metrics.counts['event told'], 40)
  t.equal(lists, 2, 'for the reasons before, and for shares that are nearly full')
})
