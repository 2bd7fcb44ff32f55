import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { fieldAt } from '../../src/core/json.ts'
import { type ServeParts, type ServingWebhook, serveWebhook } from '../../src/server/serve.ts'
import { CertificateSlot, fixedCertificate } from '../../src/tls/certificate-slot.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { someSettings } from '../build/input.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { selfSigned } from '../fakes/self-signed.ts'
import { aReview, MemoryMetrics, someCertificate, someStores } from './some-webhook.ts'

const ca = someCertificate.caPem

function someParts(changes: Partial<ServeParts> = {}): ServeParts & { readonly log: MemoryLog } {
  return {
    listen: { host: '127.0.0.1', port: 0, healthPort: 0 },
    certificates: fixedCertificate(someCertificate),
    stores: someStores(),
    settings: someSettings,
    metrics: new MemoryMetrics(),
    ...changes,
    log: new MemoryLog()
  }
}

async function serve(t: Test, changes: Partial<ServeParts> = {}): Promise<ServingWebhook> {
  const webhook = await serveWebhook(someParts(changes))
  t.teardown(() => webhook.stop(0))
  return webhook
}

interface Answer {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly body: unknown
}

function post({ url }: ServingWebhook, agent: Agent): Promise<Answer> {
  const payload = JSON.stringify(aReview())
  return new Promise((resolve, reject) => {
    const call = request(`${url}/rewrite?timeout=2s`, { method: 'POST', agent, ca }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => {
        const { statusCode: status, headers } = response
        resolve({ status, connection: headers.connection, body: JSON.parse(text) })
      })
    })
    call.on('error', reject)
    call.setHeader('content-type', 'application/json')
    call.end(payload)
  })
}

function keepAliveAgent(t: Test): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  return agent
}

async function shakeHands({ url }: ServingWebhook, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca, ...options })
  try {
    await once(socket, 'secureConnect')
    return socket
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}

async function readiness({ healthUrl }: { readonly healthUrl: string }): Promise<readonly [number, unknown]> {
  const response = await fetch(`${healthUrl}/readyz`, { headers: { connection: 'close' } })
  const body: unknown = await response.json()
  return [response.status, body]
}

t.test('a review over TLS is answered, on a connection that stays open', async (t) => {
  const webhook = await serve(t)

  const answer = await post(webhook, keepAliveAgent(t))

  t.equal(answer.status, 200)
  t.equal(answer.connection, 'keep-alive')
  t.match(answer.body, { response: { uid: 'uid-1', patchType: 'JSONPatch' } })
})

for (const offer of [['http/1.1'], ['h2', 'http/1.1']]) {
  t.test(`a client that offers ${offer.join(' and ')} gets HTTP/1.1`, async (t) => {
    const webhook = await serve(t)

    const socket = await shakeHands(webhook, { ALPNProtocols: offer })

    t.equal(socket.alpnProtocol, 'http/1.1')
    t.equal(socket.authorized, true)
  })
}

t.test('TLS 1.2 is the least that is spoken', async (t) => {
  const webhook = await serve(t)

  await t.resolves(shakeHands(webhook, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }))
  await t.rejects(
    shakeHands(webhook, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  )
})

t.test('the name that the API server asks for is vouched for', async (t) => {
  const webhook = await serve(t)

  const socket = await shakeHands(webhook, { servername: 'rightslice.rightslice-system.svc' })

  t.equal(socket.authorized, true)
})

t.test('it is ready once every store is in memory and the port accepts', async (t) => {
  const stores = someStores()
  stores.jobs.setState({ synced: false })
  const synced = Promise.withResolvers<void>()
  const parts = someParts({ stores, whenSynced: () => synced.promise })
  const starting = serveWebhook(parts)
  const healthUrl = await healthUrlOf(parts.log)

  const early = await readiness({ healthUrl })
  stores.jobs.setState({ synced: true })
  synced.resolve()
  const webhook = await starting
  t.teardown(() => webhook.stop(0))
  const late = await readiness(webhook)

  t.strictSame(early, [503, { ready: false, waitingFor: ['jobs', 'starting'] }])
  t.strictSame(late, [200, { ready: true, waitingFor: [] }])
})

