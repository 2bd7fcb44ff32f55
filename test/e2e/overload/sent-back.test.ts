import { once } from 'node:events'
import { createServer } from 'node:https'
import t, { type Test } from 'tap'
import { makeCertificates } from '../../../src/tls/make-certificates.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { messageOf, podOf, tryPod } from '../isolation/try-pod.ts'
import { installBase, installConfigurations } from '../product.ts'

/*
 * What a real API server makes of a review that is sent back: the promises of docs/serving.md on 503 and Retry-After. What answers here only
 * counts and sends back; that the webhook sends back in this way is shown without a cluster.
 */

const GPU = { resources: { limits: { 'nvidia.com/gpu': '1' } } }

/** How one path answers: this often with 503 first, then it lets everything in. */
interface Plan {
  readonly sendBack: number
  readonly retryAfter?: string
}

interface Answerer {
  readonly port: number
  readonly caPem: string
  /** Starts counting anew. */
  plan(plans: Readonly<Record<string, Plan>>): void
  /** Calls of a path since then. */
  calls(path: string): number
}

async function startAnswerer(t: Test): Promise<Answerer> {
  const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs: Date.now(), validDays: 1 }
  const { caPem, certPem, keyPem } = await makeCertificates(order)
  const counts = new Map<string, number>()
  let plans: Readonly<Record<string, Plan>> = {}
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    const { sendBack, retryAfter } = plans[path] ?? { sendBack: 0 }
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      if (count <= sendBack) {
        response.writeHead(503, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
        response.end()
        return
      }
      const { request: asked, ...envelope } = JSON.parse(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ...envelope, response: { uid: asked.uid, allowed: true } }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    caPem,
    plan: (next) => {
      counts.clear()
      plans = next
    },
    calls: (path) => counts.get(path) ?? 0
  }
}

interface Tried {
  readonly status: number
  readonly message: string
  readonly seconds: number
}

async function createGpuPod(bed: Bed): Promise<Tried> {
  const startMs = performance.now()
  const answer = await tryPod(bed, 'strict', podOf(GPU))
  return {
    status: answer.status,
    message: messageOf(answer),
    seconds: (performance.now() - startMs) / 1000
  }
}

async function sentBack(t: Test, { bed }: OnBed): Promise<void> {
  const answerer = await startAnswerer(t)
  await installBase(bed)
  await installConfigurations(bed, answerer.port, answerer.caPem)
  await createNamespace(bed, 'strict', { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await until('both webhooks are called', async () => {
    answerer.plan({})
    await createGpuPod(bed)
    return answerer.calls('/rewrite') > 0 && answerer.calls('/isolation') > 0
  })

  await t.test(
    '503+Retry-After honoured by client-go: the call comes again and nobody notices',
    async (t) => {
      answerer.plan({
        '/rewrite': { sendBack: 1, retryAfter: '1' },
        '/isolation': { sendBack: 1, retryAfter: '1' }
      })

      const { status, seconds } = await createGpuPod(bed)

      t.equal(status, 201)
      t.strictSame([answerer.calls('/rewrite'), answerer.calls('/isolation')], [2, 2])
      t.ok(seconds >= 2, `a second for each, ${seconds} s in all`)
    }
  )

  await t.test('rewriting that is always sent back: the pod comes in as it is', async (t) => {
    answerer.plan({ '/rewrite': { sendBack: 100, retryAfter: '1' } })

    const { status } = await createGpuPod(bed)

    t.equal(status, 201)
    t.ok(answerer.calls('/rewrite') >= 2, `${answerer.calls('/rewrite')} calls within its 2 s`)
  })

  await t.test('isolation that is always sent back: the pod is refused', async (t) => {
    answerer.plan({ '/isolation': { sendBack: 100, retryAfter: '1' } })

    const { status, message } = await createGpuPod(bed)

    t.equal(status, 500)
    t.match(message, /failed calling webhook "isolation\.rightslice\.dev"/)
    t.ok(answerer.calls('/isolation') >= 2, `${answerer.calls('/isolation')} calls within its 3 s`)
  })

  await t.test('503 without Retry-After: there is no second call', async (t) => {
    answerer.plan({ '/isolation': { sendBack: 1 } })

    const { status } = await createGpuPod(bed)

    t.equal(status, 500)
    t.equal(answerer.calls('/isolation'), 1)
  })
}

await bedTest(t, 'what a real API server makes of a review that is sent back', sentBack)
