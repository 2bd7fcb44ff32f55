import t from 'tap'
import { fieldAt, stringOf } from '../../src/core/json.ts'
import { readOwnerView } from '../../src/gather/read-views.ts'
import { Reflector } from '../../src/kube/reflector.ts'
import { type ContractObject, objectStoreContract } from '../contract/object-store.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { fakeCluster } from './fake-cluster.ts'
import { names, never, node, passPause, setUp, untilStore, WATCHDOG_MS } from './reflector-rig.ts'

t.test('the contract of an ObjectStore', async (t) => {
  objectStoreContract(t, async (t) => {
    const { server, connection } = await fakeCluster(t)
    const things = server.collection('/apis/x/v1/things', 'x/v1', 'Thing')
    const reflector = new Reflector<ContractObject>({
      connection,
      resource: { path: '/apis/x/v1/things', kind: 'Thing' },
      project: (raw) => ({
        namespace: stringOf(fieldAt(raw, 'metadata'), 'namespace') ?? '',
        name: stringOf(fieldAt(raw, 'metadata'), 'name') ?? '',
        size: Number(fieldAt(raw, 'size'))
      }),
      clock: new FakeClock(),
      random: () => 0.5,
      log: new MemoryLog()
    })
    t.teardown(() => reflector.stop())
    reflector.start()
    await reflector.synced(never)
    await things.untilWatch(1)
    return {
      store: reflector,
      put: async (object) => {
        const { namespace, name, size } = object
        things.put({ metadata: namespace === '' ? { name } : { name, namespace }, size })
        await untilStore(reflector, () => reflector.get(namespace, name)?.size === size)
      },
      remove: async (namespace, name) => {
        things.remove(name, namespace)
        await untilStore(reflector, () => reflector.get(namespace, name) === undefined)
      }
    }
  })
})

t.test('nothing is read before it starts, and reads never wait', async (t) => {
  const { server, reflector } = await setUp(t)

  t.equal(reflector.get('', 'a'), undefined)
  t.strictSame(reflector.list(), [])
  t.equal(reflector.version(), 0)
  t.strictSame(reflector.state(), { synced: false, lastHeardMs: 0, relists: 0, watchRestarts: 0, drift: 0 })
  t.match(reflector.health(), { phase: 'idle', trouble: undefined })
  t.equal(server.seen.length, 0)
})

t.test('list, then watch: it watches from the version of the list, keeping projections only', async (t) => {
  const { server, nodes, clock, reflector } = await setUp(t, { pageSize: 2 })
  for (const name of ['a', 'b', 'c']) nodes.put(node(name))
  nodes.put(node('cpu-only', 'none'))

  reflector.start()
  reflector.start()
  await reflector.synced(never)
  const stream = await nodes.untilWatch(1)

  t.strictSame(names(reflector), ['a', 'b', 'c'])
  t.strictSame(reflector.get('', 'a'), { name: 'a', gpus: 1 })
  t.equal(reflector.version(), 1)
  t.strictSame(stream.query, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '104',
    timeoutSeconds: '440'
  })
  t.strictSame(reflector.state(), {
    synced: true,
    lastHeardMs: clock.nowMs(),
    relists: 0,
    watchRestarts: 0,
    drift: 0
  })
  t.equal(reflector.health().phase, 'watching')
  t.equal(server.seen.length, 3)
})

t.test('a change of what is not projected, or an equal one, is no change', async (t) => {
  const { nodes, reflector } = await setUp(t)
  nodes.put(node('a'))
  reflector.start()
  await reflector.synced(never)
  await nodes.untilWatch(1)
  const before = reflector.get('', 'a')

  nodes.put({ ...node('a'), spec: { unschedulable: true } })
  nodes.put(node('b'))
  await untilStore(reflector, () => reflector.get('', 'b') !== undefined)

  t.equal(reflector.version(), 2)
  t.equal(reflector.get('', 'a'), before)
})

