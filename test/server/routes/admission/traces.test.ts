import t from 'tap'
import { createOtlpTracer } from '../../../../src/observability/otlp-tracer.ts'
import type { ReviewTrace } from '../../../../src/ports/review-tracer.ts'
import { startFakeCollector } from '../../../fakes/fake-collector.ts'
import { MemoryLog } from '../../../fakes/memory-log.ts'
import { aReview, someWebhook } from '../../some-webhook.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** A webhook whose traces are kept; `post` has the review of a pod answered. */
function tracedWebhook(changes: Parameters<typeof someWebhook>[0] = {}) {
  const traces: ReviewTrace[] = []
  const webhook = someWebhook({ tracer: { reviewed: (trace) => traces.push(trace) }, ...changes })
  const post = async (url: string, payload: object): Promise<number> => {
    const headers = { 'content-type': 'application/json', traceparent }
    return (await webhook.app.inject({ method: 'POST', url, headers, payload })).statusCode
  }
  return { ...webhook, traces, post }
}

const containers = [
  {
    name: 'main',
    image: 'a',
    env: [
      { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
      { name: 'SECRET', value: 'hush' }
    ],
    resources: { limits: { 'nvidia.com/gpu': '1' } }
  }
]
const asPod = { object: { metadata: { name: 'app' }, spec: { containers } } }
const asDeployment = {
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  object: { kind: 'Deployment', metadata: { name: 'app' }, spec: { template: { spec: { containers } } } }
}

t.test('a review that is decided is traced with outcome, reason and namespace', async (t) => {
  const { traces, post } = tracedWebhook()

  await post('/rewrite', aReview({ dryRun: true }))

  t.match(traces, [
    {
      webhook: 'rewrite.rightslice.dev',
      uid: 'uid-1',
      namespace: 'team-a',
      outcome: 'rewrite',
      reason: 'FitsMigProfile',
      dryRun: true,
      headers: { traceparent },
      seconds: Number
    }
  ])
})

for (const { url, webhook, outcome, request } of [
  { url: '/isolation', webhook: 'isolation.rightslice.dev', outcome: 'deny', request: asPod },
  { url: '/advice', webhook: 'advice.rightslice.dev', outcome: 'warn', request: asDeployment }
]) {
  t.test(`a review that ${webhook} judges is traced with its rules, and nothing of the pod`, async (t) => {
    const { traces, post } = tracedWebhook()

    await post(url, aReview(request))

    const rules = ['VisibleDevicesOverride']
    t.match(traces, [{ webhook, outcome, namespace: 'team-a', rules, headers: { traceparent } }])
    t.notMatch(JSON.stringify(traces), 'hush')
  })
}

for (const url of ['/rewrite', '/isolation']) {
  t.test(`a review that fails at ${url} is traced as failed`, async (t) => {
    const { stores, traces, post } = tracedWebhook()
    stores.namespaces.get = () => {
      throw new Error('planted')
    }

    await post(url, aReview())

    t.match(traces, [
      { outcome: 'failed', reason: 'DecisionFailed', namespace: 'team-a', headers: { traceparent } }
    ])
  })
}

t.test('no answer waits for a collector that never answers', async (t) => {
  const collector = await startFakeCollector()
  collector.answer = 'silence'
  const tracer = createOtlpTracer({
    endpoint: collector.url,
    version: '1',
    instance: 'a',
    log: new MemoryLog()
  })
  t.teardown(async () => {
    collector.answer = 200
    collector.hangUp()
    await tracer.close()
    await collector.close()
  })
  const { post } = tracedWebhook({ tracer })

  const statuses = new Set<number>()
  for (let index = 0; index < 300; index += 1) statuses.add(await post('/rewrite', aReview()))
  await collector.called(1)
  for (let index = 0; index < 300; index += 1) statuses.add(await post('/rewrite', aReview()))

  t.strictSame([...statuses], [200])
  t.equal(collector.spans.length, 0)
})
