import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { fieldAt, fieldOf } from '../../src/core/json.ts'
import type { KeptMaxima, KeptSeries } from '../../src/ports/kept-maxima.ts'
import { MemoryPages } from '../fakes/memory-pages.ts'
import { aSeries, DAY_MS, NOON_MS, Rig } from './rig.ts'

const OBJECT = 'airflowtask-etl.fit'

/** A pod of an Airflow task: its name tells nobody whose it was. */
const task = {
  name: 'kpo-7f3a',
  labels: { dag_id: 'etl', task_id: 'fit' },
  ageMs: 2 * DAY_MS
}
const heavy = aSeries({ pod: task.name, daysMiB: [30_000, 30_000, 0] })

/** The task's pod used much for two days; then it is gone, and its successor uses little. */
async function setUp(change: ConstructorParameters<typeof Rig>[0] = {}): Promise<Rig> {
  const rig = new Rig(change)
  rig.reading = { series: [heavy] }
  rig.addPod(task)
  await rig.refresh()
  return rig
}

function replacePod(rig: Rig): void {
  rig.stores.pods.remove('team-a', task.name)
  rig.addPod({ ...task, name: 'kpo-9c1b', ageMs: DAY_MS / 2 })
  const light = aSeries({ pod: 'kpo-9c1b', gpuUuid: 'GPU-2', daysMiB: [900] })
  rig.reading = { series: [heavy, light] }
}

const peakOf = (rig: Rig): unknown => fieldOf(rig.container(OBJECT), 'peakMemory')
const keptOf = (rig: Rig): unknown => fieldAt(rig.workload(OBJECT), 'status', 'knownPods')

t.test('the peak of a pod whose name tells nothing outlives both the pod and the process', async (t) => {
  const rig = await setUp()
  replacePod(rig)
  await rig.refresh()
  t.equal(peakOf(rig), '30000Mi', 'while the process lives')

  await rig.restart()

  t.equal(peakOf(rig), '30000Mi')
  t.match(JSON.parse(String(keptOf(rig))), [
    { name: 'kpo-9c1b' },
    { name: 'kpo-7f3a', uid: 'uid-kpo-7f3a', node: 'node-1', endMs: NOON_MS }
  ])
})

t.test('also when the pod ends while no process runs', async (t) => {
  const rig = await setUp()
  await rig.restart()
  replacePod(rig)
  rig.clock.advance(60_000)

  await rig.restart()
  await rig.restart()

  t.equal(peakOf(rig), '30000Mi')
  t.match(JSON.parse(String(keptOf(rig))), [{}, { name: 'kpo-7f3a', endMs: NOON_MS + 60_000 }])
})

t.test('a crash loses an hour at most', async (t) => {
  const rig = await setUp()
  replacePod(rig)
  await rig.refresh()
  rig.clock.advance(3_600_000)
  await rig.refresh()

  await rig.crash()

  t.equal(peakOf(rig), '30000Mi')
})

t.test('nothing is kept for ever, and what was kept is not written again', async (t) => {
  const rig = await setUp()
  await rig.restart()
  const before = rig.writer.calls.length
  await rig.restart()
  const again = rig.writer.calls.slice(before)

  replacePod(rig)
  await rig.refresh()
  rig.clock.advance(29 * DAY_MS)
  await rig.restart()

  t.strictSame(again, [])
  t.match(JSON.parse(String(keptOf(rig))), [{ name: 'kpo-9c1b' }])
  t.notMatch(keptOf(rig), /kpo-7f3a/)
})

for (const [knownPods, pods] of Object.entries({ '{': 1, '7': 1, '[{"name":"kpo-7f3a"}, null]': 2 })) {
  t.test(`what cannot be read is told and lost, and the rest goes on: ${knownPods}`, async (t) => {
    const rig = await setUp()
    const { status, ...rest } = rig.workload(OBJECT) ?? {}
    const object = { kind: 'GpuWorkload' as const, namespace: 'team-a', name: OBJECT }
    rig.writer.put(object, { ...rest, status: { ...Object(status), knownPods } })

    await rig.crash()

    t.equal(peakOf(rig), '30000Mi')
    const [told] = rig.log.lines.filter(({ level }) => level === 'warn')
    t.match(told, { message: 'part of what was kept could not be read', fields: { pods } })
  })
}

t.test('on its end the process saves what was scraped since the last hour', async (t) => {
  let max = 5200
  const days = (): unknown => [[NOON_MS - 12 * 3_600_000, max, 60, 100, 0, 3_600]]
  const kept: KeptMaxima = {
    isGathering: () => true,
    give: () => [{ ...aSeries({ pod: task.name }), days: days() } as KeptSeries],
    take: () => 0
  }
  const rig = await setUp({ kept })
  const saved = (): unknown => fieldAt(rig.workload(OBJECT), 'status', 'scraped')
  max = 6100
  await rig.refresh()
  t.match(saved(), /5200/, 'a refresh alone does not save it')

  await rig.restart({ kept })

  t.match(saved(), /6100/)
})

t.test('saving that fails or takes too long is told, and nothing throws', async (t) => {
  const rig = await setUp()
  replacePod(rig)
  rig.writer.before = () => {
    throw new TypeError('planted')
  }

  await rig.save()

  t.strictSame(
    rig.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ['workload not saved', 'not everything was saved']
  )
})

t.test('what the last leader saved counts for the next one, whose mirror has not seen it yet', async (t) => {
  const rig = await setUp()
  const before = rig.stores.workloads.get('team-a', OBJECT)
  replacePod(rig)
  await rig.save()
  const after = rig.stores.workloads.get('team-a', OBJECT)
  const saved = rig.workload(OBJECT)
  if (before === undefined || after === undefined || saved === undefined)
    throw new Error('nothing was written')
  rig.stores.workloads.set('team-a', OBJECT, {
    ...before,
    status: { ...before.status, knownPods: undefined }
  })

  const stopping = new AbortController()
  const running = rig.newProcess({ reader: new MemoryPages({ gpuworkloads: [saved] }) }).run(stopping.signal)
  await rig.clock.untilSleep((ms) => ms === 100)
  rig.stores.workloads.set('team-a', OBJECT, after)
  rig.clock.advance(100)
  await rig.clock.untilSleep((ms) => ms > 200_000)
  stopping.abort()
  await running

  t.equal(peakOf(rig), '30000Mi')
  t.match(keptOf(rig), /kpo-7f3a/)
})

t.test('a leader that cannot read the objects anew goes on with its mirror, and says so', async (t) => {
  const rig = await setUp()
  const reader = new MemoryPages({})
  reader.before = () => {
    throw new AppError('KUBE_REFUSED', 'made to fail')
  }

  await rig.crash({ reader })

  t.equal(peakOf(rig), '30000Mi')
  t.ok(rig.log.lines.some(({ message }) => message === 'workloads not read anew'))
})
