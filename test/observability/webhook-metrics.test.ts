import t from 'tap'
import { createWebhookMetrics } from '../../src/observability/webhook-metrics.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const nowMs = 1_700_000_000_000
const facts = { version: '1.2.3', nowMs: () => nowMs }

async function linesOf(metrics: { text(): Promise<string> }): Promise<readonly string[]> {
  return (await metrics.text()).split('\n')
}

t.test('a review counts once as a decision and once in its duration', async (t) => {
  const metrics = createWebhookMetrics(facts)

  metrics.reviewed({
    webhook: 'w',
    outcome: 'rewrite',
    reason: 'FitsMigProfile',
    dryRun: true,
    seconds: 0.0004
  })
  metrics.reviewed({ webhook: 'w', outcome: 'failed', reason: 'DecisionFailed', dryRun: false, seconds: 4 })
  metrics.failed('w', 'decision')

  const lines = await linesOf(metrics)
  for (const wanted of [
    'rightslice_decisions_total{action="rewrite",reason="FitsMigProfile",dry_run="true"} 1',
    'rightslice_decisions_total{action="keep",reason="DecisionFailed",dry_run="false"} 1',
    'rightslice_reviews_failed_total{webhook="w",cause="decision"} 1',
    'rightslice_review_duration_seconds_bucket{le="0.0005",webhook="w",outcome="rewrite"} 1',
    'rightslice_review_duration_seconds_bucket{le="3",webhook="w",outcome="failed"} 0',
    'rightslice_review_duration_seconds_bucket{le="5",webhook="w",outcome="failed"} 1'
  ]) {
    t.ok(lines.includes(wanted), wanted)
  }
})

t.test('a judged review counts each rule that was broken, and once in its duration', async (t) => {
  const metrics = createWebhookMetrics(facts)

  metrics.judged({
    webhook: 'w',
    outcome: 'deny',
    refused: ['NodeNameSet', 'CdiAnnotation'],
    warned: ['UnknownEnvironment'],
    dryRun: false,
    seconds: 0.0004
  })

  const lines = await linesOf(metrics)
  for (const wanted of [
    'rightslice_isolation_breaches_total{rule="NodeNameSet",action="deny",dry_run="false"} 1',
    'rightslice_isolation_breaches_total{rule="CdiAnnotation",action="deny",dry_run="false"} 1',
    'rightslice_isolation_breaches_total{rule="UnknownEnvironment",action="warn",dry_run="false"} 1',
    'rightslice_review_duration_seconds_bucket{le="0.0005",webhook="w",outcome="deny"} 1'
  ]) {
    t.ok(lines.includes(wanted), wanted)
  }
})

t.test('certificate and policies are gauges', async (t) => {
  const metrics = createWebhookMetrics(facts)

  metrics.certificateEnds(nowMs)
  metrics.authorityEnds(nowMs + 90_000)
  metrics.certificateFault()
  metrics.bundleInSync('zz-rightslice', true)
  metrics.bundleInSync('rightslice-advice', false)
  metrics.policiesInvalid(2)

  const lines = await linesOf(metrics)
  t.ok(lines.includes('rightslice_certificate_expiry_seconds{certificate="server"} 0'))
  t.ok(lines.includes('rightslice_certificate_expiry_seconds{certificate="authority"} 90'))
  t.ok(lines.includes('rightslice_certificate_faults_total 1'))
  t.ok(lines.includes('rightslice_ca_bundle_in_sync{configuration="zz-rightslice"} 1'))
  t.ok(lines.includes('rightslice_ca_bundle_in_sync{configuration="rightslice-advice"} 0'))
  t.ok(lines.includes('rightslice_policies_invalid 2'))
})

t.test(
  'what is too much is counted by its cause from 0, so that the first one shows as a rise',
  async (t) => {
    const metrics = createWebhookMetrics(facts)

    metrics.shed('rewrite.rightslice.dev', 'busy')
    metrics.connectionCut('full')

    const told = /^rightslice_(reviews_shed|connections_cut)_total/
    const lines = (await linesOf(metrics)).filter((line) => told.test(line))
    t.strictSame(lines, [
      'rightslice_reviews_shed_total{webhook="rewrite.rightslice.dev",cause="busy"} 1',
      'rightslice_reviews_shed_total{webhook="rewrite.rightslice.dev",cause="bodies"} 0',
      'rightslice_reviews_shed_total{webhook="isolation.rightslice.dev",cause="busy"} 0',
      'rightslice_reviews_shed_total{webhook="isolation.rightslice.dev",cause="bodies"} 0',
      'rightslice_reviews_shed_total{webhook="advice.rightslice.dev",cause="busy"} 0',
      'rightslice_reviews_shed_total{webhook="advice.rightslice.dev",cause="bodies"} 0',
      'rightslice_connections_cut_total{cause="full"} 1',
      'rightslice_connections_cut_total{cause="slow"} 0',
      'rightslice_connections_cut_total{cause="pipelined"} 0'
    ])
  }
)

t.test(
  'a resource that was silent for longer than the bound is stale, one that was never listed is not',
  async (t) => {
    const metrics = createWebhookMetrics(facts)
    const stores = { nodes: new MemoryStore(), jobs: new MemoryStore(), policies: new MemoryStore() }
    metrics.watchStaleness(stores, 300_000)
    stores.nodes.setState({ lastHeardMs: nowMs - 300_000 })
    stores.jobs.setState({ lastHeardMs: nowMs - 300_001 })
    stores.policies.setState({ synced: false, lastHeardMs: 0 })

    t.ok((await linesOf(metrics)).includes('rightslice_stores_stale 1'))
  }
)
