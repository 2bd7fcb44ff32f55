import t, { type Test } from 'tap'
import { openScraping, type ScrapeOptions } from '../../src/prometheus/scrape-source.ts'
import { MAX_SERIES_BYTES } from '../../src/prometheus/scrape-state.ts'
import { NOON_MS, usageSourceContract } from '../contract/usage-source.ts'
import { type FakeExporter, startFakeExporter } from '../fakes/fake-exporter.ts'

const DAY_MS = 86_400_000

async function start(t: Test): Promise<FakeExporter> {
  const exporter = await startFakeExporter()
  t.teardown(() => exporter.close())
  return exporter
}

function open(t: Test, exporters: readonly FakeExporter[], options: Partial<ScrapeOptions> = {}) {
  const targets = exporters.map(({ url }, index) => ({ url, node: `node-${index}` }))
  const source = openScraping({ targets: () => targets, ...options })
  t.teardown(() => source.close())
  return source
}

const memory = (pod: string, value: number | string, labels: Readonly<Record<string, string>> = {}) => ({
  name: 'DCGM_FI_DEV_FB_USED',
  labels: { gpu: '0', UUID: `GPU-${pod}`, namespace: 'ml', pod, container: 'main', ...labels },
  value
})

/** Shows the samples of a time on the exporter's page and scrapes it, time by time. */
usageSourceContract(t, async (t, series) => {
  const exporter = await start(t)
  const source = openScraping({ targets: () => [{ url: exporter.url, node: 'gpu-node-7' }] })
  const times = [...new Set(series.flatMap(({ samples }) => samples.map(([timeMs]) => timeMs)))].sort(
    (a, b) => a - b
  )
  for (const timeMs of times) {
    exporter.series = series.flatMap(({ name, labels, samples }) =>
      samples.flatMap(([at, value]) => (at === timeMs ? [{ name, labels, value }] : []))
    )
    await source.scrape(timeMs)
  }
  return source
})

t.test('keeps maxima across a restart, within the stated size', async (t) => {
  const exporter = await start(t)
  const before = open(t, [exporter])
  for (let day = 40; day >= 0; day -= 1) {
    exporter.series = [memory('a-0', 1000 + day), memory('b-0', 5)]
    await before.scrape(NOON_MS - day * DAY_MS)
  }
  const state: unknown = JSON.parse(JSON.stringify(before.export(({ pod }) => pod === 'a-0')))
  const after = open(t, [exporter])
  exporter.series = [memory('a-0', 999)]

  const unread = after.restore(state)
  await after.scrape(NOON_MS + 30_000)
  const reading = await after.read({ nowMs: NOON_MS + 30_000, lookbackDays: 28 })

  t.equal(unread, 0)
  t.strictSame(
    reading.series.map(({ labels, days }) => [labels.pod, days.length, days[0]?.max, days.at(-1)]),
    [
      [
        'a-0',
        28,
        1027,
        {
          dayMs: NOON_MS - DAY_MS / 2,
          max: 1000,
          maxAtMs: NOON_MS,
          samples: 2,
          firstMs: NOON_MS,
          lastMs: NOON_MS + 30_000
        }
      ]
    ]
  )
  t.ok(JSON.stringify(state).length <= MAX_SERIES_BYTES)
})

t.test('what was exported and is taken up again counts once', async (t) => {
  const exporter = await start(t)
  exporter.series = [memory('a-0', 7)]
  const source = open(t, [exporter])
  await source.scrape(NOON_MS)
  await source.scrape(NOON_MS + 30_000)
  const state = source.export()
  await source.scrape(NOON_MS + 60_000)

  source.restore(state)
  source.restore(state)
  const { series } = await source.read({ nowMs: NOON_MS + 60_000, lookbackDays: 1 })

  t.match(series, [{ days: [{ samples: 3, firstMs: NOON_MS, lastMs: NOON_MS + 60_000 }] }])
})

