import t from 'tap'
import { createControllerMetrics } from '../../src/observability/controller-metrics.ts'
import { metricTable } from '../../src/observability/metrics.ts'
import { createWebhookMetrics } from '../../src/observability/webhook-metrics.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const facts = { version: '1.2.3', nowMs: () => 1_700_000_000_000 }

async function linesOf(metrics: { text(): Promise<string> }): Promise<readonly string[]> {
  return (await metrics.text()).split('\n')
}

t.test(
  'webhook and controller have every metric of the table with its help text, and no other',
  async (t) => {
    const pages = [createWebhookMetrics(facts), createControllerMetrics(facts)] as const
    for (const page of pages) page.watchStores({ nodes: new MemoryStore() })
    pages[0].watchStaleness({ nodes: new MemoryStore() }, 300_000)

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
      /(_total|_seconds|_invalid|_synced|_leader|_workloads|_faults|_discarded|_candidates|_violations|_pods|_in_sync|_info|_freeable|_namespaces|_open|_stale)$/
    )
  }
})
