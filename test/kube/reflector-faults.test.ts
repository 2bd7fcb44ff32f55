import t from 'tap'
import type { ObjectChange } from '../../src/ports/object-store.ts'
import {
  hasty,
  type NodeView,
  names,
  never,
  node,
  passPause,
  setUp,
  untilStore,
  WATCHDOG_MS
} from './reflector-rig.ts'

const HOUR_MS = 3_600_000

t.test('a server that came back from a backup is believed within five minutes', async (t) => {
  const { server, nodes, clock, troubles, reflector } = await setUp(t)
  nodes.put(node('kept'))
  nodes.put(node('lost'))
  reflector.start()
  await nodes.untilWatch(1)
  await untilStore(reflector, () => reflector.list().length === 2)

  server.restore(101)
  await passPause(clock)
  for (const round of [2, 3, 4]) {
    await nodes.untilWatch(round)
    nodes.bookmark()
    clock.advance(WATCHDOG_MS)
  }
  await nodes.untilWatch(5)
  nodes.put(node('new'))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.strictSame(names(reflector), ['kept', 'new'])
  t.strictSame(troubles, ['unreachable'])
  t.match(reflector.state(), { relists: 1, drift: 0 })
})

t.test('a server that is started anew is watched on from where it was left', async (t) => {
  const { server, nodes, clock, reflector } = await setUp(t)
  reflector.start()
  await nodes.untilWatch(1)
  nodes.put(node('a'))
  await untilStore(reflector, () => reflector.list().length === 1)

  server.restart()
  nodes.put(node('b'))
  await passPause(clock)
  await untilStore(reflector, () => reflector.list().length === 2)

  t.match(reflector.state(), { relists: 0, watchRestarts: 1 })
})

t.test('a server that is mute for hours is asked again and again, and that is no trouble', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  nodes.put(node('a'))
  reflector.start()

  for (let round = 1; round <= 80; round += 1) {
    await nodes.untilWatch(round)
    clock.advance(WATCHDOG_MS)
  }
  await nodes.untilWatch(81)

  t.strictSame(troubles, [])
  t.match(reflector.state(), { watchRestarts: 80, drift: 0 })
  t.ok(reflector.state().relists >= 26, `${reflector.state().relists} lists in two hours`)
  t.strictSame(names(reflector), ['a'])
})

for (const { name, code, retryAfterSeconds, pauseMs, trouble } of [
  { name: 'an internal error', code: 500, retryAfterSeconds: undefined, pauseMs: 250, trouble: 'refused' },
  { name: 'too many requests', code: 429, retryAfterSeconds: 7, pauseMs: 7500, trouble: 'throttled' },
  {
    name: 'a right that was taken',
    code: 403,
    retryAfterSeconds: undefined,
    pauseMs: 30_000,
    trouble: 'forbidden'
  }
]) {
  for (const how of ['event', 'status'] as const) {
    t.test(`${name} as ${how} of a watch leads to a pause, and then it watches on`, async (t) => {
      const { nodes, clock, troubles, reflector } = await setUp(t)
      reflector.start()
      const stream = await nodes.untilWatch(1)
      nodes.put(node('a'))
      await untilStore(reflector, () => reflector.list().length === 1)

      if (how === 'event') stream.fail(code, name, retryAfterSeconds)
      else {
        nodes.failNext('watch', { status: code, retryAfterSeconds })
        clock.advance(10_000)
        await stream.end()
      }
      t.equal(await passPause(clock), pauseMs)
      nodes.put(node('b'))
      await untilStore(reflector, () => reflector.list().length === 2)

      t.strictSame(troubles, [trouble])
      t.equal(reflector.state().relists, 0)
    })
  }
}

t.test('an error event that says nothing is a refusal', async (t) => {
  const { nodes, clock, troubles, reflector } = await setUp(t)
  reflector.start()
  const stream = await nodes.untilWatch(1)

  stream.sendRaw('{"type":"ERROR","object":{}}\n')
  await passPause(clock)
  await nodes.untilWatch(2)

  t.strictSame(troubles, ['refused'])
})

t.test('events that come twice are no change', async (t) => {
  const { nodes, reflector } = await setUp(t)
  reflector.start()
  await nodes.untilWatch(1)
  nodes.put(node('a', 1))
  nodes.put(node('a', 2))
  nodes.put(node('b'))
  await untilStore(reflector, () => reflector.list().length === 2)
  const version = reflector.version()

  nodes.repeat(1)
  nodes.put(node('c'))
  await untilStore(reflector, () => reflector.list().length === 3)

  t.equal(reflector.version(), version + 1)
  t.strictSame(reflector.get('', 'a'), { name: 'a', gpus: 2 })
})