t.test('a state that was tampered with is left out piece by piece', async (t) => {
  const source = open(t, [])

  t.equal(source.restore('nonsense'), 1)
  t.equal(source.restore({ version: 2, series: [] }), 1)
  t.equal(source.restore({ version: 1, series: [{ labels: {} }, 7, null] }), 3)
  t.strictSame((await source.read({ nowMs: NOON_MS, lookbackDays: 1 })).series, [])
})

t.test('series are bounded; the ones seen last the longest ago make room', async (t) => {
  const exporter = await start(t)
  const source = open(t, [exporter], { series: 10 })
  for (let index = 0; index < 25; index += 1) {
    exporter.series = [memory(`p-${index}`, 1)]
    await source.scrape(NOON_MS + index * 30_000)
  }

  const reading = await source.read({ nowMs: NOON_MS + 750_000, lookbackDays: 1 })

  t.ok(reading.series.length <= 10)
  t.ok(reading.series.some(({ labels }) => labels.pod === 'p-24'))
  t.notOk(reading.series.some(({ labels }) => labels.pod === 'p-0'))
  t.ok((reading.discarded['series-limit'] ?? 0) >= 15)
})

t.test(
  'series that had to go are missed for as long as the days that they told of are asked for',
  async (t) => {
    const exporter = await start(t)
    const source = open(t, [exporter], { series: 10 })
    for (let index = 0; index < 12; index += 1) {
      exporter.series = [memory(`p-${index}`, 1), memory('steady', 5, { namespace: 'other' })]
      await source.scrape(NOON_MS + index * 30_000)
    }
    exporter.series = [memory('steady', 5, { namespace: 'other' })]
    const read = async (nowMs: number, lookbackDays: number) => {
      await source.scrape(nowMs)
      return source.read({ nowMs, lookbackDays })
    }

    const soon = await read(NOON_MS + 400_000, 14)
    const again = await read(NOON_MS + 430_000, 14)
    const inside = await read(NOON_MS + 13 * DAY_MS, 14)
    const after = await read(NOON_MS + 14 * DAY_MS, 14)

    for (const reading of [soon, again, inside]) {
      t.match(reading, {
        status: 'partial',
        missingNodes: [],
        missingNamespaces: ['ml'],
        faults: [{ kind: 'series-limit', message: /days of 1 namespaces are missing/ }]
      })
    }
    t.equal(after.status, 'complete')
    t.notOk('missingNamespaces' in after)
  }
)

t.test('a namespace with many pods pushes out its own series only', async (t) => {
  const exporter = await start(t)
  const source = open(t, [exporter], { series: 20 })
  exporter.series = ['a', 'b', 'c'].map((pod) => memory(pod, 9, { namespace: 'quiet' }))
  await source.scrape(NOON_MS)
  for (let index = 0; index < 60; index += 1) {
    exporter.series = [memory(`p-${index}`, 1)]
    await source.scrape(NOON_MS + (index + 1) * 30_000)
  }

  const { series, missingNamespaces } = await source.read({ nowMs: NOON_MS + 1_830_000, lookbackDays: 1 })

  t.strictSame(missingNamespaces, ['ml'])
  t.strictSame(
    series.flatMap(({ labels }) => (labels.namespace === 'quiet' ? labels.pod : [])),
    ['a', 'b', 'c']
  )
})

t.test('the node of the target is the node, whatever the exporter calls itself', async (t) => {
  const exporter = await start(t)
  exporter.series = [memory('a-0', 1, { Hostname: 'nvidia-dcgm-exporter-abcde' })]
  const source = open(t, [exporter])

  await source.scrape(NOON_MS)

  t.equal((await source.read({ nowMs: NOON_MS, lookbackDays: 1 })).series[0]?.labels.node, 'node-0')
})

