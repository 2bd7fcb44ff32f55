import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, stringOf } from '../../src/core/json.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { type CardUse, cardLabels, cardSeries, startNodeExporter } from '../bed/exporter.ts'
import { createNamespace } from '../bed/namespace.ts'
import { type BedPrometheus, startPrometheus } from '../bed/prometheus.ts'
import { openMetrics } from '../bed/prometheus-past.ts'
import { until } from '../bed/until.ts'
import type { FakeExporter } from '../fakes/fake-exporter.ts'
import {
  assigned,
  conditionOf,
  metricLine,
  nameOf,
  nextPod,
  rightslice,
  untilKnown,
  untilLogged,
  untilPolicySays
} from './history-steps.ts'
import { policy, workload } from './objects.ts'
import { expectedNeed, expectedProfile, type PastUse, pastMetrics, pastTimes } from './past-use.ts'
import { create, findPods, type Product, startController, startProduct } from './product.ts'

const DAY_MS = 86_400_000
const MODEL = 'NVIDIA H100 80GB HBM3'
const NAMESPACE = 'team-a'
const web = { namespace: NAMESPACE, name: 'web' }
const scraped = { namespace: NAMESPACE, name: 'scraped' }
const slice = (profile: string): string => `nvidia.com/mig-${profile} FitsMigProfile`

/** The line of a round that reached the exporter. */
const scrapedOne = {
  message: 'exporters scraped',
  holds: ({ scraped: count }: JsonRecord): boolean => count === 1
}

/** What the workloads did in 14 days. */
const uses = {
  web: { lowMiB: 4000, highMiB: 6500, peakMiB: 7000, busyRatio: 0.05 },
  big: { lowMiB: 20_000, highMiB: 30_000, peakMiB: 31_003, busyRatio: 0.1 }
}

await bedTest(t, 'measured peaks become sizes, and sizes become shares', async (t, on) => {
  const stage = await prepare(t, on)

  await t.test(
    'candidates before anything is known: straight from Prometheus, and from a snapshot file',
    (t) => candidatesBefore(t, stage)
  )
  await t.test('Prometheus: the measured peak, then a higher one, then none at all', (t) =>
    throughPrometheus(t, stage)
  )
  await t.test('direct scraping: the same, over eight days of a moved clock and a restart', (t) =>
    throughScraping(t, stage)
  )
})

/** Everything that the tests share. */
interface Stage {
  readonly on: OnBed
  readonly prometheus: BedPrometheus
  readonly exporter: FakeExporter
  /** Shows these cards from now on; the other fields are those of `web` on card 1. */
  readonly show: (...cards: readonly Partial<CardUse>[]) => void
  readonly endMs: number
  readonly past: Readonly<Record<keyof typeof uses, PastUse>>
}

