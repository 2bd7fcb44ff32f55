import t from 'tap'
import { Sweep } from '../../../src/controllers/sweep/sweep.ts'
import { AppError } from '../../../src/core/errors.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { aHostVolume, aMountingPod } from '../../build/sweep.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
import { MemoryPages } from '../../fakes/memory-pages.ts'
import { Rig } from '../rig.ts'

const never = new AbortController().signal
const devices = { hostPath: { path: '/dev' } }
const claim = { persistentVolumeClaim: { claimName: 'dev' } }
const refusal = new AppError('KUBE_REFUSED', 'GET pods: status 403: no')

/** The pod as one of the two of Deployment `app`. */
function ofApp(pod: JsonRecord): JsonRecord {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-6c9d', uid: 'rs-1', controller: true }
  const metadata = { labels: { 'pod-template-hash': '6c9d' }, ownerReferences: [owner] }
  return { ...pod, metadata: { ...Object(pod['metadata']), ...metadata } }
}

const apps = ['app-6c9d-a', 'app-6c9d-b'].map((name) => ofApp(aMountingPod('team-a', name, devices)))

function setUp(pods: readonly JsonRecord[], persistentvolumes: readonly JsonRecord[] = []) {
  const rig = new Rig()
  for (const [name, level] of Object.entries({ 'team-b': 'warn', out: 'off', 'kube-system': 'enforce' }))
    rig.stores.namespaces.set('', name, { name, labels: { 'rightslice.dev/rightsize': level } })
  const objects = { pods: [...pods], persistentvolumes }
  const reader = new MemoryPages(objects)
  const sink = new MemoryEvents()
  const sweep = new Sweep({
    reader,
    stores: rig.stores,
    sink,
    settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
    sweepMs: 600_000,
    clock: rig.clock,
    random: () => 0.5,
    log: rig.log,
    metrics: rig.metrics
  })
  return { rig, objects, reader, sink, sweep }
}

const broken = (pods: number, level = 'enforce') => ({ rule: 'HostDevicePath', level, pods })

t.test('what is wrong is told by metrics, one line, and one Event a template and rule', async (t) => {
  const pods = [
    ...apps,
    aMountingPod('team-a', 'bare', devices),
    aMountingPod('team-a', 'good', { emptyDir: {} })
  ]
  const { rig, sink, sweep } = setUp(pods)

  t.equal(await sweep.once(never), 'complete')

  t.strictSame(rig.metrics.seen['violations'], { counts: [broken(3)], unreviewedPods: 0 })
  t.strictSame(rig.metrics.counts, { 'event told': 2, 'swept complete': 1 })
  t.match(rig.log.lines, [
    {
      level: 'info',
      message: 'swept',
      fields: {
        outcome: 'complete',
        namespaces: 2,
        pods: 4,
        violatingPods: 3,
        unreviewedPods: 0,
        podsLeftOut: 0
      }
    }
  ])
  t.match(sink.told, [
    {
      subject: { kind: 'ReplicaSet', name: 'app-6c9d', uid: 'rs-1' },
      reason: 'IsolationViolated',
      message:
        /^HostDevicePath: 2 pods that run would be refused now: container "main" mounts .*; help: rightslice explain --reason HostDevicePath$/
    },
    { subject: { kind: 'Pod', name: 'bare', uid: 'uid-bare' }, message: /^HostDevicePath: a pod that runs/ }
  ])
})

t.test('an Event goes to the object that a person looks at', async (t) => {
  const { rig, sink, sweep } = setUp(apps)
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', uid: 'd-1' }
  rig.stores.replicaSets.set('team-a', 'app-6c9d', {
    namespace: 'team-a',
    kind: 'ReplicaSet',
    name: 'app-6c9d',
    controller
  })

  await sweep.once(never)

  t.match(sink.told, [{ subject: { ...controller, namespace: 'team-a' } }])
})

t.test('what was told is not told again, and what failed is tried again', async (t) => {
  const { sink, sweep } = setUp(apps)
  sink.before = () => {
    throw refusal
  }
  await sweep.once(never)
  t.equal(sink.told.length, 0)

  sink.before = undefined
  await sweep.once(never)
  await sweep.once(never)

  t.equal(sink.told.length, 1)
})

t.test(
  'no more Events of one namespace at once than the limit allows; the others come with the next sweep',
  async (t) => {
    const pods = Array.from({ length: 60 }, (_, index) => aMountingPod('team-a', `bare-${index}`, devices))
    const { rig, sink, sweep } = setUp(pods)

    await sweep.once(never)
    t.equal(sink.told.length, 10)
    rig.clock.advance(600_000)
    await sweep.once(never)

    t.equal(sink.told.length, 20)
  }
)

