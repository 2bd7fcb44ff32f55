import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { until } from '../bed/until.ts'
import { type Balancer, startBalancer } from './balancer.ts'

/** A backend that says its name to whoever connects, and holds the connection. */
async function startBackend(t: Test, name: string): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).write(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function dial(t: Test, { port }: Balancer): Socket {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  return socket
}

/** Who answers a new connection. */
async function heard(t: Test, balancer: Balancer): Promise<string> {
  const [name] = await once(dial(t, balancer), 'data')
  return String(name)
}

/** Whether a connection ends with a reset before anything came. */
async function isReset(t: Test, balancer: Balancer): Promise<boolean> {
  return await text(dial(t, balancer)).then(
    () => false,
    (error: unknown) => String(error).includes('ECONNRESET')
  )
}

t.test('connections go to the backends in turn, and to one that joins', async (t) => {
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => startBackend(t, name)))
  const balancer = await startBalancer([a ?? 0, b ?? 0])
  t.teardown(() => balancer.close())

  t.strictSame(
    [await heard(t, balancer), await heard(t, balancer), await heard(t, balancer)],
    ['a', 'b', 'a']
  )
  balancer.add(c ?? 0)
  t.strictSame(
    [await heard(t, balancer), await heard(t, balancer), await heard(t, balancer)],
    ['a', 'b', 'c']
  )
})

t.test('a backend that left is forgotten late, and what it was given until then is counted', async (t) => {
  const [a, b] = await Promise.all(['a', 'b'].map((name) => startBackend(t, name)))
  const balancer = await startBalancer([a ?? 0, b ?? 0], 500)
  t.teardown(() => balancer.close())
  await heard(t, balancer)
  await heard(t, balancer)

  const { held, given, forgotten } = balancer.remove(a ?? 0)

  t.equal(held, 1)
  t.strictSame([await heard(t, balancer), await heard(t, balancer)], ['a', 'b'])
  t.equal(given(), 1)
  await forgotten
  t.strictSame([await heard(t, balancer), await heard(t, balancer)], ['b', 'b'])
  t.equal(given(), 1)
})

t.test('a backend that is dead resets whoever is given to it', async (t) => {
  const balancer = await startBalancer([1])
  t.teardown(() => balancer.close())

  t.ok(await isReset(t, balancer))
})

t.test('cut connections are reset on both sides, and while it is down new ones are as well', async (t) => {
  const balancer = await startBalancer([await startBackend(t, 'a')])
  t.teardown(() => balancer.close())
  const socket = dial(t, balancer)
  const [name] = await once(socket, 'data')
  const fault = once(socket, 'error')

  t.equal(balancer.cut(), 1)

  t.equal(String(name), 'a')
  t.match(String((await fault)[0]), /ECONNRESET/)
  await until('nothing is open', () => balancer.cut() === 0)
  balancer.setDown(true)
  t.ok(await isReset(t, balancer))
  balancer.setDown(false)
  t.equal(await heard(t, balancer), 'a')
})