t.test('an object whose projection becomes undefined, or throws, is no longer held', async (t) => {
  const { nodes, troubles, log, reflector } = await setUp(t)
  for (const name of ['a', 'b', 'c']) nodes.put(node(name))
  reflector.start()
  await reflector.synced(never)
  await nodes.untilWatch(1)

  nodes.put(node('a', 'none'))
  nodes.put(node('b', 'poison'))
  await untilStore(reflector, () => reflector.list().length === 1)

  t.strictSame(names(reflector), ['c'])
  t.strictSame(troubles, ['projection'])
  t.match(log.lines.at(-1), { level: 'error', message: 'object not understood', fields: { kind: 'Node' } })
})

t.test('bookmarks move the place to go on from and show life', async (t) => {
  const { server, nodes, clock, reflector } = await setUp(t)
  reflector.start()
  const stream = await nodes.untilWatch(1)
  server.collection('/api/v1/namespaces', 'v1', 'Namespace').put({ metadata: { name: 'moves the version' } })

  clock.advance(20_000)
  nodes.bookmark()
  await stream.end()
  const second = await nodes.untilWatch(2)

  t.equal(second.query['resourceVersion'], '101')
  t.equal(reflector.health().lastBookmarkVersion, '101')
  t.match(reflector.state(), { lastHeardMs: clock.nowMs(), relists: 0, watchRestarts: 1 })
})

t.test('a watch that ends by its time limit is opened again at once, where it ended', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  reflector.start()
  const stream = await nodes.untilWatch(1)
  nodes.put(node('a'))
  await untilStore(reflector, () => reflector.list().length === 1)
  clock.advance(60_000)

  await stream.end()
  const second = await nodes.untilWatch(2)
  nodes.put(node('b'))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.equal(second.query['resourceVersion'], '101')
  t.strictSame(reflector.state().relists, 0)
  t.strictSame(troubles, [])
})

t.test('a watch that ends as soon as it began is opened again after a pause', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  reflector.start()

  await (await nodes.untilWatch(1)).end()
  const first = await passPause(clock)
  await (await nodes.untilWatch(2)).end()
  const second = await passPause(clock)

  t.strictSame([first, second], [250, 500])
})

t.test(
  'reset: a cut connection is followed by a new watch in less than 2 s, without a gap and without a list',
  async (t) => {
    const { nodes, clock, troubles, log, reflector } = await setUp(t)
    reflector.start()
    const stream = await nodes.untilWatch(1)
    nodes.put(node('a'))
    await untilStore(reflector, () => reflector.list().length === 1)

    await stream.reset()
    const pause = clock.untilSleep((ms) => ms !== WATCHDOG_MS)
    t.equal(await pause, 250)
    t.match(reflector.health(), { phase: 'waiting', trouble: 'unreachable' })
    nodes.put(node('b'))
    nodes.remove('a')
    clock.advance(250)
    await untilStore(reflector, () => names(reflector).join() === 'b')

    t.strictSame(troubles, ['unreachable'])
    t.match(reflector.state(), { relists: 0, watchRestarts: 1 })
    t.equal(reflector.health().trouble, undefined)
    t.match(log.lines.at(-1), {
      level: 'warn',
      message: 'watch failed',
      fields: { trouble: 'unreachable', pauseMs: 250 }
    })
  }
)

t.test('half lines: one before a cut is read whole afterwards', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  reflector.start()
  const stream = await nodes.untilWatch(1)
  stream.sendRaw('{"type":"ADDED","object":{"metadata":{"na')
  stream.silent = true
  nodes.put(node('a'))
  await stream.reset()

  await passPause(clock)
  await untilStore(reflector, () => reflector.list().length === 1)

  t.equal(reflector.state().relists, 0)
})

