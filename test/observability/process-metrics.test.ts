import t from 'tap'
import { createProcessMetrics } from '../../src/observability/process-metrics.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const nowMs = 1_700_000_000_000
const facts = { component: 'controller', version: '1.2.3', nowMs: () => nowMs } as const

async function linesOf(metrics: { text(): Promise<string> }): Promise<readonly string[]> {
  return (await metrics.text()).split('\n')
}

t.test('stores are read when somebody asks, and never counted twice', async (t) => {
  const metrics = createProcessMetrics(facts).metrics
  const nodes = new MemoryStore()
  const jobs = new MemoryStore()
  metrics.watchStores({ nodes, jobs })
  nodes.setState({ lastHeardMs: nowMs - 2500, relists: 2, watchRestarts: 3, drift: 4 })
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
    'rightslice_store_watch_restarts_total{resource="jobs"} 0',
    'rightslice_store_drift_total{resource="nodes"} 4',
    'rightslice_store_drift_total{resource="jobs"} 0'
  ])
})

t.test('a store is told of by what it holds, and drift is counted from 0', async (t) => {
  const { metrics } = createProcessMetrics(facts)

  metrics.watchStores({ policies: new MemoryStore(), replicaSets: new MemoryStore() })

  const lines = await linesOf(metrics)
  for (const line of [
    'rightslice_store_synced{resource="gpupolicies"} 1',
    'rightslice_store_drift_total{resource="gpupolicies"} 0',
    'rightslice_store_drift_total{resource="replicasets"} 0'
  ]) {
    t.ok(lines.includes(line), line)
  }
})

t.test('a process says what it is, and two sets of metrics do not meet', async (t) => {
  const [one, other] = [createProcessMetrics(facts).metrics, createProcessMetrics(facts).metrics]

  one.policiesInvalid(1)

  const page = await one.text()
  const node = process.versions.node
  t.match(page, `rightslice_build_info{component="controller",version="1.2.3",node="${node}"} 1`)
  t.match(page, /nodejs_eventloop_lag_p99_seconds/)
  t.match(await other.text(), /rightslice_policies_invalid 0/)
  t.match(one.contentType, /text\/plain/)
})
