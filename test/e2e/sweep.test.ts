import t, { type Test } from 'tap'
import { fieldAt, fieldOf, listOf, stringOf } from '../../src/core/json.ts'
import { connectCluster } from '../../src/kube/connection.ts'
import { pageReader } from '../../src/kube/page-reader.ts'
import { policyReportStore } from '../../src/kube/policy-report-store.ts'
import type { ReportGroup } from '../../src/ports/policy-report-store.ts'
import { bodyOf, MERGE_PATCH } from '../bed/api-client.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { policyReportStoreContract, type ReportsUnderTest } from '../contract/policy-report-store.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { reportCrds, reportPath } from '../fixtures/policy-reports/crds.ts'
import { conditionOf, metricLine, rightslice } from './history-steps.ts'
import { barePod } from './objects.ts'
import { create, type Product, startController, startProduct } from './product.ts'
import { devices, LEVEL, mounting, prepare, stateOf, WAIT_MS } from './sweep-stage.ts'

const never = new AbortController().signal

/** Events of violations in a namespace: `Deployment legacy HostDevicePath`. */
async function eventsIn(bed: Bed, namespace: string): Promise<readonly string[]> {
  const { body } = await bed.request('GET', `/api/v1/namespaces/${namespace}/events`)
  return listOf(body, 'items')
    .filter((event) => stringOf(event, 'reason') === 'IsolationViolated')
    .map((event) => {
      const subject = fieldOf(event, 'involvedObject')
      const [rule] = (stringOf(event, 'message') ?? '').split(':')
      return [stringOf(event, 'type'), stringOf(subject, 'kind'), stringOf(subject, 'name'), rule].join(' ')
    })
    .toSorted()
}

async function toldByEvents(t: Test, bed: Bed): Promise<void> {
  await until(
    'both namespaces have their Events',
    async () => {
      const all = await Promise.all(['before', 'away'].map((namespace) => eventsIn(bed, namespace)))
      return all.flat().length >= 3
    },
    WAIT_MS
  )
  t.strictSame(await eventsIn(bed, 'before'), [
    'Warning Deployment legacy HostDevicePath',
    'Warning Pod claims-dev HostDevicePath'
  ])
  t.strictSame(await eventsIn(bed, 'away'), ['Warning Pod smuggled HostDevicePath'])
  for (const namespace of ['told', 'plain']) t.strictSame(await eventsIn(bed, namespace), [])
}

async function toldByConditions(t: Test, bed: Bed): Promise<void> {
  const path = (name: string): string =>
    `/apis/rightslice.dev/v1alpha1/namespaces/before/gpuworkloads/deployment-${name}`
  const says = async (name: string): Promise<string> =>
    conditionOf((await bed.request('GET', path(name))).body, 'Isolated')
  await until('the refresh has written', async () => (await says('legacy')) !== 'none', WAIT_MS)

  t.equal(await says('legacy'), 'False HostDevicePath')
  await until('the other one too', async () => (await says('honest')) !== 'none', WAIT_MS)
  t.equal(await says('honest'), 'True NoViolations')
}

async function toldByMetrics(t: Test, controller: Product): Promise<void> {
  const of = (level: string): string =>
    `rightslice_isolation_violations{rule="HostDevicePath",level="${level}"}`
  const swept = (): unknown => controller.log.find((entry) => stringOf(entry, 'msg') === 'swept')
  await until('a sweep has ended', swept, WAIT_MS)

  t.equal(await metricLine(controller, of('enforce')), `${of('enforce')} 3`)
  t.equal(await metricLine(controller, of('warn')), `${of('warn')} 1`)
  t.equal(await metricLine(controller, 'rightslice_unreviewed_pods'), 'rightslice_unreviewed_pods 1')
  t.match(await metricLine(controller, 'rightslice_sweep_complete_timestamp_seconds'), / \d{10}/)
  t.match(swept(), { outcome: 'complete', namespaces: 3, pods: 7, violatingPods: 4, unreviewedPods: 1 })
}

async function toldByCommand(t: Test, bed: Bed): Promise<void> {
  const ask = ['audit', '--violations', '-o', 'json', '--fail-on', 'violations']
  const [all, asTenant] = await Promise.all([
    rightslice(...ask, '--kubeconfig', bed.adminKubeconfig),
    rightslice(...ask, '--kubeconfig', bed.kubeconfig('tenant'), '-n', 'before')
  ])

  const rowsOf = (text: string): readonly string[] =>
    listOf(JSON.parse(text), 'items').map((item) => {
      const name = fieldAt(item, 'workload', 'name')
      return [fieldOf(item, 'namespace'), name, fieldOf(item, 'level'), fieldOf(item, 'code')].join(' ')
    })
  const before = ['before legacy enforce HostDevicePath', 'before claims-dev enforce HostDevicePath']
  t.equal(all.code, 4, all.stderr)
  t.strictSame(rowsOf(all.stdout), [
    'away smuggled enforce HostDevicePath',
    'away unreviewed  WebhookWasDown',
    ...before,
    'told bad warn HostDevicePath'
  ])
  t.match(JSON.parse(all.stdout), { complete: true, summary: { namespaces: 3, pods: 7, violatingPods: 4 } })
  t.equal(asTenant.code, 3, 'who may read one namespace alone gets a partial answer')
  t.strictSame(rowsOf(asTenant.stdout), before.slice(0, 1), 'where claims lead to is not for everybody')
  t.match(asTenant.stderr, /persistentvolumes cannot be read, so what claims lead to was not looked at/)
}

