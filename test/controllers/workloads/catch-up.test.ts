import t from 'tap'
import { catchUp } from '../../../src/controllers/workloads/catch-up.ts'
import {
  readWorkloadObject,
  type WorkloadObject
} from '../../../src/controllers/workloads/workload-object.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { FakeClock } from '../../fakes/fake-clock.ts'
import { MemoryPages } from '../../fakes/memory-pages.ts'
import { MemoryStore } from '../../fakes/memory-store.ts'

const never = new AbortController().signal

function anObject(name: string, policy: string): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuWorkload',
    metadata: { namespace: 'team-a', name },
    spec: { workloadRef: { kind: 'Deployment', name } },
    status: { policy, containers: [] }
  }
}

function read(name: string, policy: string): WorkloadObject {
  const object = readWorkloadObject(anObject(name, policy))
  if (object === undefined) throw new Error('the object of the test is none')
  return object
}

function setUp() {
  const workloads = new MemoryStore<WorkloadObject>()
  for (const name of ['a', 'b', 'c']) workloads.set('team-a', name, read(name, 'old'))
  const clock = new FakeClock()
  const reader = new MemoryPages({
    gpuworkloads: [anObject('a', 'old'), anObject('b', 'new'), anObject('c', 'old'), anObject('d', 'new')]
  })
  return { workloads, clock, reader }
}

t.test('a mirror that has everything is not waited for', async (t) => {
  const { workloads, clock } = setUp()

  t.equal(await catchUp({ reader: new MemoryPages({}), workloads, clock }, never), 0)
  t.strictSame(clock.sleeping(), [])
})

t.test('what was written last is waited for, and what is newer still is not', async (t) => {
  const { workloads, clock, reader } = setUp()

  const catching = catchUp({ reader, workloads, clock }, never)
  await clock.untilSleep(() => true)
  workloads.set('team-a', 'b', read('b', 'newer'))
  clock.advance(100)
  await clock.untilSleep(() => true)
  workloads.set('team-a', 'd', read('d', 'new'))
  clock.advance(100)

  t.equal(await catching, 0)
})

t.test('a mirror that stays behind is not waited for without end', async (t) => {
  const { workloads, clock, reader } = setUp()

  const catching = catchUp({ reader, workloads, clock }, never)
  await clock.untilSleep(() => true)
  clock.advance(10_000)

  t.equal(await catching, 2)
})

t.test('a signal ends the wait', async (t) => {
  const { workloads, clock, reader } = setUp()
  const stopping = new AbortController()

  const catching = catchUp({ reader, workloads, clock }, stopping.signal)
  await clock.untilSleep(() => true)
  stopping.abort()

  t.equal(await catching, 2)
})
