import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { boundConnections } from '../../../src/server/overload/bound-connections.ts'

const LIMIT = 3
const REQUEST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'

/** A server that answers `GET`s, keeps `POST`s waiting, and can open connections to itself. */
async function boundedServer(t: Test) {
  const waiting: ServerResponse[] = []
  const server = createServer(({ method }, response) => {
    if (method === 'POST') waiting.push(response)
    else response.end('ok')
  })
  let cuts = 0
  boundConnections(server, {
    limit: LIMIT,
    onCut: () => {
      cuts += 1
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  /** Opens a connection, sends this, and waits until the server has it. */
  const open = async (sent = '', has: () => boolean = () => true): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.resume()
    await Promise.all([once(socket, 'connect'), once(server, 'connection')])
    socket.write(sent)
    while (!has()) await new Promise((resolve) => setImmediate(resolve))
    return socket
  }
  const answered = async (socket: Socket): Promise<void> => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
  }
  const asking = (): Promise<Socket> => {
    const before = waiting.length
    return open(REQUEST, () => waiting.length > before)
  }
  return { open, answered, asking, waiting, cuts: () => cuts }
}

/** Resolves when a connection is closed, by whatever. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

t.test('so many connections may be open', async (t) => {
  const { open, cuts } = await boundedServer(t)

  for (let count = 0; count < LIMIT; count += 1) await open()

  t.equal(cuts(), 0)
})

t.test('one more costs the oldest of those that never carried a request', async (t) => {
  const { open, answered, cuts } = await boundedServer(t)
  const proven = await open()
  await answered(proven)
  const [older, newer] = [await open(), await open('POST / HT')]
  const closed = ended(older)

  const newcomer = await open()
  await closed

  t.strictSame(
    [proven, newer, newcomer].map(({ closed }) => closed),
    [false, false, false]
  )
  t.equal(cuts(), 1)
})

t.test('then one whose request does not come, then the one that was idle for longest', async (t) => {
  const { open, answered, asking } = await boundedServer(t)
  const sockets = [await open(), await open(), await open()]
  for (const socket of sockets) await answered(socket)
  const [idle, , slow] = sockets
  slow?.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const closed: string[] = []
  slow?.once('close', () => closed.push('slow'))
  idle?.once('close', () => closed.push('idle'))

  await asking()
  while (closed.length < 1) await new Promise((resolve) => setImmediate(resolve))
  await asking()
  while (closed.length < 2) await new Promise((resolve) => setImmediate(resolve))

  t.strictSame(closed, ['slow', 'idle'])
  t.equal(sockets[1]?.closed, false)
})

t.test('one that waits for its answer is never cut; the newcomer is', async (t) => {
  const { open, asking, waiting, cuts } = await boundedServer(t)
  const sockets = [await asking(), await asking(), await asking()]

  const newcomer = await open()
  await ended(newcomer)
  for (const response of waiting) response.end('late')
  for (const socket of sockets) await once(socket, 'data')

  t.strictSame(
    sockets.map(({ closed }) => closed),
    [false, false, false]
  )
  t.equal(cuts(), 1)
})

t.test('a connection that ended makes room', async (t) => {
  const { open, cuts } = await boundedServer(t)
  const first = await open()
  await open()
  await open()
  first.destroy()
  await ended(first)
  await new Promise((resolve) => setTimeout(resolve, 50))

  await open()

  t.equal(cuts(), 0)
})