t.test('silence: a server that says nothing is asked again after 90 s, and that is no error', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  reflector.start()
  const stream = await nodes.untilWatch(1)
  stream.silent = true
  nodes.put(node('a'))

  clock.advance(WATCHDOG_MS)
  await untilStore(reflector, () => reflector.list().length === 1)

  t.strictSame(troubles, [])
  t.match(reflector.state(), { relists: 0, watchRestarts: 1 })
})

t.test(
  'where nothing is ever heard, not even bookmarks, it lists anew before the version is forgotten',
  async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t)
    reflector.start()
    for (const round of [1, 2, 3]) {
      await nodes.untilWatch(round)
      t.equal(reflector.state().relists, 0)
      clock.advance(WATCHDOG_MS)
    }
    await nodes.untilWatch(4)

    t.strictSame(troubles, [])
    t.match(reflector.state(), { relists: 1, watchRestarts: 3 })
  }
)

for (const how of ['event', 'status'] as const) {
  t.test(`410 as ${how} leads to a new list at once, which replaces the content in one step`, async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t)
    nodes.put(node('a'))
    nodes.put(node('b'))
    reflector.start()
    const stream = await nodes.untilWatch(1)
    clock.advance(60_000)
    stream.silent = true
    nodes.remove('a')
    nodes.put(node('c'))
    const seen: string[] = []
    reflector.onChange(() => seen.push(names(reflector).join()))

    if (how === 'status') nodes.failNext('watch', { status: 410 })
    else nodes.expire()
    await stream.end()
    await nodes.untilWatch(how === 'status' ? 2 : 3)

    t.strictSame(seen, ['b,c'])
    t.strictSame(troubles, ['expired'])
    t.strictSame(reflector.state().relists, 1)
    t.equal(reflector.state().drift, 0)
    t.strictSame(clock.sleeping(), [WATCHDOG_MS])
  })
}

t.test('410 again and again is answered with growing pauses', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  nodes.failNext('watch', { status: 410 }, 3)
  reflector.start()

  const pauses = [await passPause(clock), await passPause(clock)]
  await nodes.untilWatch(1)

  t.strictSame(pauses, [500, 1000])
  t.equal(reflector.state().relists, 3)
})

t.test('page expiry 410 in the middle of paging begins the list anew at once', async (t) => {
  const { nodes, troubles, reflector } = await setUp(t, { pageSize: 1 })
  for (const name of ['a', 'b', 'c']) nodes.put(node(name))
  nodes.failNext('page', { status: 410 })

  reflector.start()
  await reflector.synced(never)

  t.strictSame(names(reflector), ['a', 'b', 'c'])
  t.strictSame(troubles, ['expired'])
  t.equal(reflector.version(), 1)
})

t.test('a list that is refused with 500 three times is asked for until it comes', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  nodes.put(node('a'))
  nodes.failNext('list', { status: 500 }, 3)
  reflector.start()

  const pauses = [await passPause(clock), await passPause(clock), await passPause(clock)]
  await reflector.synced(never)

  t.strictSame(pauses, [250, 500, 1000])
  t.strictSame(troubles, ['refused', 'refused', 'refused'])
  t.strictSame(names(reflector), ['a'])
})

for (const fault of ['reset', 'cut', 'garbage'] as const) {
  t.test(`a list that ends as ${fault} is asked for again`, async (t) => {
    const { nodes, clock, reflector } = await setUp(t)
    nodes.failNext('list', fault)
    reflector.start()

    t.equal(await passPause(clock), 250)
    await reflector.synced(never)
  })
}

for (const status of [429, 503]) {
  t.test(`${status} is obeyed: the pause is what the server asks for`, async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t)
    nodes.failNext('list', { status, retryAfterSeconds: 7 })
    reflector.start()

    t.equal(await passPause(clock), 7500)
    await reflector.synced(never)
    t.strictSame(troubles, ['throttled'])
  })
}