/** The health server is announced in the log before the start is over. */
async function healthUrlOf(log: MemoryLog): Promise<string> {
  for (;;) {
    const url = log.lines.map(({ fields }) => fields['healthUrl']).find((found) => typeof found === 'string')
    if (typeof url === 'string') return url
    await new Promise((resolve) => setImmediate(resolve))
  }
}

t.test('what changes in the cluster is taken up a moment later', async (t) => {
  const stores = someStores()
  const webhook = await serve(t, { stores })
  const agent = keepAliveAgent(t)

  stores.nodes.remove('', 'node-1')

  let decision: unknown = 'rewrite'
  while (decision === 'rewrite') {
    const { body } = await post(webhook, agent)
    decision = fieldAt(body, 'response', 'auditAnnotations', 'decision')
  }
  t.equal(decision, 'keep', 'the node is gone')
})

t.test('ready only when caBundle holds our CA: API servers believe its certificate', async (t) => {
  const missing = ['caBundle']
  const certificates = { ...fixedCertificate(someCertificate), missing: () => missing }
  const webhook = await serve(t, { certificates })

  const early = await readiness(webhook)
  const answer = await post(webhook, keepAliveAgent(t))
  missing.pop()
  const late = await readiness(webhook)

  t.strictSame(early, [503, { ready: false, waitingFor: ['caBundle'] }])
  t.equal(answer.status, 200, 'whoever comes is answered')
  t.strictSame(late, [200, { ready: true, waitingFor: [] }])
})

t.test('API server away: stays ready, degraded: it rewrites no more', async (t) => {
  const stores = someStores()
  const webhook = await serve(t, { stores, settings: { ...someSettings, staleAfterMs: 300_000 } })
  const agent = keepAliveAgent(t)

  for (const store of Object.values(stores)) store.setState({ lastHeardMs: Date.now() })
  const fresh = await post(webhook, agent)
  stores.policies.setState({ lastHeardMs: Date.now() - 301_000 })
  const stale = await post(webhook, agent)

  t.match(fresh.body, { response: { auditAnnotations: { reason: 'FitsMigProfile' } } })
  t.match(stale.body, { response: { allowed: true, auditAnnotations: { reason: 'StaleCache' } } })
  t.strictSame(await readiness(webhook), [200, { ready: true, waitingFor: [] }])
})

t.test('it listens when there is a certificate, and not before', async (t) => {
  const slot = new CertificateSlot()
  const certificates = {
    current: (signal: AbortSignal) => slot.current(signal),
    onChange: () => () => undefined,
    missing: () => []
  }
  const parts = someParts({ certificates })
  const starting = serveWebhook(parts)
  const early = await readiness({ healthUrl: await healthUrlOf(parts.log) })

  slot.put(someCertificate)
  const webhook = await starting
  t.teardown(() => webhook.stop(0))

  t.strictSame(early, [503, { ready: false, waitingFor: ['starting'] }])
  t.equal((await post(webhook, keepAliveAgent(t))).status, 200)
})

t.test('a new certificate is taken up by new connections, one that cannot be used is not', async (t) => {
  const slot = new CertificateSlot()
  slot.put(someCertificate)
  const certificates = {
    current: (signal: AbortSignal) => slot.current(signal),
    onChange: (listener: Parameters<CertificateSlot['onChange']>[0]) => slot.onChange(listener),
    missing: () => []
  }
  const parts = someParts({ certificates })
  const webhook = await serveWebhook(parts)
  const fresh = await makeCertificates({
    service: 'rightslice',
    namespace: 'rightslice-system',
    nowMs: Date.now(),
    validDays: 1
  })
  const kept = keepAliveAgent(t)
  await post(webhook, kept)

  slot.put({ certPem: '', keyPem: '' })
  await t.resolves(shakeHands(webhook, {}))
  slot.put(fresh)

  const names = { servername: 'localhost' }
  await t.resolves(shakeHands(webhook, { ca: fresh.caPem, ...names }))
  await t.rejects(shakeHands(webhook, { ca: someCertificate.caPem, ...names }))
  t.equal((await post(webhook, kept)).status, 200, 'an open connection lives on')
  await webhook.stop(0)
  slot.put(someCertificate)
  t.strictSame(
    parts.log.lines.flatMap(({ level, message }) =>
      message.startsWith('certificate') ? [[level, message]] : []
    ),
    [
      ['error', 'certificate cannot be used, the one before is served on'],
      ['info', 'certificate replaced']
    ]
  )
})

