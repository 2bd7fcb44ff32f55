import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { aReview, someCertificate, someWebhook } from '../../server/some-webhook.ts'

/*
 * An API server keeps connections that nobody uses for 90 s and then closes them itself. One that ends sooner on our side breaks the call that
 * is just being sent, and that call is not repeated. The limits of the server cannot be shortened for this, so the test takes as long.
 */

const IDLE_MS = 91_000

t.setTimeout(IDLE_MS + 30_000)

/** Sends a review on an open connection and reads the status of its answer. */
async function review(socket: TLSSocket): Promise<string> {
  const body = JSON.stringify(aReview())
  const head = [
    'POST /rewrite HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const [answer] = await once(socket, 'data')
  return String(answer).slice(0, 'HTTP/1.1 200'.length)
}

t.test('idle 91 s used/unused: connections still carry a review', async (t) => {
  const { app } = someWebhook()
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const [used, unused] = [0, 1].map(() => connect({ port, host: '127.0.0.1', ca: someCertificate.caPem }))
  if (used === undefined || unused === undefined) throw new Error('there are two connections')
  t.teardown(() => {
    for (const socket of [used, unused]) socket.destroy()
    return app.close()
  })
  await Promise.all([once(used, 'secureConnect'), once(unused, 'secureConnect')])
  await review(used)

  await pause(IDLE_MS)

  t.strictSame([await review(used), await review(unused)], ['HTTP/1.1 200', 'HTTP/1.1 200'])
})