async function prepare(t: Test, on: OnBed): Promise<Stage> {
  const { bed, simulator } = on
  await simulator.addNode({ name: 'whole', product: 'H100-80', layout: { kind: 'whole', gpus: 8 } })
  const profiles = { '1g.10gb': 4, '2g.20gb': 4, '3g.40gb': 1 }
  await simulator.addNode({
    name: 'mig',
    product: 'H100-80',
    layout: { kind: 'mig-mixed', gpus: 3, profiles }
  })
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  await createNamespace(bed, NAMESPACE, { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await createNamespace(bed, 'gpu-operator')
  const mig = { allowedProfiles: ['1g.10gb', '2g.20gb', '3g.40gb'], headroom: '20%' }
  await create(bed, policy('standard', { mig }))
  for (const name of ['web', 'big', 'fresh', 'scraped'])
    await create(bed, workload('Deployment', name), NAMESPACE)
  const pods = {
    web: await untilBound(on, 'web'),
    big: await untilBound(on, 'big'),
    scraped: await untilBound(on, 'scraped')
  }
  const exporter = await startNodeExporter(bed, 'whole')
  t.teardown(() => exporter.close())
  const show: Stage['show'] = (...cards) => {
    const standard = { node: 'whole', index: 1, modelName: MODEL, namespace: NAMESPACE, container: 'main' }
    exporter.series = cardSeries(
      cards.map((card) => ({ ...standard, pod: pods.web, usedMiB: 5000, busyRatio: 0.05, ...card }))
    )
  }
  show({}, { index: 2, pod: pods.big, usedMiB: 29_000 }, { index: 3, pod: pods.scraped, usedMiB: 0 })
  const endMs = Date.now() - 120_000
  const past = {
    web: { labels: storedLabels(exporter, 'web', pods.web, 4), ...uses.web },
    big: { labels: storedLabels(exporter, 'big', pods.big, 5), ...uses.big }
  }
  const prometheus = await startPrometheus({
    targets: [exporter.address],
    past: openMetrics(pastMetrics(Object.values(past), endMs), pastTimes(endMs))
  })
  t.teardown(() => prometheus.stop())
  return { on, prometheus, exporter, show, endMs, past }
}

async function untilBound({ bed }: OnBed, name: string): Promise<string> {
  return until(`a pod of ${name} is bound`, async () => {
    const [pod] = await findPods(bed, NAMESPACE, `app=${name}`)
    return fieldAt(pod, 'spec', 'nodeName') === 'whole' && nameOf(pod)
  })
}

/** Labels of the series of an earlier pod of the same template, as a scrape with renamed labels stores them. */
function storedLabels(
  { address }: FakeExporter,
  name: string,
  livePod: string,
  index: number
): Readonly<Record<string, string>> {
  const pod = livePod.replace(/[^-]+$/, 'bcdfg')
  const card = { node: 'whole', index, modelName: MODEL, namespace: NAMESPACE, pod, container: 'main' }
  const { namespace = '', container = '', ...own } = cardLabels(card)
  return {
    ...own,
    exported_namespace: namespace,
    exported_pod: pod,
    exported_container: container,
    namespace: 'gpu-operator',
    pod: 'nvidia-dcgm-exporter-bed',
    container: 'nvidia-dcgm-exporter',
    job: 'dcgm',
    instance: address
  }
}

/** What `rightslice candidates` must say, reckoned from the samples and the bed's own table of cards. */
function expectedCandidates({ past, endMs }: Stage): object {
  const items = (['big', 'web'] as const).map((name) => {
    const { peakMiB, neededMiB } = expectedNeed(past[name], endMs)
    return {
      namespace: NAMESPACE,
      workload: { kind: 'Deployment', name },
      container: 'main',
      pods: 1,
      nodes: ['whole'],
      model: 'NVIDIA-H100-80GB-HBM3',
      requested: { 'nvidia.com/gpu': '1' },
      peakMemoryBytes: peakMiB * 2 ** 20,
      peakCompute: past[name].busyRatio,
      neededBytes: neededMiB * 2 ** 20,
      coverageSeconds: 13 * 86_400,
      decision: {
        reason: 'FitsMigProfile',
        resource: `nvidia.com/mig-${expectedProfile('H100-80', neededMiB)}`
      }
    }
  })
  const kept = ['fresh', 'scraped'].map((name) => ({
    workload: { kind: 'Deployment', name },
    peakMemoryBytes: null,
    decision: { reason: 'NoHistory' }
  }))
  return {
    kind: 'CandidateList',
    // a slice of 1/8 and one of 4/8 of the memory share one card; 4 USD × 730 hours for the other
    summary: { candidates: 2, gpusNow: 2, gpusAfter: 1, gpusFreed: 1, monthly: '2920.00', currency: 'USD' },
    items: [items[0], kept[0], kept[1], items[1]]
  }
}

async function candidatesBefore(t: Test, stage: Stage): Promise<void> {
  const { bed } = stage.on
  const { url } = stage.prometheus
  const live = ['--kubeconfig', bed.adminKubeconfig]
  const file = join(bed.directory, 'snapshot.json')
  const asked = ['candidates', '--prometheus', url, '--price', '*=4']

  const [direct, taken, unreachable] = await Promise.all([
    rightslice(...asked, ...live, '-o', 'json', '--fail-on', 'candidates'),
    rightslice('snapshot', ...live),
    rightslice('candidates', ...live, '--prometheus', 'http://127.0.0.1:1')
  ])
  await writeFile(file, taken.stdout)
  const [offline, unknown] = await Promise.all([
    rightslice(...asked, '--offline', file, '-o', 'json'),
    rightslice('candidates', '--offline', file)
  ])

  t.equal(direct.code, 4, direct.stderr)
  t.match(JSON.parse(direct.stdout), { window: { source: url }, ...expectedCandidates(stage) })
  t.equal(offline.code, 0, offline.stderr)
  const withoutTime = ({ stdout }: { readonly stdout: string }): unknown => ({
    ...JSON.parse(stdout),
    generatedAt: undefined
  })
  t.strictSame(withoutTime(offline), withoutTime(direct), 'a file gives the answer of the cluster')
  t.match(unknown.stdout, /0 pods on 0 whole GPUs/, 'a file without GpuWorkloads knows no peaks')
  t.equal(unreachable.code, 3, unreachable.stderr)
  t.match(unreachable.stderr, /GPU metrics cannot be read/)
  const path = `/apis/rightslice.dev/v1alpha1/namespaces/${NAMESPACE}/gpuworkloads`
  t.strictSame(fieldOf((await bed.request('GET', path)).body, 'items'), [], 'nothing was written')
}

async function throughPrometheus(t: Test, stage: Stage): Promise<void> {
  const { on, prometheus, show } = stage
  const { bed } = on
  const controller = await startController(bed, {
    RIGHTSLICE_PROMETHEUS_URL: prometheus.url,
    RIGHTSLICE_REFRESH_SECONDS: '5'
  })
  t.teardown(() => controller.stop('SIGKILL'))
  const { peakMiB, neededMiB } = expectedNeed(stage.past.web, stage.endMs)

  const { container, object } = await untilKnown(
    bed,
    web,
    (found) => fieldOf(found, 'peakMemory') !== undefined
  )
  t.match(container, {
    name: 'main',
    current: 'nvidia.com/gpu',
    peakMemory: `${peakMiB}Mi`,
    peakCompute: '5%',
    evidence: 'Own',
    needed: `${neededMiB}Mi`,
    history: { coverage: '13d' },
    fits: { resource: 'nvidia.com/mig-1g.10gb' }
  })
  t.equal(conditionOf(object, 'Candidate'), 'True FitsMigProfile')
  t.equal(conditionOf(object, 'LowConfidence'), 'False EnoughHistory')
  await untilPolicySays(bed, { name: 'standard', type: 'HistoryAvailable', says: 'True Read' })
  const known = await rightslice(
    'candidates',
    '--kubeconfig',
    bed.adminKubeconfig,
    '--price',
    '*=4',
    '-o',
    'json'
  )
  t.match(JSON.parse(known.stdout), { window: { source: 'GpuWorkloads' }, ...expectedCandidates(stage) })

  const first = await nextPod(bed, { ...web, expected: slice('1g.10gb') })
  t.equal(assigned(first), slice('1g.10gb'))
  t.equal(fieldAt(first, 'spec', 'nodeName'), 'mig')

  show({ usedMiB: 12_000 })
  await untilKnown(bed, web, (found) => fieldOf(found, 'needed') === '14400Mi')
  const second = await nextPod(bed, { ...web, expected: slice('2g.20gb') })
  t.equal(assigned(second), slice('2g.20gb'))

  await prometheus.pause()
  show({ usedMiB: 3000 })
  await untilPolicySays(bed, { name: 'standard', type: 'HistoryAvailable', says: 'False NotRead' })
  await untilLogged(controller, { message: 'refreshed', holds: ({ status }) => status === 'failed' })
  t.match(await metricLine(controller, 'rightslice_refresh_source_faults{kind="unreachable"}'), / [1-9]/)
  t.match(
    await metricLine(controller, 'rightslice_refresh_duration_seconds_count{outcome="failed"}'),
    / [1-9]/
  )
  const during = await untilKnown(bed, web, () => true)
  t.equal(fieldOf(during.container, 'needed'), '14400Mi', 'nothing shrinks')
  t.equal(assigned(await nextPod(bed, { ...web, expected: slice('2g.20gb') })), slice('2g.20gb'))

  await prometheus.resume()
  await untilPolicySays(bed, { name: 'standard', type: 'HistoryAvailable', says: 'True Read' })
  const after = await untilKnown(bed, web, () => true)
  t.equal(fieldOf(after.container, 'needed'), '14400Mi', 'the peak is still within the lookback')
  t.equal(await metricLine(controller, 'rightslice_leader'), 'rightslice_leader 1', 'the same process')
  t.equal(await controller.stop(), 0)
}

async function throughScraping(t: Test, stage: Stage): Promise<void> {
  const { on, exporter, show } = stage
  const { bed } = on
  const clockFile = join(bed.directory, 'clock')
  let offsetMs = 0
  const moveClock = async (byMs: number): Promise<void> => {
    offsetMs += byMs
    await writeFile(clockFile, String(offsetMs))
  }
  const pod = await untilBound(on, 'scraped')
  const showScraped = (usedMiB: number): void => show({ index: 3, pod, usedMiB })
  showScraped(6000)
  const start = async (): Promise<Product> => {
    const controller = await startController(bed, {
      RIGHTSLICE_USAGE_SOURCE: 'scrape',
      RIGHTSLICE_REFRESH_SECONDS: '5',
      RIGHTSLICE_LOG_LEVEL: 'debug',
      NODE_OPTIONS: `--import ${new URL('moved-clock.ts', import.meta.url).href}`,
      BED_CLOCK_FILE: clockFile
    })
    t.teardown(() => controller.stop('SIGKILL'))
    return controller
  }
  const fromMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  await moveClock(0)
  const before = await start()
  await untilKnown(bed, scraped, (found) => fieldOf(found, 'peakMemory') === '6000Mi')
  t.equal(await before.stop(), 0)
  await moveClock(DAY_MS)
  const controller = await start() // seven whole days are needed, so the size below proves that the first one was kept
  await untilLogged(controller, { ...scrapedOne, from: 0 })
  for (let day = 2; day <= 8; day += 1) {
    const round = untilLogged(controller, scrapedOne)
    await moveClock(DAY_MS) // the lease runs out at once, and leading begins anew with a round
    await round
  }
  const { container } = await untilKnown(bed, scraped, (found) => fieldOf(found, 'needed') === '7200Mi')
  t.match(container, {
    peakMemory: '6000Mi',
    evidence: 'Own',
    history: { coverage: '7d', from: new Date(fromMs).toISOString().replace('.000', '') },
    fits: { resource: 'nvidia.com/mig-1g.10gb' }
  })
  t.equal(assigned(await nextPod(bed, { ...scraped, expected: slice('1g.10gb') })), slice('1g.10gb'))

  showScraped(15_000)
  await moveClock(60_000)
  await untilKnown(bed, scraped, (found) => fieldOf(found, 'needed') === '18000Mi')
  t.equal(assigned(await nextPod(bed, { ...scraped, expected: slice('2g.20gb') })), slice('2g.20gb'))

  exporter.misbehave = (_request, response) => void response.writeHead(500).end()
  showScraped(1000)
  await moveClock(60_000)
  await untilPolicySays(bed, { name: 'standard', type: 'HistoryAvailable', says: 'False PartlyRead' })
  const during = await untilKnown(bed, scraped, () => true)
  t.equal(fieldOf(during.container, 'needed'), '18000Mi', 'nothing shrinks')

  exporter.misbehave = undefined
  await moveClock(60_000)
  await untilPolicySays(bed, { name: 'standard', type: 'HistoryAvailable', says: 'True Read' })
  t.equal(stringOf((await untilKnown(bed, scraped, () => true)).container, 'needed'), '18000Mi')
  t.equal(await controller.stop(), 0)
}
