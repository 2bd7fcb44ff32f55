import t from 'tap'
import { fieldAt } from '../../src/core/json.ts'
import { createEventSink } from '../../src/kube/events.ts'
import { anEvent, eventSinkContract } from '../contract/event-sink.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const never = new AbortController().signal
const teller = { component: 'rightslice-controller', instance: 'rightslice-controller-0' }

t.test('the contract of an EventSink', async (t) => {
  eventSinkContract(t, async () => createEventSink(new FakeObjects(), teller))
})

t.test('writes an Event as kubectl describe looks for it', async (t) => {
  const objects = new FakeObjects()

  await createEventSink(objects, teller).tell(anEvent(), never)

  t.match(objects.seen, [{ method: 'POST', path: '/api/v1/namespaces/search/events' }])
  const [path = ''] = objects.paths()
  t.match(path, /^\/api\/v1\/namespaces\/search\/events\/reranker-6c9d7-k2x8p\.[0-9a-f]{16}$/)
  t.match(objects.at(path), {
    involvedObject: { kind: 'Pod', namespace: 'search', name: 'reranker-6c9d7-k2x8p', uid: 'uid-1' },
    type: 'Normal',
    reason: 'GpuRequestRewritten',
    message: anEvent().message,
    source: { component: 'rightslice-controller' },
    reportingInstance: 'rightslice-controller-0',
    firstTimestamp: '2023-11-14T22:13:20Z',
    count: 1
  })
})

t.test(
  'a name that is long stays a name, and a message that is long is cut between characters',
  async (t) => {
    const objects = new FakeObjects()
    const subject = { ...anEvent().subject, name: `${'a'.repeat(235)}-${'b'.repeat(17)}` }

    await createEventSink(objects, teller).tell(
      anEvent({ subject, message: `${'x'.repeat(1022)}😀😀` }),
      never
    )

    const [path = ''] = objects.paths()
    const name = path.split('/').at(-1) ?? ''
    t.ok(name.length <= 253)
    t.match(name, /^a{235}\.[0-9a-f]{16}$/)
    t.equal(fieldAt(objects.at(path), 'message'), `${'x'.repeat(1022)}…`)
  }
)

t.test('a refusal is thrown', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 403 }])

  await t.rejects(createEventSink(objects, teller).tell(anEvent(), never), { code: 'KUBE_REFUSED' })
})
