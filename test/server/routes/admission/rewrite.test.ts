import t from 'tap'
import { fieldAt } from '../../../../src/core/json.ts'
import { applyStrictly } from '../../../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../../../src/core/patch/operation.ts'
import { aDeploymentPod, aReview, someWebhook } from '../../some-webhook.ts'

type Webhook = ReturnType<typeof someWebhook>

async function post({ app }: Webhook, payload: object | string, url = '/rewrite?timeout=2s') {
  const headers = { 'content-type': 'application/json' }
  const { statusCode, json, headers: sent } = await app.inject({ method: 'POST', url, headers, payload })
  const body: unknown = json()
  return { statusCode, sent, body, response: fieldAt(body, 'response') }
}

function patchOf(response: unknown): readonly PatchOperation[] {
  const patch = fieldAt(response, 'patch')
  return typeof patch === 'string' ? JSON.parse(Buffer.from(patch, 'base64').toString()) : []
}

t.test('a pod gets its share: patch with its type, warnings, audit annotations, the uid', async (t) => {
  const webhook = someWebhook()

  const { statusCode, body, response } = await post(webhook, aReview())

  t.equal(statusCode, 200)
  t.match(body, {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: 'uid-1',
      allowed: true,
      patchType: 'JSONPatch',
      warnings: [/^rightslice: container "main" gets nvidia\.com\/mig-1g\.10gb/, String],
      auditAnnotations: {
        decision: 'rewrite',
        reason: 'FitsMigProfile',
        snapshot: 'standard@1 Deployment/app@42',
        workload: 'Deployment/app',
        policy: 'standard'
      }
    }
  })
  const patched = applyStrictly(aDeploymentPod(), patchOf(response))
  t.match(patched, { metadata: { annotations: { team: 'a', 'rightslice.dev/decision': 'FitsMigProfile' } } })
  t.strictSame(fieldAt(patched, 'spec', 'containers', '0'), undefined)
  t.match(patched, { spec: { containers: [{ resources: { limits: { 'nvidia.com/mig-1g.10gb': '1' } } }] } })
})

t.test('one log line and one count per review', async (t) => {
  const webhook = someWebhook()

  await post(webhook, aReview())

  t.match(webhook.log.lines, [
    {
      level: 'info',
      message: 'pod reviewed',
      fields: {
        uid: 'uid-1',
        pod: 'team-a/app-5d9c7-*',
        workload: 'team-a/Deployment/app',
        policy: 'standard',
        decision: 'rewrite',
        reason: 'FitsMigProfile',
        dryRun: false,
        durationMs: Number
      }
    }
  ])
  t.equal(webhook.log.lines.length, 1)
  t.match(webhook.metrics.reviews, [
    { webhook: 'rewrite.rightslice.dev', outcome: 'rewrite', reason: 'FitsMigProfile', dryRun: false }
  ])
  t.equal(webhook.metrics.reviews.length, 1)
  t.strictSame(webhook.metrics.failures, [])
})

t.test('dryRun gets the same answer and is counted apart', async (t) => {
  const webhook = someWebhook()

  const real = await post(webhook, aReview())
  const dry = await post(webhook, aReview({ dryRun: true }))

  t.strictSame(dry.body, real.body)
  t.strictSame(
    webhook.metrics.reviews.map(({ dryRun }) => dryRun),
    [false, true]
  )
})

t.test('no patch on no-op: the answer to our own output has none', async (t) => {
  const webhook = someWebhook()
  const first = await post(webhook, aReview())
  const object = applyStrictly(aDeploymentPod(), patchOf(first.response))

  const { response } = await post(webhook, aReview({ object }))

  t.match(response, { uid: 'uid-1', allowed: true, auditAnnotations: { decision: 'rewrite' } })
  t.notOk(Object.hasOwn(Object(response), 'patch'))
  t.notOk(Object.hasOwn(Object(response), 'patchType'))
})

t.test('the namespace of the request counts, not that of the object', async (t) => {
  const webhook = someWebhook()

  const { response } = await post(webhook, aReview({ namespace: 'elsewhere' }))

  t.match(response, { allowed: true, auditAnnotations: { reason: 'NamespaceNotOptedIn' } })
  t.strictSame(patchOf(response), [])
})