async function establish(bed: Bed, group: ReportGroup): Promise<void> {
  await create(bed, reportCrds[group])
  const name = String(fieldAt(reportCrds[group], 'metadata', 'name'))
  const { code, stderr } = await bed.kubectl([
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd',
    name
  ])
  if (code !== 0) throw new Error(stderr)
}

/** Our report, undefined where there is none. */
async function reportIn(bed: Bed, group: ReportGroup, namespace: string): Promise<unknown> {
  const { status, body } = await bed.request('GET', reportPath(group, namespace))
  return status === 200 ? body : undefined
}

async function reported(t: Test, bed: Bed): Promise<void> {
  await establish(bed, 'wgpolicyk8s.io')
  const old = await until(
    'a PolicyReport of namespace before',
    () => reportIn(bed, 'wgpolicyk8s.io', 'before'),
    WAIT_MS
  )
  t.match(old, { scope: { name: 'before' }, summary: { fail: 2 } })
  t.match(listOf(old, 'results').slice(0, 2), [
    {
      result: 'fail',
      rule: 'HostDevicePath',
      severity: 'high',
      properties: { workload: 'Deployment/legacy' }
    },
    { result: 'fail', rule: 'HostDevicePath', resources: [{ kind: 'Pod', name: 'claims-dev' }] }
  ])
  await establish(bed, 'openreports.io')
  await until(
    'it has moved',
    async () => {
      const [one, other] = await Promise.all([
        reportIn(bed, 'openreports.io', 'before'),
        reportIn(bed, 'wgpolicyk8s.io', 'before')
      ])
      return one !== undefined && other === undefined
    },
    WAIT_MS
  )
  await until('the one of namespace told is there', () => reportIn(bed, 'openreports.io', 'told'), WAIT_MS)
  const label = { metadata: { labels: { [LEVEL]: null } } }
  bodyOf(await bed.request('PATCH', '/api/v1/namespaces/told', label, MERGE_PATCH), 'opt out')
  await until(
    'it goes with the label',
    async () => (await reportIn(bed, 'openreports.io', 'told')) === undefined,
    WAIT_MS
  )
}

/** With the controller's own rights, over CRDs as strict as the real ones. */
async function reportContract(t: Test, bed: Bed): Promise<void> {
  const connection = await connectCluster({ kubeconfig: bed.kubeconfig('controller') })
  t.teardown(() => connection.close())
  const store = policyReportStore({ connection, clock: new FakeClock(), random: () => 0.5 })
  await createNamespace(bed, 'team-a')

  const both = ['openreports.io', 'wgpolicyk8s.io'] as const
  const make = async (): Promise<ReportsUnderTest> => {
    for (const group of both)
      for (const namespace of await store.namespaces(group, never))
        await store.remove({ group, namespace }, never)
    return { store, read: (group, namespace) => reportIn(bed, group, namespace) }
  }
  policyReportStoreContract(t, make, [both])
}

/** The same pods, did they come now. */
async function refusedNow(t: Test, bed: Bed): Promise<void> {
  const product = await startProduct(bed)
  t.teardown(() => product.stop('SIGKILL'))
  const bad = mounting(barePod('again', { gpus: 0 }), devices)
  const message = await until(
    'a pod like these is refused',
    async () => {
      const answer = await bed.request('POST', '/api/v1/namespaces/before/pods?dryRun=All', bad)
      return answer.status === 403 && stringOf(answer.body, 'message')
    },
    WAIT_MS
  )
  t.match(message, '[HostDevicePath]')
}

async function sweeps(t: Test, on: OnBed): Promise<void> {
  const { bed } = on
  await prepare(on)
  const before = await stateOf(bed)
  const controller = await startController(bed, {
    RIGHTSLICE_SWEEP_SECONDS: '5',
    RIGHTSLICE_REFRESH_SECONDS: '5',
    RIGHTSLICE_POLICY_REPORTS: 'true',
    RIGHTSLICE_PROMETHEUS_URL: 'http://127.0.0.1:1'
  })
  t.teardown(() => controller.stop('SIGKILL'))

  await t.test('Events on owners and bare pods, none about honest ones', (t) => toldByEvents(t, bed))
  await t.test('conditions of the GpuWorkloads', (t) => toldByConditions(t, bed))
  await t.test('metrics and one line', (t) => toldByMetrics(t, controller))
  await t.test('the command, with all rights and with those of a tenant', (t) => toldByCommand(t, bed))
  await t.test('policy reports, in the API that is served', (t) => reported(t, bed))
  await t.test('nothing is deleted or changed', async (t) => t.strictSame(await stateOf(bed), before))
  t.equal(await controller.stop(), 0)
  await t.test('the contract of a PolicyReportStore', (t) => reportContract(t, bed))
  await t.test('the pages of a real API server', async (t) => {
    const connection = await connectCluster({ kubeconfig: bed.kubeconfig('controller') })
    t.teardown(() => connection.close())
    const names: unknown[] = []
    await pageReader(connection).read(
      { kind: 'pods', namespace: 'before' },
      async (pods) => void names.push(...pods.map((pod) => fieldOf(pod, 'kind'))),
      never
    )
    t.strictSame(names, ['Pod', 'Pod', 'Pod', 'Pod'])
  })
  await t.test('a new pod like them is refused', (t) => refusedNow(t, bed))
}

await bedTest(t, 'pods that nobody reviewed are found and told, and nothing else is done', sweeps)
