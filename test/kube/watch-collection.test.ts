import type { Test } from 'tap'
import t from 'tap'
import { type WatchEnd, type WatchRequest, watchCollection } from '../../src/kube/watch-collection.ts'
import type { WatchEvent } from '../../src/kube/watch-event.ts'
import type { FakeApiServer, FakeCollection } from '../fakes/fake-api-server.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { fakeCluster } from './fake-cluster.ts'

const resource = { path: '/api/v1/nodes', kind: 'Node' }

interface Setup {
  readonly server: FakeApiServer
  readonly nodes: FakeCollection
  readonly clock: FakeClock
  /** `type name` of each event. */
  readonly events: string[]
  readonly stop: AbortController
  readonly watch: (change?: Partial<WatchRequest>) => Promise<WatchEnd>
  /** Resolves with the event that comes next. */
  readonly nextEvent: () => Promise<WatchEvent>
}

async function setUp(t: Test): Promise<Setup> {
  const { server, connection } = await fakeCluster(t)
  const nodes = server.collection(resource.path, 'v1', 'Node')
  const clock = new FakeClock()
  const stop = new AbortController()
  const events: string[] = []
  let heard = Promise.withResolvers<WatchEvent>()
  const base = {
    connection,
    resource,
    metadataOnly: false,
    resourceVersion: '100',
    timeoutSeconds: 300,
    clock,
    signal: stop.signal
  }
  const onEvent = (event: WatchEvent) => {
    events.push(
      `${event.type} ${JSON.stringify(Object(event.object['metadata']).name)} ${event.resourceVersion}`
    )
    heard.resolve(event)
    heard = Promise.withResolvers()
  }
  return {
    server,
    nodes,
    clock,
    events,
    stop,
    watch: (change = {}) => watchCollection({ ...base, ...change }, onEvent),
    nextEvent: () => heard.promise
  }
}

t.test('can watch one object by its name', async (t) => {
  const { server, nodes, watch, nextEvent, stop } = await setUp(t)
  const heard = nextEvent()
  const ended = watch({ resource: { ...resource, objectName: 'early' } })
  nodes.put({ metadata: { name: 'early' } })

  await heard
  stop.abort()
  await t.rejects(ended)

  t.match(server.seen[0]?.query, { watch: 'true', fieldSelector: 'metadata.name=early' })
})

t.test('asks for bookmarks and a time limit, and hands over events in order', async (t) => {
  const { server, nodes, events, watch } = await setUp(t)
  nodes.put({ metadata: { name: 'early' } })

  const end = watch()
  const stream = await nodes.untilWatch(1)
  nodes.put({ metadata: { name: 'größe-€-😀' } })
  nodes.put({ metadata: { name: 'early' }, spec: {} })
  nodes.remove('early')
  nodes.bookmark()
  await stream.end()

  t.equal(await end, 'ended')
  t.strictSame(events, [
    'ADDED "early" 101',
    'ADDED "größe-€-😀" 102',
    'MODIFIED "early" 103',
    'DELETED "early" 104',
    'BOOKMARK undefined 104'
  ])
  t.strictSame(server.seen[0]?.query, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '100',
    timeoutSeconds: '300'
  })
})

t.test('asks only for the objects that are wanted', async (t) => {
  const { server, nodes, watch } = await setUp(t)

  const end = watch({ resource: { ...resource, fieldSelector: 'reason=FailedCreate' } })
  const stream = await nodes.untilWatch(1)
  await stream.end()
  await end

  t.equal(server.seen[0]?.query['fieldSelector'], 'reason=FailedCreate')
})

for (const pieceBytes of [1, 3]) {
  t.test(`a slow drip of ${pieceBytes} bytes at a time cuts no character and no line`, async (t) => {
    const { nodes, events, watch } = await setUp(t)
    nodes.pieceBytes = pieceBytes

    const end = watch()
    const stream = await nodes.untilWatch(1)
    nodes.put({ metadata: { name: 'größe-€-😀' } })
    await stream.end()

    t.equal(await end, 'ended')
    t.strictSame(events, ['ADDED "größe-€-😀" 101'])
  })
}

t.test('half a line at the end is dropped', async (t) => {
  const { nodes, events, watch } = await setUp(t)

  const end = watch()
  const stream = await nodes.untilWatch(1)
  nodes.put({ metadata: { name: 'a' } })
  stream.sendRaw('{"type":"ADDED","object":{"metadata":{"name":"b","resourceVersion":"102"}}}')
  await stream.end()

  t.equal(await end, 'ended')
  t.strictSame(events, ['ADDED "a" 101'])
})

t.test('a line that is not JSON breaks the watch after what came before it', async (t) => {
  const { nodes, events, watch } = await setUp(t)

  const end = watch()
  const stream = await nodes.untilWatch(1)
  nodes.put({ metadata: { name: 'a' } })
  stream.sendRaw('{"type":\n')

  await t.rejects(end, { code: 'KUBE_REFUSED', message: /watch unreadable/ })
  t.strictSame(events, ['ADDED "a" 101'])
})

t.test('an expired version is thrown, as event and as status', async (t) => {
  const { nodes, watch } = await setUp(t)
  nodes.expire()

  await t.rejects(watch(), { code: 'KUBE_EXPIRED', message: /too old resource version/ })
  nodes.failNext('watch', { status: 410 })
  await t.rejects(watch(), { code: 'KUBE_EXPIRED' })
})

t.test('a cut connection is thrown', async (t) => {
  const { nodes, watch, clock } = await setUp(t)

  const end = watch()
  const stream = await nodes.untilWatch(1)
  await stream.reset()

  await t.rejects(end, { code: 'KUBE_UNREACHABLE' })
  t.strictSame(clock.sleeping(), [])
})

t.test('90 s without a byte end the watch; each byte starts them anew', async (t) => {
  const { nodes, watch, clock, nextEvent } = await setUp(t)

  const end = watch()
  await nodes.untilWatch(1)
  clock.advance(60_000)
  const event = nextEvent()
  nodes.bookmark()
  await event
  clock.advance(30_000)
  await clock.untilSleep((ms) => ms === 60_000)
  clock.advance(60_000)

  t.equal(await end, 'silent')
  t.strictSame(clock.sleeping(), [])
})

t.test('no answer at all ends the watch after 90 s', async (t) => {
  const { nodes, watch, clock } = await setUp(t)
  nodes.failNext('watch', 'hang')

  const end = watch()
  clock.advance(90_000)

  t.equal(await end, 'silent')
})

t.test('a watch that outlives its time limit by 30 s is ended, however lively', async (t) => {
  const { nodes, watch, clock, nextEvent } = await setUp(t)

  const end = watch({ timeoutSeconds: 45 })
  await nodes.untilWatch(1)
  const event = nextEvent()
  clock.advance(74_000)
  nodes.bookmark()
  await event
  clock.advance(1_000)

  t.equal(await end, 'silent')
})

t.test('the caller can end it, before and while it runs', async (t) => {
  const { nodes, watch, stop, clock } = await setUp(t)

  const end = watch()
  await nodes.untilWatch(1)
  stop.abort(new Error('enough'))

  await t.rejects(end, { code: 'KUBE_UNREACHABLE' })
  await t.rejects(watch(), { code: 'KUBE_UNREACHABLE' })
  t.strictSame(clock.sleeping(), [])
  t.equal(nodes.watchCount(), 1)
})