const untouched: readonly { readonly name: string; readonly changes: Readonly<Record<string, unknown>> }[] = [
  { name: 'an update', changes: { operation: 'UPDATE' } },
  { name: 'a deletion', changes: { operation: 'DELETE', object: null, oldObject: aDeploymentPod() } },
  { name: 'a subresource', changes: { subResource: 'ephemeralcontainers' } },
  {
    name: 'another resource',
    changes: { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }
  },
  {
    name: 'a subresource of another resource',
    changes: { resource: { group: 'apps', resource: 'deployments' }, subResource: 'scale' }
  }
]

for (const { name, changes } of untouched) {
  t.test(`${name} is allowed without a patch`, async (t) => {
    const { statusCode, response } = await post(someWebhook(), aReview(changes))

    t.equal(statusCode, 200)
    t.strictSame(fieldAt(response, 'auditAnnotations', 'reason'), 'NotAPodCreation')
    t.match(response, { uid: 'uid-1', allowed: true })
    t.notOk(Object.hasOwn(Object(response), 'patch'))
  })
}

t.test('a review without a resource is one of a pod', async (t) => {
  const { response } = await post(someWebhook(), aReview({ resource: undefined }))

  t.match(response, { patchType: 'JSONPatch' })
})

t.test('a fault while deciding lets the pod in as it is, counted and logged', async (t) => {
  const webhook = someWebhook()
  webhook.stores.namespaces.get = () => {
    throw new Error('planted')
  }

  const { statusCode, response } = await post(webhook, aReview({ dryRun: true }))

  t.equal(statusCode, 200)
  t.strictSame(response, {
    uid: 'uid-1',
    allowed: true,
    auditAnnotations: { decision: 'keep', reason: 'DecisionFailed' }
  })
  t.match(webhook.log.lines, [
    {
      level: 'error',
      message: 'review failed',
      fields: {
        uid: 'uid-1',
        pod: 'team-a/app-5d9c7-*',
        reason: 'DecisionFailed',
        err: { message: 'planted' }
      }
    }
  ])
  t.strictSame(webhook.metrics.failures, [{ webhook: 'rewrite.rightslice.dev', cause: 'decision' }])
  t.match(webhook.metrics.reviews, [{ outcome: 'failed', reason: 'DecisionFailed', dryRun: true }])
})

t.test('a patch that would not apply never leaves', async (t) => {
  const webhook = someWebhook({
    toPatch: () => [{ op: 'remove', path: '/metadata/labels/rightslice.dev~1slice' }]
  })

  const { response } = await post(webhook, aReview())

  t.match(response, { uid: 'uid-1', allowed: true, auditAnnotations: { reason: 'DecisionFailed' } })
  t.notOk(Object.hasOwn(Object(response), 'patch'))
  t.strictSame(webhook.metrics.failures, [{ webhook: 'rewrite.rightslice.dev', cause: 'patch' }])
})

t.test('a request of another shape is answered with its uid', async (t) => {
  const webhook = someWebhook()

  const { statusCode, response } = await post(webhook, aReview({ operation: 5, namespace: { a: 1 } }))

  t.equal(statusCode, 200)
  t.match(response, { uid: 'uid-1', allowed: true, auditAnnotations: { reason: 'DecisionFailed' } })
  t.strictSame(webhook.metrics.failures, [{ webhook: 'rewrite.rightslice.dev', cause: 'unreadable' }])
})

for (const object of [null, undefined, 7, 'pod', [], {}, { metadata: null, spec: [] }]) {
  t.test(`an object that is ${JSON.stringify(object)} is allowed without a patch`, async (t) => {
    const { statusCode, response } = await post(someWebhook(), aReview({ object }))

    t.equal(statusCode, 200)
    t.match(response, { uid: 'uid-1', allowed: true, auditAnnotations: { reason: 'NoGpuRequest' } })
    t.strictSame(patchOf(response), [])
  })
}

t.test('query string accepted: every way to ask is answered', async (t) => {
  for (const url of ['/rewrite', '/rewrite?', '/rewrite?timeout=2s', '/rewrite?a[]=1&a[]=2&__proto__=x']) {
    const { statusCode } = await post(someWebhook(), aReview(), url)
    t.equal(statusCode, 200, url)
  }
})
