import t from 'tap'
import { openPrometheus } from '../../src/prometheus/prometheus-source.ts'
import { prometheusTest, startPrometheus } from '../bed/prometheus.ts'
import { openMetricsOf, type SampledSeries } from '../bed/prometheus-past.ts'
import { until } from '../bed/until.ts'
import { NOON_MS, usageSourceContract } from '../contract/usage-source.ts'
import { startFakeExporter } from '../fakes/fake-exporter.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Memory of one pod, every 10 minutes of 14 days; the highest of a day is 1000 × (1 + day) + 100. */
function fourteenDays(pod: string, labels: Readonly<Record<string, string>> = {}): SampledSeries {
  const fromMs = NOON_MS - DAY_MS / 2 - 13 * DAY_MS
  const samples = Array.from({ length: 13 * 144 + 72 }, (_, index) => {
    const day = Math.floor(index / 144)
    return [fromMs + index * 600_000, 1000 * (1 + day) + (index % 144 === 70 ? 100 : 0)] as const
  })
  return {
    name: 'DCGM_FI_DEV_FB_USED',
    labels: {
      gpu: '0',
      UUID: `GPU-${pod}`,
      modelName: 'NVIDIA H100 80GB HBM3',
      Hostname: 'node-1',
      exported_namespace: 'ml',
      exported_pod: pod,
      exported_container: 'main',
      namespace: 'gpu-operator',
      pod: 'nvidia-dcgm-exporter-x',
      container: 'nvidia-dcgm-exporter',
      ...labels
    },
    samples
  }
}

await prometheusTest(t, 'a real Prometheus', async (t, binaries) => {
  await t.test('keeps the promises of every source', async (t) => {
    usageSourceContract(t, async (t, series) => {
      const prometheus = await startPrometheus({ binaries, past: openMetricsOf(series) })
      t.teardown(() => prometheus.stop())
      return openPrometheus({ url: prometheus.url })
    })
  })

  await t.test('14 days: read whole, then only today, and through an outage', async (t) => {
    const past = openMetricsOf([fourteenDays('a-0'), fourteenDays('b-0')])
    const prometheus = await startPrometheus({ binaries, past })
    t.teardown(() => prometheus.stop())
    const source = openPrometheus({ url: prometheus.url, random: () => 0 })
    t.teardown(() => source.close())
    const read = () => source.read({ nowMs: NOON_MS, lookbackDays: 14 })

    const first = await read()
    const second = await read()
    await prometheus.pause()
    const during = await read()
    await prometheus.resume()
    const after = await read()

    t.strictSame(
      [first, second, during, after].map(({ status }) => status),
      ['complete', 'complete', 'failed', 'complete']
    )
    t.strictSame(
      first.series.map(({ labels, days }) => [labels.pod, days.map(({ max }) => max), days[0]?.samples]),
      ['a-0', 'b-0'].map((pod) => [pod, Array.from({ length: 14 }, (_, day) => 1000 * (1 + day) + 100), 144])
    )
    t.strictSame(during.series, first.series)
    t.strictSame(after.series, first.series)
    t.ok(second.cost.queries < first.cost.queries / 3, `${first.cost.queries}, then ${second.cost.queries}`)
    t.match(during.faults, [{ kind: 'unreachable' }])
  })

  await t.test('hostile label values come back as values, never as queries', async (t) => {
    const hostile = ['", "} or vector(1) #', 'a\\"b', '.*', 'x|y', 'line\nbreak', '$(id)', 'ml']
    const series = hostile.map((namespace, index) =>
      fourteenDays(`p-${index}`, { exported_namespace: namespace })
    )
    const prometheus = await startPrometheus({ binaries, past: openMetricsOf(series) })
    t.teardown(() => prometheus.stop())
    const source = openPrometheus({ url: prometheus.url })
    t.teardown(() => source.close())

    const reading = await source.read({ nowMs: NOON_MS, lookbackDays: 2 })

    t.strictSame(
      reading.series.map(({ labels }) => labels.pod),
      ['p-6']
    )
    t.equal(reading.status, 'complete')
    t.ok((reading.discarded['unreadable-labels'] ?? 0) >= 5)
  })

  await t.test('a query limit of the server: asked for in parts, nothing lost', async (t) => {
    const series = ['one', 'two', 'three', 'four'].map((namespace, index) =>
      fourteenDays(`p-${index}`, { exported_namespace: namespace })
    )
    const args = ['--query.max-samples=300']
    const prometheus = await startPrometheus({ binaries, past: openMetricsOf(series), args })
    t.teardown(() => prometheus.stop())
    const source = openPrometheus({ url: prometheus.url })
    t.teardown(() => source.close())

    const reading = await source.read({ nowMs: NOON_MS - 1, lookbackDays: 14 })

    t.strictSame(reading.faults, [])
    t.strictSame(
      reading.series.map(({ days }) => days.length),
      [14, 14, 14, 14]
    )
  })

  await t.test('what a real scrape makes of an exporter that speaks its own text format', async (t) => {
    const exporter = await startFakeExporter()
    t.teardown(() => exporter.close())
    const device = {
      gpu: '0',
      UUID: 'GPU-1',
      device: 'nvidia0',
      modelName: 'NVIDIA A100-SXM4-80GB',
      Hostname: 'node-1'
    }
    const owner = { container: 'notebook', namespace: 'team-b', pod: 'nb-0' }
    const mig = { ...device, GPU_I_PROFILE: '1g.10gb', GPU_I_ID: '9' }
    exporter.series = [
      { name: 'DCGM_FI_DEV_FB_USED', labels: { ...mig, ...owner }, value: 5310 },
      { name: 'DCGM_FI_DEV_FB_USED', labels: { ...mig, GPU_I_ID: '10' }, value: 6 },
      { name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', labels: { ...mig, ...owner }, value: '0.402113' }
    ]
    const prometheus = await startPrometheus({ binaries, targets: [exporter.address] })
    t.teardown(() => prometheus.stop())
    const source = openPrometheus({ url: prometheus.url })
    t.teardown(() => source.close())

    const reading = await until('two metrics of nb-0', async () => {
      const now = await source.read({ nowMs: Date.now() + 2000, lookbackDays: 1 })
      return now.series.filter(({ labels }) => labels.pod === 'nb-0').length === 2 && now
    })

    t.match(
      reading.series.map(({ metric, labels, days }) => [
        metric,
        labels.pod,
        labels.container,
        labels.gpuInstanceId,
        days[0]?.max
      ]),
      [
        ['gr-engine-active', 'nb-0', 'notebook', '9', 0.402113],
        ['memory', '', '', '10', 6],
        ['memory', 'nb-0', 'notebook', '9', 5310]
      ]
    )
    t.equal(reading.status, 'complete')
    t.ok(Math.abs((reading.newestSampleMs ?? 0) - Date.now()) < HOUR_MS)
  })
})