t.test('403 is a state with slow retries, until the rights come', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  nodes.failNext('list', { status: 403, message: 'nodes is forbidden' }, 2)
  reflector.start()

  const pauses = [await passPause(clock)]
  const waiting = clock.untilSleep((ms) => ms !== WATCHDOG_MS)
  pauses.push(await waiting)
  t.match(reflector.health(), { phase: 'waiting', trouble: 'forbidden' })
  clock.advance(30_000)
  await reflector.synced(never)

  t.strictSame(pauses, [30_000, 30_000])
  t.equal(reflector.health().trouble, undefined)
})

t.test('a 401 once is not even a pause', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  nodes.failNext('list', { status: 401 })
  nodes.failNext('watch', { status: 401 })
  reflector.start()

  await nodes.untilWatch(1)

  t.strictSame(troubles, [])
  t.strictSame(clock.sleeping(), [WATCHDOG_MS])
})

const garbled = [
  { name: 'is not JSON', line: '{"type":"ADDED","obj\n' },
  { name: 'is not UTF-8', line: Buffer.from([0x22, 0xff, 0x22, 0x0a]) },
  { name: 'has no name', line: '{"type":"ADDED","object":{"metadata":{"resourceVersion":"101"}}}\n' },
  { name: 'is longer than 8 MiB', line: Buffer.alloc(8 * 1024 * 1024 + 1, 0x20) }
]
for (const { name, line } of garbled) {
  t.test(`an event that ${name} leads to a new list, so that nothing is missed`, async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t)
    reflector.start()
    const stream = await nodes.untilWatch(1)
    stream.silent = true
    nodes.put(node('a'))

    stream.sendRaw(line)
    await passPause(clock)
    await untilStore(reflector, () => reflector.list().length === 1)

    t.strictSame(troubles, ['broken'])
    t.equal(reflector.state().relists, 1)
  })
}

t.test('slow drip: an event that arrives byte by byte is read whole', async (t) => {
  const { nodes, reflector } = await setUp(t)
  nodes.pieceBytes = 1
  nodes.put(node('größe-€'))
  reflector.start()
  await nodes.untilWatch(1)

  nodes.put(node('😀', 'größe'))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.strictSame(reflector.get('', '😀'), { name: '😀', gpus: 'größe' })
  t.strictSame(names(reflector), ['größe-€', '😀'])
})

t.test(
  'a watch that is refused five times in a row leads to a new list: the version may be the trouble',
  async (t) => {
    const { nodes, clock, reflector } = await setUp(t)
    nodes.failNext('watch', { status: 504, message: 'Too large resource version' }, 5)
    reflector.start()
    await reflector.synced(never)

    for (let n = 0; n < 5; n += 1) await passPause(clock)
    await nodes.untilWatch(1)

    t.equal(reflector.state().relists, 1)
  }
)

t.test('a watch that held for a while ends the series of failures', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  reflector.start()
  const pauses: number[] = []
  for (const lifeMs of [0, 0, 10_000, 0]) {
    const stream = await nodes.untilWatch(pauses.length + 1)
    clock.advance(lifeMs)
    await stream.reset()
    pauses.push(await passPause(clock))
  }

  t.strictSame(pauses, [250, 500, 250, 500])
})

t.test(
  'now and then it lists at the version it is at, and counts and repairs what events had missed',
  async (t) => {
    const { server, nodes, clock, log, reflector } = await setUp(t, { checkMs: 60_000 })
    nodes.put(node('a'))
    reflector.start()
    const stream = await nodes.untilWatch(1)
    nodes.putUnheard(node('lost'))
    nodes.put(node('b'))
    await untilStore(reflector, () => reflector.list().length === 2)
    nodes.put(node('later'))
    await untilStore(reflector, () => reflector.list().length === 3)

    clock.advance(60_000)
    await stream.end()
    await nodes.untilWatch(2)

    t.strictSame(names(reflector), ['a', 'b', 'later', 'lost'])
    t.match(reflector.state(), { drift: 1, relists: 1 })
    t.equal(stream.query['resourceVersion'], '101')
    t.match(server.seen.at(-2)?.query, { resourceVersion: '104', resourceVersionMatch: 'Exact' })
    t.match(log.lines.at(-1), {
      level: 'warn',
      message: 'store had drifted and was put right',
      fields: { kind: 'Node', differences: 1 }
    })
  }
)

