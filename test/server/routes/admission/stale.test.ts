import t from 'tap'
import { fieldAt, fieldOf, isRecord } from '../../../../src/core/json.ts'
import { someSettings } from '../../../build/input.ts'
import { aDeploymentPod, aReview, someWebhook } from '../../some-webhook.ts'

/* What the webhooks answer while nothing is heard of the cluster. */

const NOW_MS = 1_795_780_800_000
const MINUTE_MS = 60_000

/** A webhook that heard of everything just now, but of its nodes so many minutes ago. */
function webhookSilentFor(minutes: number) {
  const settings = { ...someSettings, staleAfterMs: 5 * MINUTE_MS }
  const webhook = someWebhook({ settings, nowMs: () => NOW_MS })
  for (const store of Object.values(webhook.stores)) store.setState({ lastHeardMs: NOW_MS })
  webhook.stores.nodes.setState({ lastHeardMs: NOW_MS - minutes * MINUTE_MS })
  const ask = async (url: string, object: unknown): Promise<unknown> => {
    const payload = aReview({ object })
    const headers = { 'content-type': 'application/json' }
    const answer = await webhook.app.inject({ method: 'POST', url, headers, payload })
    return answer.json()
  }
  return { ...webhook, ask }
}

t.test('stale bound: up to it pods are rewritten, beyond it they are kept and told why', async (t) => {
  const fresh = webhookSilentFor(5)
  const stale = webhookSilentFor(6)

  const [before, after] = [
    await fresh.ask('/rewrite', aDeploymentPod()),
    await stale.ask('/rewrite', aDeploymentPod())
  ]

  t.match(before, { response: { auditAnnotations: { decision: 'rewrite' } } })
  t.match(after, {
    response: {
      allowed: true,
      warnings: [/^rightslice: .*not heard of for 360 s/],
      auditAnnotations: { decision: 'keep', reason: 'StaleCache' }
    }
  })
  t.match(stale.metrics.reviews, [{ outcome: 'keep', reason: 'StaleCache' }])
  const patch = Buffer.from(String(fieldAt(after, 'response', 'patch')), 'base64').toString()
  t.match(patch, /StaleCache/)
  t.notMatch(patch, /nvidia/, 'what the pod asks for is not changed')
})

t.test('stale bound: isolation goes on by what is known', async (t) => {
  const { ask } = webhookSilentFor(6)
  const pod = aDeploymentPod()
  const spec = fieldOf(pod, 'spec')
  const privileged = { ...pod, spec: { ...(isRecord(spec) ? spec : {}), hostPID: true } }

  t.match(await ask('/isolation', privileged), { response: { allowed: false, status: { code: 403 } } })
  t.match(await ask('/isolation', pod), { response: { allowed: true } })
})

t.test('stale bound: advice on a workload tells what its pods would get', async (t) => {
  const { app } = webhookSilentFor(6)
  const { metadata, spec } = aDeploymentPod()
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'app' },
    spec: { template: { metadata, spec } }
  }
  const payload = aReview({
    object: deployment,
    resource: { group: 'apps', version: 'v1', resource: 'deployments' }
  })

  const answer = await app.inject({ method: 'POST', url: '/advice', payload })

  t.notMatch(answer.json(), { response: { warnings: [/not heard of/] } })
  t.equal(answer.statusCode, 200)
})
