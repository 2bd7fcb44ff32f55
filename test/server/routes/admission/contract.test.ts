import t from 'tap'
import { fieldAt, fieldOf, isRecord } from '../../../../src/core/json.ts'
import { aPod } from '../../../build/pod.ts'
import { aDeploymentPod, aReview, someWebhook } from '../../some-webhook.ts'

/*
 * What an API server demands of every answer, by whichever webhook.
 * @source k8s.io/apiserver pkg/admission/plugin/webhook/request/admissionreview.go
 */

const paths = ['/rewrite', '/isolation', '/advice'] as const

async function post(url: string, review: unknown, webhook = someWebhook()) {
  const payload = typeof review === 'string' ? review : JSON.stringify(review)
  const headers = { 'content-type': 'application/json' }
  const answer = await webhook.app.inject({ method: 'POST', url, headers, payload })
  const body: unknown = answer.json()
  return { status: answer.statusCode, body, response: fieldOf(body, 'response') }
}

const privileged = aPod({ spec: { hostPID: true } })
const objects: Readonly<Record<string, unknown>> = {
  'is given a share': aDeploymentPod(),
  'is refused': privileged,
  'asks for no GPU': aPod({ containers: [{ limits: {} }] }),
  'is none': 7
}

for (const path of paths) {
  for (const [what, object] of Object.entries(objects)) {
    t.test(`uid echo on all paths: ${path}, a pod that ${what}`, async (t) => {
      const { status, body } = await post(path, aReview({ object, uid: 'a/\u2028é-1' }))

      t.equal(status, 200)
      t.match(body, {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: 'a/\u2028é-1' }
      })
    })
  }

  t.test(`v1beta1 refused: ${path}`, async (t) => {
    const { status, body } = await post(path, { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' })

    t.equal(status, 400)
    t.match(body, { code: 'REVIEW_INVALID', message: /apiVersion/ })
  })

  t.test(`audit keys valid: ${path}`, async (t) => {
    for (const object of Object.values(objects)) {
      const { response } = await post(path, aReview({ object }))
      const annotations = fieldOf(response, 'auditAnnotations')
      const entries = Object.entries(isRecord(annotations) ? annotations : {})

      t.ok(entries.length > 0)
      for (const [key, value] of entries) {
        t.match(key, /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/)
        t.type(value, 'string')
      }
    }
  })

  t.test(`dryRun gets the same answer: ${path}`, async (t) => {
    for (const object of Object.values(objects)) {
      const real = await post(path, aReview({ object }))
      t.strictSame((await post(path, aReview({ object, dryRun: true }))).body, real.body)
    }
  })

  t.test(`query string accepted: ${path}`, async (t) => {
    t.equal((await post(`${path}?timeout=3s`, aReview())).status, 200)
  })

  t.test(
    `3 MiB pod: 1,000 containers and 10,000 variables are answered in 100 ms of CPU by ${path}`,
    async (t) => {
      const webhook = someWebhook()
      const text = JSON.stringify(aReview({ object: largePod() }))
      t.ok(text.length > 2.9 * 2 ** 20 && text.length < 3.1 * 2 ** 20, `${text.length} bytes`)
      const times: number[] = []

      for (let nth = 0; nth < 5; nth += 1) {
        const before = process.threadCpuUsage()
        const { status, response } = await post(path, text, webhook)
        const { user, system } = process.threadCpuUsage(before)
        times.push((user + system) / 1000)
        t.strictSame([status, fieldOf(response, 'uid')], [200, 'uid-1'])
      }

      t.ok(
        Math.min(...times) < 100,
        `${times.map(Math.round).join(' ')} ms; a busy machine makes some of them slower`
      )
    }
  )
}

for (const path of ['/isolation', '/advice'] as const)
  t.test(`validating without patch: ${path}`, async (t) => {
    for (const object of Object.values(objects)) {
      const { response } = await post(path, aReview({ object }))

      t.ok(isRecord(response))
      t.notOk(Object.hasOwn(Object(response), 'patch'))
      t.notOk(Object.hasOwn(Object(response), 'patchType'))
    }
  })

t.test('HTTP 200 for denial, with code and reason of the refusal inside', async (t) => {
  const { status, response } = await post('/isolation', aReview({ object: privileged }))

  t.equal(status, 200)
  t.match(response, { allowed: false, status: { code: 403, reason: 'Forbidden', message: /HostPidWithGpu/ } })
})

t.test('blank namespace in the object: that of the request counts', async (t) => {
  for (const namespace of ['', undefined, 'elsewhere']) {
    const pod = aDeploymentPod()
    const metadata = { ...Object(pod.metadata), namespace }
    const { response } = await post('/rewrite', aReview({ object: { ...pod, metadata } }))

    t.match(response, { allowed: true, patchType: 'JSONPatch' }, String(namespace))
    t.match(fieldAt(response, 'auditAnnotations'), { workload: 'Deployment/app' })
  }
})

/** A pod as large as an API server takes. */
function largePod() {
  const value = 'x'.repeat(281)
  const containers = Array.from({ length: 1000 }, (_, nth) => ({
    name: `c-${nth}`,
    image: 'registry.example/app:1',
    env: Array.from({ length: 10 }, (_, at) => ({ name: `V${at}`, value })),
    resources: nth === 0 ? { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } } : {}
  }))
  return { ...aDeploymentPod(), spec: { containers } }
}