t.test('a check that finds nothing missed is no change', async (t) => {
  const { nodes, clock, reflector } = await setUp(t, { checkMs: 60_000 })
  nodes.put(node('a'))
  reflector.start()
  const stream = await nodes.untilWatch(1)

  clock.advance(60_000)
  await stream.end()
  await nodes.untilWatch(2)

  t.match(reflector.state(), { relists: 1, watchRestarts: 1, drift: 0 })
  t.equal(reflector.version(), 1)
})

t.test(
  'a check that fails is left for the next time; one whose version expired becomes a plain list',
  async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t, { checkMs: 60_000 })
    nodes.put(node('a'))
    reflector.start()
    const stream = await nodes.untilWatch(1)

    nodes.failNext('list', { status: 500 })
    clock.advance(60_000)
    await stream.end()
    t.equal(await passPause(clock), 250)
    const second = await nodes.untilWatch(2)
    nodes.failNext('list', { status: 410 })
    clock.advance(60_000)
    await second.end()
    t.equal(await passPause(clock), 500)
    await nodes.untilWatch(3)

    t.strictSame(troubles, ['refused', 'expired'])
    t.match(reflector.state(), { relists: 1, drift: 0 })
  }
)

t.test('a listener that throws is reported and harms nothing', async (t) => {
  const { nodes, troubles, log, reflector } = await setUp(t)
  reflector.onChange(() => {
    throw new Error('planted')
  })
  nodes.put(node('a'))

  reflector.start()
  await nodes.untilWatch(1)

  t.strictSame(troubles, ['listener'])
  t.match(log.lines[0], { level: 'error', message: 'listener failed' })
})

t.test('a trouble hook that throws is logged and ends nothing', async (t) => {
  const { nodes, clock, log, reflector } = await setUp(t, {
    onTrouble: () => {
      throw new Error('planted')
    }
  })
  nodes.failNext('list', { status: 500 })

  reflector.start()
  await passPause(clock)
  await reflector.synced(never)

  t.match(log.lines[1], { level: 'error', message: 'trouble hook failed' })
})

t.test('keys and equality can be supplied', async (t) => {
  const { nodes, reflector } = await setUp(t, {
    keyOf: (raw) => ({ namespace: 'all', name: stringOf(fieldAt(raw, 'metadata'), 'name') ?? '' }),
    equal: () => true
  })
  nodes.put(node('a', 1))
  reflector.start()
  await nodes.untilWatch(1)

  nodes.put(node('a', 2))
  nodes.put(node('b'))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.strictSame(reflector.get('all', 'a'), { name: 'a', gpus: 1 })
})

t.test('reads metadata only, in lists and watches', async (t) => {
  const { server, connection } = await fakeCluster(t)
  const sets = server.collection('/apis/apps/v1/replicasets', 'apps/v1', 'ReplicaSet')
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-0', controller: true }
  const set = (name: string) => ({
    metadata: { name, namespace: 'ml', uid: `u-${name}`, ownerReferences: [owner] },
    spec: {}
  })
  sets.put(set('web-1'))
  const reflector = new Reflector({
    connection,
    resource: { path: '/apis/apps/v1/replicasets', kind: 'ReplicaSet' },
    metadataOnly: true,
    project: (raw) => (fieldAt(raw, 'spec') === undefined ? readOwnerView(raw, 'ReplicaSet') : undefined),
    clock: new FakeClock(),
    random: () => 0,
    log: new MemoryLog()
  })
  t.teardown(() => reflector.stop())

  reflector.start()
  await sets.untilWatch(1)
  sets.put(set('web-2'))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.match(reflector.get('ml', 'web-2'), { name: 'web-2', controller: { kind: 'Deployment', name: 'web' } })
  t.strictSame(
    server.seen.map(({ headers }) => headers.accept),
    [
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
    ]
  )
})

