import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { EventTeller } from '../../../src/controllers/events/event-teller.ts'
import { readPodRecord } from '../../../src/gather/pod-record.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
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
  const teller = new EventTeller({
    stores: rig.stores,
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
  return { rig, sink, teller, newPod }
}

t.test('a rewritten pod is told on pod and owner, once per template', async (t) => {
  const { sink, teller, newPod } = setUp()
  newPod('app-1', 'FitsMigProfile')
  newPod('app-2', 'FitsMigProfile')

  await teller.look(never)
  await teller.look(never)

  t.strictSame(sink.told, [
    {
      type: 'Normal',
      atMs: NOON_MS,
      reason: 'GpuRequestRewritten',
      message: 'because of FitsMigProfile',
      key: '6c9d7f8b5d',
      subject: { apiVersion: 'v1', kind: 'Pod', namespace: 'team-a', name: 'app-1', uid: 'uid-app-1' }
    },
    {
      type: 'Normal',
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
