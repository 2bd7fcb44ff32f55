import t from 'tap'
import { aDeploymentPod, aReview, someWebhook } from './some-webhook.ts'

const LIMIT = 7 * 1024 * 1024
const headers = { 'content-type': 'application/json' }

async function send(payload: string, type = 'application/json') {
  const webhook = someWebhook()
  const answer = await webhook.app.inject({
    method: 'POST',
    url: '/rewrite',
    headers: { 'content-type': type },
    payload
  })
  const body: unknown = answer.json()
  return { webhook, status: answer.statusCode, body }
}

/** A review of exactly so many bytes. */
function paddedReview(bytes: number): string {
  const text = (padding: string): string => JSON.stringify(aReview({ padding }))
  return text('x'.repeat(bytes - text('').length))
}

const refused: readonly {
  readonly name: string
  readonly payload: string
  readonly type?: string
  readonly status: number
  readonly says: RegExp
}[] = [
  { name: 'nothing', payload: '', status: 400, says: /empty/ },
  { name: 'text that is not JSON', payload: '{"a":', status: 400, says: /JSON/ },
  {
    name: 'a form',
    payload: 'a=1',
    type: 'application/x-www-form-urlencoded',
    status: 415,
    says: /Media Type/
  },
  { name: 'plain text', payload: '{}', type: 'text/plain', status: 415, says: /Media Type/ },
  { name: 'a JSON list', payload: '[1]', status: 400, says: /body/ },
  {
    name: 'version v1beta1',
    payload: JSON.stringify({ ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' }),
    status: 400,
    says: /apiVersion/
  },
  {
    name: 'another kind',
    payload: JSON.stringify({ ...aReview(), kind: 'SubjectAccessReview' }),
    status: 400,
    says: /kind/
  },
  {
    name: 'a review without a uid',
    payload: JSON.stringify(aReview({ uid: undefined })),
    status: 400,
    says: /request\.uid/
  },
  { name: 'one byte more than 7 MiB', payload: paddedReview(LIMIT + 1), status: 413, says: /too large/ },
  {
    name: 'a body of 100,000 nested lists',
    payload: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    status: 400,
    says: /body/
  }
]

for (const { name, payload, type, status: wanted, says } of refused) {
  t.test(`${name} is refused in JSON, counted and logged`, async (t) => {
    const { webhook, status, body } = await send(payload, type)

    t.equal(status, wanted)
    t.match(body, { code: String, message: says })
    t.strictSame(webhook.metrics.failures, [{ webhook: 'rewrite.rightslice.dev', cause: 'unreadable' }])
    t.match(webhook.log.lines, [{ level: 'warn', message: 'review not readable' }])
  })
}

t.test('a review of 7 MiB is answered', async (t) => {
  const payload = paddedReview(LIMIT)
  t.equal(Buffer.byteLength(payload), LIMIT)

  const { status, body } = await send(payload)

  t.equal(status, 200)
  t.match(body, { response: { uid: 'uid-1', patchType: 'JSONPatch' } })
})

t.test('a pod with 100,000 levels in a field that nobody reads is answered', async (t) => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const payload = JSON.stringify(aReview()).replace('"spec":{', `"spec":{"unknown":${deep},`)

  const { status, body } = await send(payload)

  t.equal(status, 200)
  t.match(body, { response: { uid: 'uid-1', allowed: true, patchType: 'JSONPatch' } })
})

t.test('a label `__proto__` is dropped, one called constructor is not', async (t) => {
  const text = JSON.stringify(aReview({ object: aDeploymentPod({ proto: 'x', constructor: 'y' }) }))
  const payload = text.replace('"proto":', '"__proto__":')

  const { status, body } = await send(payload)

  t.equal(status, 200)
  t.match(body, { response: { uid: 'uid-1', allowed: true, patchType: 'JSONPatch' } })
})

for (const place of ['apiVersion', 'uid', 'operation', 'nvidia.com/gpu', 'limits', 'metadata']) {
  t.test(`__proto__ in the place of ${place} does no harm`, async (t) => {
    const payload = JSON.stringify(aReview()).replace(`"${place}":`, '"__proto__":{"allowed":false},"x":')

    const { status } = await send(payload)

    t.ok(status === 200 || status === 400, String(status))
    t.notOk(Object.hasOwn(Object.prototype, 'allowed'))
  })
}

t.test('constructor.prototype in a body does no harm', async (t) => {
  const payload = JSON.stringify(aReview()).replace(
    '"limits":',
    '"constructor":{"prototype":{"allowed":false}},"limits":'
  )

  const { status } = await send(payload)

  t.equal(status, 200)
  t.notOk(Object.hasOwn(Object.prototype, 'allowed'))
})

for (const { method, url } of [
  { method: 'GET', url: '/rewrite' },
  { method: 'POST', url: '/' },
  { method: 'POST', url: '/rewrite/' },
  { method: 'HEAD', url: '/rewrite' }
] as const) {
  t.test(`${method} ${url} is not served`, async (t) => {
    const { app } = someWebhook()

    const { statusCode, body } = await app.inject({ method, url })

    t.equal(statusCode, 404)
    if (method !== 'HEAD') t.match(JSON.parse(body), { code: 'NOT_FOUND' })
  })
}

t.test('while draining every answer asks to close the connection, and is an answer', async (t) => {
  let draining = false
  const { app } = someWebhook({ isDraining: () => draining })
  const call = () => app.inject({ method: 'POST', url: '/rewrite', headers, payload: aReview() })

  const before = await call()
  draining = true
  const after = await call()

  t.not(before.headers.connection, 'close')
  t.equal(after.headers.connection, 'close')
  t.equal(after.body, before.body)
})

t.test('idle connections outlive those of the API server', async (t) => {
  const { server } = someWebhook().app

  t.strictSame(
    [server.keepAliveTimeout, server.headersTimeout, server.requestTimeout],
    [120_000, 125_000, 130_000]
  )
})
