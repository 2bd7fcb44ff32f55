import { join } from 'node:path'
import t from 'tap'
import { prometheusOptions } from '../../src/compose/usage-sources.ts'
import { loadConfig } from '../../src/config/load.ts'
import { openPrometheus } from '../../src/prometheus/prometheus-source.ts'
import { NOON_MS } from '../contract/usage-source.ts'
import { startFakePrometheus } from '../fakes/fake-prometheus.ts'

t.test('what the settings say of the server reaches it', async (t) => {
  const prometheus = await startFakePrometheus()
  t.teardown(() => prometheus.close())
  prometheus.series = [
    {
      name: 'acme_fb_bytes',
      labels: { gpu: '0', UUID: 'GPU-a', team: 'ml', workload_pod: 'a-0', workload_container: 'main' },
      samples: [[NOON_MS - 60_000, 5_000 * 2 ** 20]]
    }
  ]
  const config = await loadConfig({
    env: {
      RIGHTSLICE_METRIC_NAMES: 'acme_fb_bytes=memory/bytes',
      RIGHTSLICE_OWNER_LABELS: 'team,workload_pod,workload_container',
      RIGHTSLICE_PROMETHEUS_PARAMETERS: 'partial_response=false',
      RIGHTSLICE_PROMETHEUS_TENANT: 'name',
      RIGHTSLICE_PROMETHEUS_TENANT_FILE: join(t.testdir({ tenant: 'from-a-file\n' }), 'tenant'),
      RIGHTSLICE_PROMETHEUS_TIMEOUT_SECONDS: '7',
      RIGHTSLICE_USAGE_SERIES: '2000'
    }
  })
  const options = prometheusOptions(config, prometheus.url)
  const source = openPrometheus(options)
  t.teardown(() => source.close())

  const reading = await source.read({ nowMs: NOON_MS, lookbackDays: 2 })

  t.match(options.limits, { requestTimeoutMs: 7_000, series: 2_000 })
  t.match(reading, {
    status: 'complete',
    series: [{ labels: { namespace: 'ml', pod: 'a-0', container: 'main' }, days: [{ max: 5_000 }] }]
  })
  for (const { form, headers } of prometheus.seen) {
    t.equal(form.get('partial_response'), 'false')
    t.equal(headers['x-scope-orgid'], 'from-a-file')
  }
})