t.test(
  'where clients have to show a certificate, those of other names and those without one are cut',
  async (t) => {
    const [allowed, other] = [selfSigned('kube-apiserver'), selfSigned('some-pod')]
    const parts = someParts({
      clients: { caPem: allowed.cert + other.cert, names: ['kube-apiserver'] }
    })
    const webhook = await serveWebhook(parts)
    t.teardown(() => webhook.stop(0))
    const agentOf = (shown: object): Agent => {
      const agent = new Agent(shown)
      t.teardown(() => agent.destroy())
      return agent
    }

    t.equal((await post(webhook, agentOf(allowed))).status, 200)
    await t.rejects(post(webhook, agentOf(other)))
    await t.rejects(post(webhook, agentOf({})))

    t.strictSame(
      parts.log.lines.filter(({ level }) => level === 'warn'),
      [{ level: 'warn', fields: { client: '"some-pod"' }, message: 'client is not allowed' }]
    )
  }
)

t.test('without names every client that is vouched for may call', async (t) => {
  const pair = selfSigned('any')
  const webhook = await serve(t, { clients: { caPem: pair.cert, names: [] } })
  const agent = new Agent(pair)
  t.teardown(() => agent.destroy())

  t.equal((await post(webhook, agent)).status, 200)
})

t.test('a start that waits can be given up, and leaves nothing open', async (t) => {
  const giveUp = new AbortController()
  const parts = someParts({
    signal: giveUp.signal,
    whenSynced: (signal) => once(signal, 'abort').then(() => undefined)
  })
  const starting = serveWebhook(parts)
  const healthUrl = await healthUrlOf(parts.log)

  giveUp.abort(new Error('given up'))

  await t.rejects(starting, { message: 'given up' })
  await t.rejects(fetch(`${healthUrl}/healthz`))
})

t.test('a port that is taken ends the start', async (t) => {
  const { url } = await serve(t)
  const parts = someParts({ listen: { host: '127.0.0.1', port: Number(new URL(url).port), healthPort: 0 } })

  await t.rejects(serveWebhook(parts), { code: 'EADDRINUSE' })
})

t.test('close < 1 s although a client keeps its connection', async (t) => {
  const webhook = await serve(t)
  const agent = keepAliveAgent(t)
  await post(webhook, agent)
  const startMs = performance.now()

  await webhook.stop(0)

  t.ok(performance.now() - startMs < 1000)
  await t.rejects(post(webhook, agent))
})

t.test('close < 1 s: a review that is on its way when it stops is still answered', async (t) => {
  const webhook = await serve(t)
  const payload = JSON.stringify(aReview())
  const call = request(`${webhook.url}/rewrite`, { method: 'POST', agent: keepAliveAgent(t), ca })
  const answered = once(call, 'response')
  call.setHeader('content-type', 'application/json')
  call.setHeader('content-length', Buffer.byteLength(payload))
  await new Promise((resolve) => call.write(payload.slice(0, 100), resolve))
  const startMs = performance.now()

  const stopped = webhook.stop(0.05)
  call.end(payload.slice(100))
  const [response] = await answered
  response.resume()
  await stopped

  t.equal(response.statusCode, 200)
  t.equal(response.headers.connection, 'close')
  t.ok(performance.now() - startMs < 1000)
})

t.test('drain: it is not ready, goes on answering and asks to close', async (t) => {
  const webhook = await serve(t)
  const agent = keepAliveAgent(t)
  await post(webhook, agent)

  const stopped = webhook.stop(2)
  const answer = await post(webhook, agent)
  const ready = await readiness(webhook)
  await stopped

  t.equal(answer.status, 200)
  t.equal(answer.connection, 'close')
  t.match(answer.body, { response: { uid: 'uid-1', patchType: 'JSONPatch' } })
  t.strictSame(ready, [503, { ready: false, waitingFor: ['draining'] }])
})

t.test('stopping twice is stopping once', async (t) => {
  const webhook = await serve(t)

  t.equal(webhook.stop(0), webhook.stop(5))
})
