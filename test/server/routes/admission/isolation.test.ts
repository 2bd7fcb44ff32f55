import t from 'tap'
import { fieldAt } from '../../../../src/core/json.ts'
import { toEffectivePolicy } from '../../../../src/core/policy/effective-policy.ts'
import { asking, withEnv } from '../../../build/isolation.ts'
import { aRawPolicy } from '../../../build/policy.ts'
import { aReview, someWebhook } from '../../some-webhook.ts'

type Webhook = ReturnType<typeof someWebhook>

async function post({ app }: Webhook, payload: object | string, url = '/isolation?timeout=3s') {
  const headers = { 'content-type': 'application/json' }
  const { statusCode, json } = await app.inject({ method: 'POST', url, headers, payload })
  const body: unknown = json()
  return { statusCode, body, response: fieldAt(body, 'response') }
}

const bad = { ...asking('nvidia.com/gpu'), ...withEnv(['NVIDIA_VISIBLE_DEVICES', 'all']) }

function aPodWith(fields: object, spec: object = {}) {
  return { metadata: { name: 'app' }, spec: { containers: [{ name: 'main', ...fields }], ...spec } }
}

t.test(
  '[RULE4] a pod that breaks rules is refused, all of them in one message, and never patched',
  async (t) => {
    const webhook = someWebhook()
    const object = aPodWith({ ...bad, envFrom: [{}] }, { nodeName: 'n' })

    const { statusCode, body, response } = await post(webhook, aReview({ object }))

    t.equal(statusCode, 200)
    t.match(body, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })
    t.match(response, {
      uid: 'uid-1',
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message:
          /^\[VisibleDevicesOverride\] container "main" .*\n\[NodeNameSet\] the pod .*\npolicy "standard"; help: /
      },
      warnings: [/^rightslice: \[UnknownEnvironment\]/],
      auditAnnotations: {
        decision: 'deny',
        refused: 'VisibleDevicesOverride,NodeNameSet',
        warned: 'UnknownEnvironment',
        policy: 'standard'
      }
    })
    t.notOk(Object.hasOwn(Object(response), 'patch'))
  }
)

t.test('one log line and one count per review, and no value of an environment in them', async (t) => {
  const webhook = someWebhook()

  await post(webhook, aReview({ object: aPodWith(bad), dryRun: true }))

  t.match(webhook.log.lines, [
    {
      level: 'info',
      message: 'review judged',
      fields: {
        webhook: 'isolation.rightslice.dev',
        uid: 'uid-1',
        subject: 'team-a/app',
        operation: 'CREATE',
        policy: 'standard',
        decision: 'deny',
        refused: ['VisibleDevicesOverride'],
        warned: [],
        dryRun: true,
        durationMs: Number
      }
    }
  ])
  t.equal(webhook.log.lines.length, 1)
  t.match(webhook.metrics.judgements, [
    {
      webhook: 'isolation.rightslice.dev',
      outcome: 'deny',
      refused: ['VisibleDevicesOverride'],
      dryRun: true
    }
  ])
  t.equal(webhook.metrics.judgements.length, 1)
  t.strictSame(webhook.metrics.reviews, [])
})

t.test('an honest pod is let in without a word', async (t) => {
  const { response } = await post(someWebhook(), aReview())

  t.strictSame(response, {
    uid: 'uid-1',
    allowed: true,
    auditAnnotations: { decision: 'allow', policy: 'standard' }
  })
})

t.test('a policy that only warns lets the pod in with warnings', async (t) => {
  const webhook = someWebhook()
  const soft = toEffectivePolicy(aRawPolicy({ name: 'standard', admission: { isolation: 'Warn' } }))
  webhook.stores.policies.set('', 'standard', soft)

  const { response } = await post(webhook, aReview({ object: aPodWith(bad) }))

  t.match(response, {
    allowed: true,
    warnings: [/VisibleDevicesOverride/],
    auditAnnotations: { decision: 'warn' }
  })
})

for (const { name, labels } of [
  { name: 'has not been heard of', labels: undefined },
  { name: 'had another label when it was last heard of', labels: { 'rightslice.dev/rightsize': 'off' } }
])
  t.test(`a namespace that ${name} counts as the API server takes it, for it asks only there`, async (t) => {
    const webhook = someWebhook()
    if (labels !== undefined) webhook.stores.namespaces.set('', 'new', { name: 'new', labels })

    const { response } = await post(webhook, aReview({ namespace: 'new', object: aPodWith(bad) }))

    t.match(response, { allowed: false })
  })

t.test('[RULE6] a new ephemeral container is judged against the pod before', async (t) => {
  const oldObject = aPodWith(bad, { ephemeralContainers: [{ name: 'old', ...bad }] })
  const object = aPodWith(bad, {
    ephemeralContainers: [
      { name: 'old', ...bad },
      { name: 'new', securityContext: { privileged: true } }
    ]
  })
  const review = { operation: 'UPDATE', subResource: 'ephemeralcontainers', oldObject, object }

  const { response } = await post(someWebhook(), aReview(review))

  t.match(response, {
    allowed: false,
    status: { message: /^\[PrivilegedWithGpu\] ephemeral container "new"/ }
  })
  t.match((await post(someWebhook(), aReview({ ...review, object: oldObject }))).response, { allowed: true })
})

t.test('what is no pod is let in', async (t) => {
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' }

  t.match((await post(someWebhook(), aReview({ resource, object: aPodWith(bad) }))).response, {
    allowed: true
  })
})

t.test('a fault is answered with status 500 and lets nobody in, counted and logged', async (t) => {
  const webhook = someWebhook()
  webhook.stores.namespaces.get = () => {
    throw new Error('planted')
  }

  const { statusCode, body } = await post(webhook, aReview({ object: aPodWith(bad) }))

  t.equal(statusCode, 500)
  t.strictSame(body, { code: 'REVIEW_FAILED', message: 'the review could not be judged' })
  t.match(webhook.log.lines, [
    {
      level: 'error',
      message: 'review failed',
      fields: { webhook: 'isolation.rightslice.dev', err: { message: 'planted' } }
    }
  ])
  t.strictSame(webhook.metrics.failures, [{ webhook: 'isolation.rightslice.dev', cause: 'decision' }])
  t.match(webhook.metrics.judgements, [{ outcome: 'failed' }])
})

t.test('a request of another shape, and what is no review, let nobody in', async (t) => {
  const webhook = someWebhook()

  t.equal((await post(webhook, aReview({ operation: 5 }))).statusCode, 500)
  t.equal((await post(webhook, { kind: 'Other' })).statusCode, 400)
  t.equal((await post(webhook, '{')).statusCode, 400)
  t.strictSame(
    webhook.metrics.failures,
    Array.from({ length: 3 }, () => ({ webhook: 'isolation.rightslice.dev', cause: 'unreadable' }))
  )
})

for (const object of [null, undefined, 7, 'pod', [], {}, { metadata: null, spec: [] }]) {
  t.test(`an object that is ${JSON.stringify(object)} breaks no rule`, async (t) => {
    t.match((await post(someWebhook(), aReview({ object }))).response, { uid: 'uid-1', allowed: true })
  })
}