t.test(
  'namespaces on warn are told by the metrics alone, others and those of the system not at all',
  async (t) => {
    const pods = ['team-b', 'out', 'kube-system'].map((namespace) => aMountingPod(namespace, 'bad', devices))
    const { rig, reader, sink, sweep } = setUp(pods)

    await sweep.once(never)

    t.strictSame(rig.metrics.seen['violations'], { counts: [broken(1, 'warn')], unreviewedPods: 0 })
    t.strictSame(sink.told, [])
    t.strictSame(reader.asked, ['pods team-a', 'pods team-b'])
  }
)

t.test('a namespace that cannot be read keeps what was known of it', async (t) => {
  const { rig, reader, sweep } = setUp(apps)
  await sweep.once(never)
  reader.before = ({ namespace }) => {
    if (namespace === 'team-a') throw refusal
  }

  t.equal(await sweep.once(never), 'partial')

  t.strictSame(rig.metrics.seen['violations'], { counts: [broken(2)], unreviewedPods: 0 })
  t.match(sweep.isolationOf('team-a', 'team-a/Deployment/app'), { kind: 'judged', violations: [{}] })
  t.match(rig.log.lines.at(-1), {
    level: 'warn',
    message: 'swept',
    fields: { outcome: 'partial', notRead: ['pods of team-a: GET pods: status 403: no'] }
  })
})

t.test('so does one whose claims lead to what cannot be read', async (t) => {
  const pods = [ofApp(aMountingPod('team-a', 'app-6c9d-a', claim))]
  const { rig, reader, sweep } = setUp(pods, [aHostVolume('team-a', 'dev', '/dev')])
  await sweep.once(never)
  reader.before = ({ kind }) => {
    if (kind === 'persistentvolumes') throw refusal
  }

  t.equal(await sweep.once(never), 'partial')

  t.strictSame(rig.metrics.seen['violations'], { counts: [broken(1)], unreviewedPods: 0 })
})

t.test('what is over is forgotten, and so is a namespace that is out', async (t) => {
  const { rig, objects, sweep } = setUp([...apps, aMountingPod('team-b', 'bad', devices)])
  await sweep.once(never)
  objects.pods.splice(0, 2)
  rig.stores.namespaces.set('', 'team-b', { name: 'team-b', labels: {} })

  await sweep.once(never)

  t.strictSame(rig.metrics.seen['violations'], { counts: [], unreviewedPods: 0 })
})

t.test('what is known of a workload follows the sweeps and the label', async (t) => {
  const { rig, objects, sweep } = setUp(apps)
  const key = 'team-a/Deployment/app'
  const label = (value: string): void =>
    rig.stores.namespaces.set('', 'team-a', { name: 'team-a', labels: { 'rightslice.dev/rightsize': value } })

  t.strictSame(sweep.isolationOf('team-a', key), { kind: 'unknown' }, 'before the first sweep')
  await sweep.once(never)
  t.match(sweep.isolationOf('team-a', key), { kind: 'judged', violations: [{ rule: 'HostDevicePath' }] })
  label('warn')
  t.strictSame(sweep.isolationOf('team-a', key), { kind: 'outside' })
  label('enforce')
  objects.pods.length = 0
  await sweep.once(never)
  t.strictSame(sweep.isolationOf('team-a', key), { kind: 'judged', violations: [] })
})

t.test('where too much is wrong to keep, nobody else is called isolated', async (t) => {
  const pods = Array.from({ length: 201 }, (_, index) => aMountingPod('team-a', `bare-${index}`, devices))
  const { sweep } = setUp(pods)

  await sweep.once(never)

  t.strictSame(sweep.isolationOf('team-a', 'team-a/Deployment/app'), { kind: 'unknown' })
})

t.test('it sweeps until it is stopped, a fault does not end it, and then it says nothing more', async (t) => {
  const { rig, reader, sweep } = setUp(apps)
  const stopping = new AbortController()
  reader.before = () => {
    throw new TypeError('a bug')
  }

  const running = sweep.run(stopping.signal)
  t.equal(await rig.clock.untilSleep((ms) => ms > 1000), 600_000)
  t.strictSame(rig.metrics.counts, { 'swept error': 1 })
  t.match(rig.log.lines, [{ level: 'error', message: 'sweep failed' }])
  reader.before = undefined
  rig.clock.advance(600_000)
  await rig.clock.untilSleep((ms) => ms > 1000)
  t.match(rig.metrics.seen['violations'], { counts: [broken(2)] })
  stopping.abort()
  await running

  t.equal(rig.metrics.seen['violations'], undefined)
  t.strictSame(sweep.isolationOf('team-a', 'team-a/Deployment/app'), { kind: 'unknown' })
})