t.test('an event out of its order is put right by the next watch', async (t) => {
  const { nodes, clock, reflector } = await setUp(t)
  nodes.put(node('a', 1))
  reflector.start()
  const stream = await nodes.untilWatch(1)
  nodes.put(node('a', 2))
  nodes.put(node('a', 3))
  await untilStore(reflector, () => reflector.get('', 'a')?.gpus === 3)

  const { metadata, status } = node('a', 2)
  stream.send({ type: 'MODIFIED', object: { metadata: { ...metadata, resourceVersion: '102' }, status } })
  await untilStore(reflector, () => reflector.get('', 'a')?.gpus === 2)
  clock.advance(60_000)
  await stream.end()
  await untilStore(reflector, () => reflector.get('', 'a')?.gpus === 3)

  t.equal((await nodes.untilWatch(2)).query['resourceVersion'], '102')
})

for (const { heard, gap } of [
  { heard: 'event by event', gap: false },
  { heard: 'after a gap that a list fills', gap: true }
]) {
  t.test(`an object that is removed and made anew under its name is the new one, ${heard}`, async (t) => {
    const { nodes, reflector } = await setUp(t)
    nodes.put(node('a', 'old'))
    reflector.start()
    const stream = await nodes.untilWatch(1)
    const changes: ObjectChange<NodeView>[] = []
    reflector.onChange((more) => changes.push(...more))

    stream.silent = gap
    nodes.remove('a')
    nodes.put(node('a', 'new'))
    stream.silent = false
    if (gap) stream.fail(410, 'too old resource version')
    await untilStore(reflector, () => reflector.get('', 'a')?.gpus === 'new')

    const before = { name: 'a', gpus: 'old' }
    const after = { name: 'a', gpus: 'new' }
    t.strictSame(
      changes,
      gap
        ? [{ before, after }]
        : [
            { before, after: undefined },
            { before: undefined, after }
          ]
    )
    t.equal(reflector.list().length, 1)
  })
}

t.test('a list whose page tokens always run out is asked for in longer pages until it comes', async (t) => {
  const { server, nodes, clock, reflector } = await setUp(t, { pageSize: 1 })
  for (let n = 0; n < 10; n += 1) nodes.put(node(`n${n}`))
  nodes.failNext('page', { status: 410 }, 2)

  reflector.start()
  await passPause(clock)
  await reflector.synced(never)

  const limits = server.seen
    .filter(({ query }) => query['continue'] === undefined)
    .map(({ query }) => query['limit'])
  t.strictSame(limits.slice(0, 3), ['1', '4', '16'])
  t.equal(reflector.list().length, 10)
})

for (const place of ['list', 'page'] as const) {
  t.test(`a ${place} that never comes is given up after a minute and asked for again`, async (t) => {
    const { nodes, clock, troubles, reflector } = await setUp(t, { pageSize: 1 }, (connection) =>
      hasty(connection, 60)
    )
    nodes.put(node('a'))
    nodes.put(node('b'))
    nodes.failNext(place, 'hang')

    reflector.start()
    await passPause(clock)
    await reflector.synced(never)

    t.strictSame(troubles, ['unreachable'])
    t.strictSame(names(reflector), ['a', 'b'])
  })
}

t.test('an object as large as the API server takes arrives whole, in list and watch', async (t) => {
  const { nodes, reflector } = await setUp(t)
  const large = 'é'.repeat(750_000)
  nodes.put(node('a', large))
  reflector.start()
  await nodes.untilWatch(1)

  nodes.put(node('b', large))
  await untilStore(reflector, () => reflector.list().length === 2)

  t.strictSame(
    reflector.list().map(({ gpus }) => gpus === large),
    [true, true]
  )
})

for (const { name, jumpMs } of [
  { name: 'forth', jumpMs: 24 * HOUR_MS },
  { name: 'back', jumpMs: -24 * HOUR_MS }
]) {
  t.test(
    `a clock that is set a day ${name} ends no watch, hides no silence, and makes no store old`,
    async (t) => {
      const { nodes, clock, troubles, reflector } = await setUp(t)
      reflector.start()
      const stream = await nodes.untilWatch(1)
      stream.silent = true
      nodes.put(node('a'))

      clock.advance(30_000)
      clock.jump(jumpMs)
      t.equal(clock.nowMs() - reflector.state().lastHeardMs, 30_000)
      t.equal(nodes.watchCount(), 1)
      clock.advance(WATCHDOG_MS - 30_000)
      await untilStore(reflector, () => reflector.list().length === 1)

      t.strictSame(troubles, [])
      t.match(reflector.state(), { relists: 0, watchRestarts: 1 })
    }
  )
}
