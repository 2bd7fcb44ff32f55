import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { createWriter } from '../../src/kube/apply.ts'
import { objectWriterContract } from '../contract/object-writer.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const never = new AbortController().signal
const workload = { kind: 'GpuWorkload', namespace: 'search', name: 'deployment-reranker' } as const
const path = '/apis/rightslice.dev/v1alpha1/namespaces/search/gpuworkloads/deployment-reranker'
const spec = { workloadRef: { kind: 'Deployment', name: 'reranker' } }

function setUp(before?: FakeObjects['before']) {
  const objects = new FakeObjects()
  objects.before = before
  const clock = new FakeClock()
  return { objects, clock, writer: createWriter({ connection: objects, clock, random: () => 1 }) }
}

t.test('the contract of an ObjectWriter', async (t) => {
  objectWriterContract(t, async () => {
    const { objects, writer } = setUp()
    return {
      writer,
      read: ({ namespace, name }) =>
        objects.at(`/apis/rightslice.dev/v1alpha1/namespaces/${namespace}/gpuworkloads/${name}`)
    }
  })
})

t.test('applies with a manager of its own and takes fields over by force', async (t) => {
  const { objects, writer } = setUp()

  await writer.applySpec(workload, spec, never)
  await writer.applyStatus(workload, { policy: 'dc1' }, never)
  await writer.remove(workload, never)

  t.match(objects.seen, [
    {
      method: 'PATCH',
      path,
      query: { fieldManager: 'rightslice-controller', force: true },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: 'rightslice.dev/v1alpha1',
        kind: 'GpuWorkload',
        metadata: { name: 'deployment-reranker', namespace: 'search' },
        spec
      }
    },
    { method: 'PATCH', path: `${path}/status`, body: { status: { policy: 'dc1' } } },
    { method: 'DELETE', path }
  ])
})

t.test('a policy has no namespace', async (t) => {
  const { objects, writer } = setUp()
  objects.put('/apis/rightslice.dev/v1alpha1/gpupolicies/dc1', { metadata: { name: 'dc1' } })

  const written = await writer.applyStatus(
    { kind: 'GpuPolicy', namespace: '', name: 'dc1' },
    { matchedNodes: 3 },
    never
  )

  t.equal(written, true)
  t.match(objects.at('/apis/rightslice.dev/v1alpha1/gpupolicies/dc1'), { status: { matchedNodes: 3 } })
  t.strictSame(Object.keys(Object(Object(objects.seen[0]?.body).metadata)), ['name'])
})

for (const { what, failure, pauseMs } of [
  { what: 'too many requests', failure: { status: 429, retryAfterMs: 4000 }, pauseMs: 5000 },
  { what: 'a conflict', failure: { status: 409 }, pauseMs: 500 },
  { what: 'a fault of the server', failure: { status: 503 }, pauseMs: 500 }
]) {
  t.test(`after ${what} it waits and sends the same again`, async (t) => {
    const { objects, clock, writer } = setUp(failing(() => true, [failure]))

    const writing = writer.applySpec(workload, spec, never)
    const waitedMs = await clock.untilSleep(() => true)
    clock.advance(waitedMs)
    await writing

    t.equal(waitedMs, pauseMs)
    t.equal(objects.seen.length, 2)
    t.match(objects.at(path), { spec })
  })
}

t.test('no answer is worth a repeat, a refusal is not', async (t) => {
  let calls = 0
  const { objects, clock, writer } = setUp(() => {
    calls += 1
    if (calls === 1) throw new AppError('KUBE_UNREACHABLE', 'made to fail')
  })
  const writing = writer.applySpec(workload, spec, never)
  clock.advance(await clock.untilSleep(() => true))
  await writing
  objects.before = failing(() => true, [{ status: 403 }])

  await t.rejects(writer.applySpec(workload, { workloadRef: {} }, never), { code: 'KUBE_REFUSED' })

  t.equal(objects.seen.length, 3)
})

t.test('it gives up after four attempts', async (t) => {
  const { objects, clock, writer } = setUp(
    failing(
      () => true,
      Array.from({ length: 9 }, () => ({ status: 500 }))
    )
  )

  const writing = writer.applySpec(workload, spec, never)
  const rejected = t.rejects(writing, { code: 'KUBE_UNAVAILABLE' })
  for (let pause = 0; pause < 3; pause += 1) {
    clock.advance(await clock.untilSleep(() => true))
    await nextTurn()
  }
  await rejected

  t.equal(objects.seen.length, 4)
})

t.test('a signal ends the waiting', async (t) => {
  const { objects, clock, writer } = setUp(failing(() => true, [{ status: 500 }]))
  const stopping = new AbortController()

  const writing = writer.applySpec(workload, spec, stopping.signal)
  const rejected = t.rejects(writing, { code: 'KUBE_UNAVAILABLE' })
  await clock.untilSleep(() => true)
  stopping.abort()
  await rejected

  t.equal(objects.seen.length, 1)
})