t.test('waiting for the first list can be given up', async (t) => {
  const { nodes, reflector } = await setUp(t)
  nodes.failNext('list', 'hang')
  const wait = new AbortController()
  reflector.start()

  const synced = reflector.synced(wait.signal)
  wait.abort(new Error('too long'))

  await t.rejects(synced, { message: 'too long' })
  await t.rejects(reflector.synced(wait.signal), { message: 'too long' })
})

t.test('stopped before the first list, it says so to whoever waits', async (t) => {
  const { nodes, reflector, troubles } = await setUp(t)
  nodes.failNext('list', 'hang')
  reflector.start()
  const synced = reflector.synced(never)

  await reflector.stop()

  await t.rejects(synced, { code: 'KUBE_UNREACHABLE', message: /stopped before it was read/ })
  t.equal(reflector.health().phase, 'stopped')
  t.strictSame(troubles, [])
})

t.test('stopped in a watch or in a pause, it opens no other; what it read stays', async (t) => {
  for (const when of ['watch', 'pause']) {
    const { server, nodes, clock, reflector } = await setUp(t)
    nodes.put(node('a'))
    reflector.start()
    const stream = await nodes.untilWatch(1)
    if (when === 'pause') {
      await stream.reset()
      await clock.untilSleep((ms) => ms !== WATCHDOG_MS)
    }

    await reflector.stop()
    await reflector.stop()
    reflector.start()
    clock.advance(3_600_000)

    t.equal(server.seen.length, 2)
    t.strictSame(names(reflector), ['a'])
    t.strictSame(clock.sleeping(), [])
    t.equal(reflector.health().phase, 'stopped')
  }
})

t.test('stopped before it was started, it never starts', async (t) => {
  const { server, reflector } = await setUp(t)

  await reflector.stop()
  reflector.start()

  t.equal(server.seen.length, 0)
})

t.test('a hundred restarts need only a few connections', async (t) => {
  const { server, nodes, clock, reflector } = await setUp(t)
  reflector.start()
  for (let n = 1; n <= 100; n += 1) {
    const stream = await nodes.untilWatch(n)
    clock.advance(60_000)
    await stream.end()
  }
  await nodes.untilWatch(101)

  t.ok(server.connections() <= 4, `${server.connections()} connections`)
})

for (const status of [404, 403]) {
  t.test(`a collection that may be missing is empty after ${status}, until it is there`, async (t) => {
    const { nodes, clock, log, reflector } = await setUp(t, { optional: true })
    nodes.put(node('a'))
    nodes.failNext('list', { status, message: 'no' }, 2)
    reflector.start()
    await reflector.synced(never)
    t.strictSame(names(reflector), [])

    const pauses = [await passPause(clock)]
    await clock.untilSleep((ms) => ms !== WATCHDOG_MS)
    clock.advance(60_000)
    t.equal(reflector.state().lastHeardMs, clock.nowMs(), 'of what is not there nothing is to be heard')
    clock.advance(240_000)
    await untilStore(reflector, () => names(reflector).join() === 'a')

    t.strictSame(pauses, [300_000])
    t.equal(log.lines.filter(({ message }) => message === 'collection is not there').length, 1)
  })
}

t.test('what was there and may not be read any more is forgotten', async (t) => {
  const { nodes, clock, reflector } = await setUp(t, { optional: true })
  nodes.put(node('a'))
  reflector.start()
  const stream = await nodes.untilWatch(1)
  t.strictSame(names(reflector), ['a'])

  nodes.failNext('watch', { status: 403, message: 'no' })
  await stream.end()
  await passPause(clock)
  await untilStore(reflector, () => reflector.list().length === 0)

  t.equal(reflector.state().synced, true)
})
