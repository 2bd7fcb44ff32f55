import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { readMetricNames, readOwnerLabels, readParameters } from '../../src/config/metric-settings.ts'

t.test('metrics, labels and parameters of the user are read from lists', async (t) => {
  const config = await loadConfig({
    env: {
      RIGHTSLICE_METRIC_NAMES: 'acme:fb:max=memory/bytes, acme_busy=sm-active/percent',
      RIGHTSLICE_OWNER_LABELS: 'ns,pod_name,ctr',
      RIGHTSLICE_PROMETHEUS_PARAMETERS: 'partial_response=false,dedup=a=b'
    }
  })

  t.strictSame(readMetricNames(config.metricNames), [
    { name: 'acme:fb:max', metric: 'memory', unit: 'bytes' },
    { name: 'acme_busy', metric: 'sm-active', unit: 'percent' }
  ])
  t.strictSame(readOwnerLabels(config.ownerLabels), {
    name: 'own',
    namespace: 'ns',
    pod: 'pod_name',
    container: 'ctr'
  })
  t.strictSame(readParameters(config.prometheusParameters), { partial_response: 'false', dedup: 'a=b' })
  t.ok(Object.isFrozen(config.metricNames))
})

t.test('without any nothing is replaced', async (t) => {
  const config = await loadConfig({ env: {} })

  t.strictSame(readMetricNames(config.metricNames), [])
  t.equal(readOwnerLabels(config.ownerLabels), undefined)
  t.strictSame(readParameters(config.prometheusParameters), {})
})

const faults: readonly (readonly [variable: string, value: string, says: RegExp])[] = [
  ['RIGHTSLICE_METRIC_NAMES', 'fb=memory/percent', /metricNames\.0: must be NAME=memory\/MiB/],
  ['RIGHTSLICE_METRIC_NAMES', 'a}or{=memory/MiB', /metricNames\.0/],
  ['RIGHTSLICE_METRIC_NAMES', 'fb=sm-active/MiB', /metricNames\.0/],
  ['RIGHTSLICE_OWNER_LABELS', 'ns,pod', /ownerLabels: must be three names/],
  ['RIGHTSLICE_OWNER_LABELS', 'ns,a b,c', /ownerLabels\.1: must be the name of a label/],
  ['RIGHTSLICE_PROMETHEUS_PARAMETERS', 'query=up', /prometheusParameters\.0: must be NAME=VALUE/],
  ['RIGHTSLICE_PROMETHEUS_PARAMETERS', 'plain', /prometheusParameters\.0/],
  ['RIGHTSLICE_USAGE_SERIES', '10', /usageSeries/]
]
for (const [variable, value, says] of faults) {
  t.test(`refuses ${variable}=${value}`, async (t) => {
    await t.rejects(loadConfig({ env: { [variable]: value } }), { code: 'CONFIG_INVALID', message: says })
  })
}
