import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { fieldAt, fieldOf, isRecord, listOf, stringOf, stringsOf } from '../../src/core/json.ts'
import { metricTable } from '../../src/observability/metrics.ts'
import { prometheusTest, startPrometheus } from '../bed/prometheus.ts'
import { until } from '../bed/until.ts'
import { startProcesses } from '../running-processes.ts'

const run = promisify(execFile)
const folder = new URL('../../manifests/monitoring/', import.meta.url)
const dashboard: unknown = JSON.parse(readFileSync(new URL('dashboard-operations.json', folder), 'utf8'))
const panels = listOf(dashboard, 'panels').filter((panel) => fieldOf(panel, 'type') !== 'row')

/** A query as Grafana would send it when everything is chosen. */
function filledIn(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.+')
}

const queries = panels.flatMap((panel) =>
  listOf(panel, 'targets').map((target) => filledIn(stringOf(target, 'expr') ?? ''))
)

/** Labels that whoever scrapes adds. */
const targetLabels = ['job', 'instance']
/** Counted by the API server, which is no part of these processes. */
const foreign = /^apiserver_admission_webhook_(fail_open_count|rejection_count)$/

/** One metric that a query names, with the labels that it is chosen by. */
interface Selector {
  readonly name: string
  readonly labels: readonly string[]
}

/** What a parsed query names: metrics with matchers, and labels that it groups by or carries over. */
function namesIn(node: unknown): {
  readonly selectors: readonly Selector[]
  readonly labels: readonly string[]
} {
  if (!isRecord(node)) return { selectors: [], labels: [] }
  const matching = node['matching']
  const own = [
    ...stringsOf(node, 'grouping'),
    ...stringsOf(matching, 'labels'),
    ...stringsOf(matching, 'include')
  ]
  const matchers = listOf(node, 'matchers').map((matcher) => stringOf(matcher, 'name') ?? '')
  const selector: readonly Selector[] = /^(vector|matrix)Selector$/.test(String(node['type']))
    ? [{ name: String(node['name']), labels: matchers }]
    : []
  const below = Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .map(namesIn)
  return {
    selectors: [...selector, ...below.flatMap(({ selectors }) => selectors)],
    labels: [...own, ...below.flatMap(({ labels }) => labels)]
  }
}

/** Labels of every series that pages hold, by its name. */
function seriesOn(pages: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of pages.join('\n').matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    series.set(name, known)
  }
  return series
}

/** Labels that a metric may have: those of the table, and those that its series have. */
function labelsOf(name: string, series: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const base = name.replace(/_(bucket|sum|count)$/, '')
  const [, entry] = Object.entries(metricTable).find(([known]) => known === name || known === base) ?? []
  const bound = name.endsWith('_bucket') ? ['le'] : []
  return ['__name__', ...targetLabels, ...(entry?.labels ?? []), ...(series.get(name) ?? []), ...bound]
}

/** Names of metrics, also of those without a series yet. */
function metricsOn(pages: readonly string[]): ReadonlySet<string> {
  const types = pages.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)
  return new Set(
    [...types].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    )
  )
}

async function ask(url: string): Promise<unknown> {
  return (await fetch(url, { signal: AbortSignal.timeout(10_000) })).json()
}

t.test('every panel has a title, a sentence, queries and a place of its own', async (t) => {
  const ids = panels.map((panel) => fieldOf(panel, 'id'))
  const places = panels.map((panel) => JSON.stringify(fieldOf(panel, 'gridPos')))

  t.ok(panels.length > 20)
  t.equal(new Set(ids).size, ids.length)
  t.equal(new Set(places).size, places.length)
  for (const panel of panels) {
    t.match(panel, { title: /^[A-Z]|^caBundle/, description: /\.$/, datasource: { uid: '${datasource}' } })
    t.not(listOf(panel, 'targets').length, 0, stringOf(panel, 'title') ?? '')
  }
})

t.test('every metric is on the dashboard, but for one that another tells as well', async (t) => {
  const text = queries.join('\n')
  const absent = Object.keys(metricTable).filter(
    (name) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(text)
  )

  t.strictSame(absent, ['rightslice_store_synced'], 'without a first list there is no age of a mirror')
})

