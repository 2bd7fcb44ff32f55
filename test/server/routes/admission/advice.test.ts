import t from 'tap'
import { fieldAt, type JsonRecord } from '../../../../src/core/json.ts'
import { asking, withEnv } from '../../../build/isolation.ts'
import { aDeploymentPod, aReview, someWebhook } from '../../some-webhook.ts'

type Webhook = ReturnType<typeof someWebhook>

async function post({ app }: Webhook, payload: object) {
  const headers = { 'content-type': 'application/json' }
  const { statusCode, json } = await app.inject({ method: 'POST', url: '/advice', headers, payload })
  const body: unknown = json()
  return { statusCode, body, response: fieldAt(body, 'response') }
}

const bad = { name: 'main', ...asking('nvidia.com/gpu'), ...withEnv(['NVIDIA_VISIBLE_DEVICES', 'all']) }

function aWorkloadReview(kind: string, resource: { group: string; resource: string }, spec: JsonRecord) {
  const object = { apiVersion: 'x/v1', kind, metadata: { name: 'app', namespace: 'team-a' }, spec }
  return aReview({ resource, object })
}

const deployments = { group: 'apps', resource: 'deployments' }

t.test('a Deployment is told what its pods will get', async (t) => {
  const { spec } = aDeploymentPod()

  const { response } = await post(
    someWebhook(),
    aWorkloadReview('Deployment', deployments, { template: { spec } })
  )

  t.match(response, {
    allowed: true,
    warnings: [/^rightslice: container "main" of new pods gets nvidia\.com\/mig-1g\.10gb/, String],
    auditAnnotations: { decision: 'warn' }
  })
})

t.test('a Deployment whose pods would be refused is let in and told', async (t) => {
  const template = { spec: { containers: [bad] }, metadata: { labels: { 'rightslice.dev/slice': 'x' } } }
  const webhook = someWebhook()

  const { response } = await post(webhook, aWorkloadReview('Deployment', deployments, { template }))

  t.match(response, {
    allowed: true,
    warnings: [
      /^rightslice: pods will be refused: \[VisibleDevicesOverride\]/,
      /^rightslice: pods will be refused: \[ReservedKeyChanged\]/,
      /BreaksIsolation/
    ],
    auditAnnotations: { warned: 'VisibleDevicesOverride,ReservedKeyChanged' }
  })
  t.match(webhook.log.lines, [
    { fields: { webhook: 'advice.rightslice.dev', subject: 'team-a/app', decision: 'warn' } }
  ])
})

t.test('a RayCluster is told the same thing once', async (t) => {
  const group = { template: { spec: { containers: [bad] } } }
  const spec = { headGroupSpec: group, workerGroupSpecs: [group, group] }

  const { response } = await post(
    someWebhook(),
    aWorkloadReview('RayCluster', { group: 'ray.io', resource: 'rayclusters' }, spec)
  )

  const warnings = fieldAt(response, 'warnings')
  t.ok(Array.isArray(warnings))
  t.equal(
    new Set(Array.isArray(warnings) ? warnings : []).size,
    Array.isArray(warnings) ? warnings.length : 0
  )
})

t.test('a workload of a namespace that is out, or without templates, is told nothing', async (t) => {
  const webhook = someWebhook()
  const request = aWorkloadReview('Deployment', deployments, { template: { spec: { containers: [bad] } } })

  const out = await post(webhook, { ...request, request: { ...request.request, namespace: 'elsewhere' } })
  const empty = await post(webhook, aWorkloadReview('Deployment', deployments, {}))

  for (const { response } of [out, empty])
    t.strictSame(response, { uid: 'uid-1', allowed: true, auditAnnotations: { decision: 'allow' } })
})

t.test('a pod is told, and never refused', async (t) => {
  const webhook = someWebhook()
  webhook.stores.namespaces.set('', 'team-a', {
    name: 'team-a',
    labels: { 'rightslice.dev/rightsize': 'warn' }
  })
  const object = { metadata: { name: 'p' }, spec: { containers: [bad] } }

  t.match((await post(webhook, aReview({ object }))).response, {
    allowed: true,
    warnings: [/VisibleDevicesOverride/]
  })
  t.match((await post(webhook, aReview({ object, namespace: 'new', resource: undefined }))).response, {
    allowed: true,
    warnings: [/VisibleDevicesOverride/]
  })
})

t.test('whoever labels a namespace is told what it means', async (t) => {
  const resource = { group: '', version: 'v1', resource: 'namespaces' }
  const object = { metadata: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'warn' } } }

  const { response } = await post(someWebhook(), aReview({ resource, namespace: 'team-a', object }))

  t.match(response, { allowed: true, warnings: [/"team-a" is now warn/, /1 workloads have a measured use/] })
})

t.test('a fault lets nobody in by itself; the failure policy does', async (t) => {
  const webhook = someWebhook()
  webhook.stores.namespaces.get = () => {
    throw new Error('planted')
  }

  t.equal((await post(webhook, aReview())).statusCode, 500)
  t.strictSame(webhook.metrics.failures, [{ webhook: 'advice.rightslice.dev', cause: 'decision' }])
})
