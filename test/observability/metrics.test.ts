import t from 'tap'
import { createControllerMetrics } from '../../src/observability/controller-metrics.ts'
import { metricTable } from '../../src/observability/metric-table.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const nowMs = 1_700_000_000_000

async function linesOf(metrics: { text(): Promise<string> }): Promise<readonly string[]> {
  return (await metrics.text()).split('\n')
}

t.test(
  'webhook and controller have every metric of the table with its help text, and no other',
  async (t) => {
    const pages = [createMetrics(() => nowMs), createControllerMetrics(() => nowMs)]
    for (const page of pages) page.watchStores({ nodes: new MemoryStore() }, 300_000)

    const lines = (await Promise.all(pages.map(linesOf))).flat()
    const helps = new Set(lines.filter((line) => line.startsWith('# HELP rightslice_')))

    t.strictSame(
      [...helps].toSorted(),
      Object.entries(metricTable)
        .map(([name, { help }]) => `# HELP ${name} ${help}`)
        .toSorted()
    )
  }
)

t.test('names end in their unit or in what they count, and counters in _total', async (t) => {
  for (const [name, { type }] of Object.entries(metricTable)) {
    t.equal(name.endsWith('_total'), type === 'counter', name)
    t.match(
      name,
      /(_total|_seconds|_invalid|_synced|_leader|_workloads|_faults|_discarded|_candidates|_violations|_pods|_in_sync|_stale)$/
    )
  }
})

t.test('what is too much is counted by its cause', async (t) => {
  const metrics = createMetrics(() => nowMs)

  metrics.shed('w', 'busy')
  metrics.connectionCut('full')

  const lines = await linesOf(metrics)
  for (const wanted of [
    'rightslice_reviews_shed_total{webhook="w",cause="busy"} 1',
    'rightslice_connections_cut_total{cause="full"} 1'
  ])
    t.ok(lines.includes(wanted), wanted)
})

t.test('a review counts once as a decision and once in its duration', async (t) => {
  const metrics = createMetrics(() => nowMs)

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
  const metrics = createMetrics(() => nowMs)

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

t.test(
  'a resource that was silent for longer than the bound is stale, one that was never listed is not',
  async (t) => {
    const metrics = createMetrics(() => nowMs)
    const stores = { nodes: new MemoryStore(), jobs: new MemoryStore(), gpupolicies: new MemoryStore() }
    metrics.watchStores(stores, 300_000)
    stores.nodes.setState({ lastHeardMs: nowMs - 300_000 })
    stores.jobs.setState({ lastHeardMs: nowMs - 300_001 })
    stores.gpupolicies.setState({ synced: false, lastHeardMs: 0 })

    t.ok((await linesOf(metrics)).includes('rightslice_stores_stale 1'))
  }
)

t.test('stores are read when somebody asks, and never counted twice', async (t) => {
  const metrics = createMetrics(() => nowMs)
  const nodes = new MemoryStore()
  const jobs = new MemoryStore()
  metrics.watchStores({ nodes, jobs }, 300_000)
  nodes.setState({ lastHeardMs: nowMs - 2500, relists: 2, watchRestarts: 3 })
  jobs.setState({ synced: false })

  await metrics.text()
  const lines = (await linesOf(metrics)).filter((line) => line.startsWith('rightslice_store_'))

  t.strictSame(lines, [
    'rightslice_store_synced{resource="nodes"} 1',
    'rightslice_store_synced{resource="jobs"} 0',
    'rightslice_store_age_seconds{resource="nodes"} 2.5',
    'rightslice_store_relists_total{resource="nodes"} 2',
    'rightslice_store_relists_total{resource="jobs"} 0',
    'rightslice_store_watch_restarts_total{resource="nodes"} 3',
    'rightslice_store_watch_restarts_total{resource="jobs"} 0'
  ])
})

t.test('certificate and policies are gauges', async (t) => {
  const metrics = createMetrics(() => nowMs)

  metrics.certificateEnds(nowMs)
  metrics.authorityEnds(nowMs + 90_000)
  metrics.certificateFault()
  metrics.bundleInSync('zz-rightslice', true)
  metrics.bundleInSync('rightslice-advice', false)
  metrics.policiesInvalid(2)

  const lines = await linesOf(metrics)
  t.ok(lines.includes('rightslice_certificate_expiration_timestamp_seconds 1700000000'))
  t.ok(lines.includes('rightslice_certificate_expiry_seconds{certificate="server"} 0'))
  t.ok(lines.includes('rightslice_certificate_expiry_seconds{certificate="authority"} 90'))
  t.ok(lines.includes('rightslice_certificate_faults_total 1'))
  t.ok(lines.includes('rightslice_ca_bundle_in_sync{configuration="zz-rightslice"} 1'))
  t.ok(lines.includes('rightslice_ca_bundle_in_sync{configuration="rightslice-advice"} 0'))
  t.ok(lines.includes('rightslice_policies_invalid 2'))
})

t.test('the delay of the event loop is there too, and two sets do not meet', async (t) => {
  const [one, other] = [createMetrics(() => nowMs), createMetrics(() => nowMs)]

  one.policiesInvalid(1)

  t.match(await one.text(), /nodejs_eventloop_lag_p99_seconds/)
  t.match(await other.text(), /rightslice_policies_invalid 0/)
  t.match(one.contentType, /text\/plain/)
})