t.test('one exporter that fails makes the day partial, the others are read', async (t) => {
  const [good, bad] = [await start(t), await start(t)]
  good.series = [memory('a-0', 7)]
  bad.misbehave = (_, response) => void response.writeHead(302, { location: good.url }).end()
  const source = open(t, [good, bad])

  const round = await source.scrape(NOON_MS)
  const reading = await source.read({ nowMs: NOON_MS, lookbackDays: 1 })
  bad.misbehave = undefined
  bad.series = [memory('b-0', 8)]
  await source.scrape(NOON_MS + 30_000)
  const later = await source.read({ nowMs: NOON_MS + 30_000, lookbackDays: 1 })

  t.strictSame(round, { scraped: 1, failed: 1 })
  t.match(reading, {
    status: 'partial',
    missingNodes: ['node-1'],
    days: [{ state: 'partial' }],
    faults: [{ kind: 'redirected', count: 1 }]
  })
  t.notOk('missingNodes' in later)
  t.strictSame(
    later.series.map(({ labels }) => labels.pod),
    ['a-0', 'b-0']
  )
  t.equal(later.status, 'complete')
})

t.test('a node in use without a ready exporter is missed, until it has one', async (t) => {
  const exporters = [await start(t)]
  for (const exporter of exporters) exporter.series = [memory('a-0', 7)]
  const targets = exporters.map(({ url }) => ({ url, node: 'node-0' }))
  const source = openScraping({ targets: () => targets, nodes: () => ['node-0', 'node-1'] })
  t.teardown(() => source.close())

  await source.scrape(NOON_MS)
  const reading = await source.read({ nowMs: NOON_MS, lookbackDays: 1 })
  for (const { url } of exporters) targets.push({ url, node: 'node-1' })
  await source.scrape(NOON_MS + 30_000)
  const later = await source.read({ nowMs: NOON_MS + 30_000, lookbackDays: 1 })

  t.match(reading, {
    status: 'partial',
    missingNodes: ['node-1'],
    faults: [{ kind: 'no-target', message: 'node node-1: no dcgm-exporter is ready there' }]
  })
  t.equal(later.status, 'complete')
})

const troubles: readonly (readonly [
  name: string,
  misbehave: NonNullable<FakeExporter['misbehave']>,
  kind: string
])[] = [
  ['never answers', () => undefined, 'timeout'],
  ['sends too much', (_, response) => void response.end('x'.repeat(200_000)), 'too-large'],
  ['breaks off', (_, response) => void response.destroy(), 'unreachable'],
  ['has other metrics', (_, response) => void response.end('up 1\n'), 'no-metric'],
  [
    'is compressed',
    (_, response) => void response.setHeader('content-encoding', 'gzip').end('x'),
    'bad-answer'
  ]
]
for (const [name, misbehave, kind] of troubles) {
  t.test(`an exporter that ${name}: ${kind}`, async (t) => {
    const exporter = await start(t)
    exporter.misbehave = misbehave
    const source = open(t, [exporter], { timeoutMs: 200, pageBytes: 100_000 })

    t.strictSame(await source.scrape(NOON_MS), { scraped: 0, failed: 1 })
    const reading = await source.read({ nowMs: NOON_MS, lookbackDays: 1 })

    t.equal(reading.status, 'failed')
    t.ok(reading.faults.some((fault) => fault.kind === kind))
  })
}

t.test('no exporter, or an address that is none, is said', async (t) => {
  const none = open(t, [])
  await none.scrape(NOON_MS)
  const wrong = openScraping({
    targets: () => [
      { url: 'node-1:9400/metrics::', node: 'n' },
      { url: 'nonsense', node: 'n' }
    ]
  })
  t.teardown(() => wrong.close())
  await wrong.scrape(NOON_MS)

  t.match((await none.read({ nowMs: NOON_MS, lookbackDays: 1 })).faults, [
    { kind: 'no-target' },
    { kind: 'unreachable' }
  ])
  t.match((await wrong.read({ nowMs: NOON_MS, lookbackDays: 1 })).faults, [{ kind: 'unreachable', count: 3 }])
})