t.test('the dashboard becomes a ConfigMap that Grafana’s sidecar finds', async (t) => {
  const kustomization: unknown = parse(readFileSync(new URL('kustomization.yaml', folder), 'utf8'))

  t.match(fieldOf(kustomization, 'configMapGenerator'), [
    {
      files: ['rightslice-operations.json=dashboard-operations.json'],
      options: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } }
    }
  ])
})

t.test('the monitor scrapes the port and the pods of both deployments', async (t) => {
  const monitor: unknown = parse(readFileSync(new URL('pod-monitor.yaml', folder), 'utf8'))
  const [endpoint] = listOf(fieldOf(monitor, 'spec'), 'podMetricsEndpoints')
  const labels = fieldAt(monitor, 'spec', 'selector', 'matchLabels')

  for (const file of ['deployment.yaml', 'controller-deployment.yaml']) {
    const deployment: unknown = parse(readFileSync(new URL(`../base/${file}`, folder), 'utf8'))
    const [container] = listOf(fieldAt(deployment, 'spec', 'template', 'spec'), 'containers')
    const ports = listOf(container, 'ports').map((port) => stringOf(port, 'name'))

    t.match(fieldAt(deployment, 'spec', 'template', 'metadata', 'labels'), labels)
    t.ok(ports.includes(stringOf(endpoint, 'port')))
    t.equal(fieldAt(deployment, 'metadata', 'namespace'), fieldAt(monitor, 'metadata', 'namespace'))
  }
})

/** promtool takes a query that stands in a rule. */
async function parsedByPromtool(t: Test, promtool: string): Promise<void> {
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }))
  const dir = t.testdir({ 'rules.json': JSON.stringify({ groups: [{ name: 'dashboard', rules }] }) })

  const { stdout } = await run(promtool, ['check', 'rules', join(dir, 'rules.json')], { timeout: 60_000 })

  t.match(stdout, `SUCCESS: ${queries.length} rules found`)
}

/** What webhook and controller tell, and the Prometheus that scrapes them. */
interface Told {
  readonly url: string
  readonly metrics: ReadonlySet<string>
  readonly series: ReadonlyMap<string, ReadonlySet<string>>
}

/** Whether a query names only metrics and labels that are told. */
async function namesWhatIsTold(t: Test, query: string, { url, metrics, series }: Told): Promise<void> {
  const parsed = await ask(`${url}/api/v1/parse_query?query=${encodeURIComponent(query)}`)
  const { selectors, labels } = namesIn(fieldOf(parsed, 'data'))
  const ours = selectors.filter(({ name }) => !foreign.test(name))
  const known = ours.flatMap(({ name }) => labelsOf(name, series))

  t.not(selectors.length, 0, query)
  for (const { name, labels: chosen } of ours) {
    t.ok(metrics.has(name), `${name} is told`)
    for (const label of chosen) t.ok(labelsOf(name, series).includes(label), `${name} has ${label}`)
  }
  if (ours.length > 0) for (const label of labels) t.ok(known.includes(label), `${label} in ${query}`)
}

/** Queries that name nothing but series which are there already. */
function answerable({ series }: Told): readonly string[] {
  return queries.filter((query) => {
    const names = query.match(/\b(rightslice|process|apiserver)_\w+/g) ?? []
    return names.every((name) => series.has(name))
  })
}

async function isAnswered(query: string, { url }: Told): Promise<boolean> {
  const answer = await ask(`${url}/api/v1/query?query=${encodeURIComponent(query)}`)
  return listOf(fieldOf(answer, 'data'), 'result').length > 0
}

await prometheusTest(
  t,
  'the dashboard asks for what webhook and controller tell, and gets answers',
  async (t, binaries) => {
    await parsedByPromtool(t, binaries.promtool)
    const processes = Object.values(await startProcesses(t))
    const targets = processes.map((url) => new URL(url).host)
    const prometheus = await startPrometheus({ binaries, targets })
    t.teardown(() => prometheus.stop())
    const pages = await Promise.all(processes.map(async (url) => (await fetch(`${url}/metrics`)).text()))
    const told = { url: prometheus.url, metrics: metricsOn(pages), series: seriesOn(pages) }

    for (const query of queries) await namesWhatIsTold(t, query, told)
    const askable = answerable(told)
    t.ok(askable.length > queries.length / 2, `${askable.length} of ${queries.length} can be asked`)
    for (const query of askable) await until(query, () => isAnswered(query, told), 30_000)
  }
)
