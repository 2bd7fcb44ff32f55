import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { createHealthApp } from '../../src/server/health.ts'

const metrics = { contentType: 'text/plain; version=0.0.4', text: async () => 'rightslice_x 1\n' }

t.test('the process answers as long as it lives', async (t) => {
  const app = createHealthApp({ missing: () => ['nodes'], metrics })

  const { statusCode, body } = await app.inject('/healthz')

  t.equal(statusCode, 200)
  t.equal(body, 'ok\n')
})

t.test('ready says what is missing', async (t) => {
  let missing: readonly string[] = ['nodes', 'starting']
  const app = createHealthApp({ missing: () => missing, metrics })

  const early = await app.inject('/readyz')
  missing = []
  const late = await app.inject('/readyz')

  t.equal(early.statusCode, 503)
  t.strictSame(early.json(), { ready: false, waitingFor: ['nodes', 'starting'] })
  t.equal(late.statusCode, 200)
  t.strictSame(late.json(), { ready: true, waitingFor: [] })
})

t.test('metrics come in the form that Prometheus reads', async (t) => {
  const app = createHealthApp({ missing: () => [], metrics })

  const { headers, body } = await app.inject('/metrics')

  t.equal(headers['content-type'], 'text/plain; version=0.0.4')
  t.equal(body, 'rightslice_x 1\n')
})

t.test('nothing else is served', async (t) => {
  const app = createHealthApp({ missing: () => [], metrics })

  t.equal((await app.inject('/rewrite')).statusCode, 404)
})

t.test('whoever holds connections keeps the kubelet out of nothing', async (t) => {
  const app = createHealthApp({ missing: () => [], metrics })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const held = Array.from({ length: 70 }, () => connect(Number(url.port), '127.0.0.1'))
  t.teardown(() => {
    for (const socket of held) socket.destroy()
    return app.close()
  })
  for (const socket of held) socket.on('error', () => undefined)
  await Promise.all(held.map((socket) => once(socket, 'connect')))

  const { status } = await fetch(new URL('/healthz', url))

  t.equal(status, 200)
})
