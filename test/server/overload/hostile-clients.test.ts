import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { aReview, someCertificate, someWebhook } from '../some-webhook.ts'

/* Clients that hold what they can, over real sockets; whatever they do, the next review is answered. */

const ca = someCertificate.caPem
const MIB = 1024 * 1024

async function listening(t: Test) {
  const webhook = someWebhook()
  const { app } = webhook
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const port = Number(url.port)
  /** A connection that has shaken hands and sends this. */
  const dial = async (sent: string): Promise<TLSSocket> => {
    const socket = connect({ port, host: '127.0.0.1', ca })
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    socket.write(sent)
    return socket
  }
  return { ...webhook, port, dial }
}

/** Status of the answer to a review on a connection of its own. */
async function review(t: Test, port: number, path = '/rewrite'): Promise<number | undefined> {
  const agent = new Agent({ ca })
  t.teardown(() => agent.destroy())
  const call = request({ port, host: '127.0.0.1', path, method: 'POST', agent })
  call.setHeader('content-type', 'application/json')
  call.end(JSON.stringify(aReview()))
  const [response] = await once(call, 'response')
  response.resume()
  return response.statusCode
}

function head(length: string, path = '/rewrite'): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n`
}

/** Resolves when a connection is closed, by whatever. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** Status lines of all that a connection is sent until it ends. */
async function statusesUntilEnd(socket: TLSSocket): Promise<readonly string[]> {
  let text = ''
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1')
  })
  await ended(socket)
  return text.match(/HTTP\/1\.1 \d+/g) ?? []
}

t.test('half-open: connections without a handshake, more than are allowed', async (t) => {
  const { port, metrics } = await listening(t)
  for (let count = 0; count < 410; count += 1) {
    const socket = connectPlain(port, '127.0.0.1').on('error', () => undefined)
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
  }

  t.equal(await review(t, port), 200)
  t.ok(metrics.cuts.length >= 10, `${metrics.cuts.length} cut`)
})

t.test('slow-loris: heads that never end', async (t) => {
  const { app, port, dial, metrics } = await listening(t)
  for (let count = 0; count < 401; count += 1) await dial('POST /rewrite HTTP/1.1\r\nX-Slow: ')

  t.equal(await review(t, port), 200)
  t.ok(metrics.cuts.length > 0)
  t.equal(app.server.headersTimeout, 125_000, 'and each of them for so long at most')
})

t.test('slow bodies: as many as there are connections', async (t) => {
  const { port, dial } = await listening(t)
  for (let count = 0; count < 401; count += 1) await dial(`${head('Content-Length: 1000')}{`)

  t.equal(await review(t, port, '/isolation'), 200)
})

t.test('giant bodies: what is larger than a review is refused before it is read', async (t) => {
  const { port, dial } = await listening(t)

  const told = await dial(head(`Content-Length: ${8 * MIB}`))
  const streamed = await dial(head('Transfer-Encoding: chunked'))
  const [toldStatuses, streamedStatuses] = [statusesUntilEnd(told), statusesUntilEnd(streamed)]
  streamed.write(`${(8 * MIB).toString(16)}\r\n${' '.repeat(8 * MIB)}\r\n`)

  t.strictSame(await toldStatuses, ['HTTP/1.1 413'])
  t.match((await streamedStatuses).at(0) ?? 'cut', /413|cut/)
  t.equal(await review(t, port), 200)
})

t.test('giant bodies that do not end: they take up the memory for giants, and no more', async (t) => {
  const { port, dial, metrics } = await listening(t)
  for (let count = 0; count < 5; count += 1)
    await dial(`${head(`Content-Length: ${7 * MIB}`)}${' '.repeat(MIB)}`)

  const sixth = await dial(head(`Content-Length: ${7 * MIB}`))

  t.strictSame(await statusesUntilEnd(sixth), ['HTTP/1.1 503'])
  t.strictSame(metrics.shedReviews, [{ webhook: 'rewrite.rightslice.dev', cause: 'bodies' }])
  t.equal(await review(t, port), 200, 'reviews of the usual size need none of it')
})

t.test('pipelining: a thousand requests at once are not answered', async (t) => {
  const { port, dial, metrics } = await listening(t)

  const socket = await dial(`${head('Content-Length: 2')}{}`.repeat(1000))

  t.strictSame(await statusesUntilEnd(socket), [])
  t.strictSame(metrics.cuts, ['pipelined'])
  t.equal(await review(t, port), 200)
})

t.test('bytes that are no HTTP, and plain HTTP on the port for TLS', async (t) => {
  const { port, dial } = await listening(t)

  const garbage = await dial('\u0000\u0001\u0002 nothing\r\n\r\n')
  const plain = connectPlain(port, '127.0.0.1').on('error', () => undefined)
  plain.write('GET / HTTP/1.1\r\n\r\n')
  plain.resume()

  await Promise.all([statusesUntilEnd(garbage), ended(plain)])
  t.equal(await review(t, port), 200)
})

t.test('a connection is closed with its thousandth answer', async (t) => {
  const { dial } = await listening(t)
  const socket = await dial('')
  let answers = 0
  let last = ''
  socket.on('data', (piece: Buffer) => {
    answers += 1
    last = piece.toString('latin1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  })
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')

  await ended(socket)

  t.equal(answers, 1000)
  t.match(last, /^connection: close/im)
})
