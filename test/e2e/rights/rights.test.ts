import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { authoritySecret, RULES_CONFIG_MAP, serviceAccounts } from '../../../src/core/api/names.ts'
import { fieldAt, fieldOf, type JsonRecord, listOf } from '../../../src/core/json.ts'
import type { ReportGroup } from '../../../src/ports/policy-report-store.ts'
import type { CertificateTimes } from '../../../src/tls/due.ts'
import { bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { cardSeries, startNodeExporter } from '../../bed/exporter.ts'
import { createNamespace } from '../../bed/namespace.ts'
import { PRODUCT_NAMESPACE, USERS } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { aDeviceClass, someClasses, someSlices } from '../../build/devices.ts'
import { reportCrds, reportPath } from '../../fixtures/policy-reports/crds.ts'
import { untilPublished } from '../certificates/load.ts'
import { startReplica } from '../certificates/replica.ts'
import { nameOf } from '../history-steps.ts'
import { barePod, job, policy, workload } from '../objects.ts'
import {
  create,
  findPods,
  installConfigurations,
  manifestObjects,
  type Product,
  startController,
  startManagedWebhook,
  untilHeard,
  writeHistory
} from '../product.ts'
import { startTemplateKeeper } from '../sharing/template-keeper.ts'
import { LEVEL, prepare, WAIT_MS } from '../sweep-stage.ts'
import { type Comparison, callsOf, compareRights, rightsOf } from './rights.ts'

/*
 * Everything that the two processes do, in one bed whose API server writes down every request. There is no list of exceptions: a right
 * that no path below uses has to go, or its path has to be walked here.
 */

type Account = keyof typeof serviceAccounts

/** Lives so short that authorities come and go while the test looks on. */
const shortTimes: CertificateTimes = {
  authorityMs: 15_000,
  backdateMs: 3_000,
  leafMs: 6_000,
  publishedMs: 1_500,
  lookMs: 500,
  hastyLookMs: 200
}

/** The slowest right is that to remove what is known of a workload: it is remembered for 36 seconds, the shortest that is allowed. */
const REMEMBERED_HOURS = '0.01'
const ALL_USED_MS = 120_000

/** A pod waits for a second, and three looks of ten seconds come until it is made anew. */
const RESCUED_MS = 60_000

const rbacFiles: Readonly<Record<Account, string>> = {
  webhook: 'base/rbac.yaml',
  controller: 'base/controller-rbac.yaml'
}

async function compared(bed: Bed, account: Account): Promise<Comparison> {
  const objects = await manifestObjects(rbacFiles[account])
  const log = await readFile(bed.auditLogFile ?? '', 'utf8')
  const whole = log.slice(0, log.lastIndexOf('\n') + 1)
  return compareRights(rightsOf(objects, serviceAccounts[account]), callsOf(whole, USERS[account].user))
}

/** Waits until every right was used, or for as long as that may take; then says how rights and calls differ. */
async function asItEnds(bed: Bed, account: Account): Promise<Comparison> {
  await until(
    `${account} has used its rights`,
    async () => (await compared(bed, account)).surplus.length === 0,
    ALL_USED_MS
  ).catch(() => undefined)
  return await compared(bed, account)
}

/** An exemption, whose status is written. */
const exemption: JsonRecord = {
  apiVersion: 'rightslice.dev/v1alpha1',
  kind: 'GpuExemption',
  metadata: { name: 'some' },
  spec: {
    rules: ['Rewrite'],
    reason: 'a load test',
    expires: new Date(Date.now() + 86_400_000).toISOString(),
    selector: { matchLabels: { app: 'some' } }
  }
}

async function serveReports(bed: Bed, group: ReportGroup): Promise<void> {
  await create(bed, reportCrds[group])
  await until(`a report of ${group}`, async () => await hasReport(bed, group), WAIT_MS)
}

async function hasReport(bed: Bed, group: ReportGroup): Promise<boolean> {
  return (await bed.request('GET', reportPath(group, 'told'))).status === 200
}

/** One pod is measured, by an exporter that is scraped: so a reading is whole, and the Services are looked through for a better source. */
async function scrapeOne(t: Test, { bed }: OnBed): Promise<void> {
  await createNamespace(bed, 'gpu-operator')
  const exporter = await startNodeExporter(bed, 'gpu-1')
  t.teardown(() => exporter.close())
  const [measured] = await findPods(bed, 'before', 'app=honest')
  exporter.series = cardSeries([
    {
      node: 'gpu-1',
      index: 1,
      modelName: 'NVIDIA H100 80GB HBM3',
      namespace: 'before',
      pod: nameOf(measured),
      container: 'main',
      usedMiB: 4096,
      busyRatio: 0.05
    }
  ])
}

/** Walks every path of the controller. */
async function useController({ bed }: OnBed): Promise<void> {
  await create(bed, exemption, 'before')
  await serveReports(bed, 'wgpolicyk8s.io')
  await serveReports(bed, 'openreports.io')
  const label = { metadata: { labels: { [LEVEL]: null } } }
  bodyOf(await bed.request('PATCH', '/api/v1/namespaces/told', label, MERGE_PATCH), 'opt out')
  await bed.request('DELETE', `/api/v1/namespaces/${PRODUCT_NAMESPACE}/configmaps/${RULES_CONFIG_MAP}`)
  const own = '/apis/rightslice.dev/v1alpha1/namespaces/before/gpuworkloads/pod-short'
  await create(bed, barePod('short'), 'before')
  await until('a workload is known', async () => (await bed.request('GET', own)).status === 200, WAIT_MS)
  bodyOf(await bed.request('DELETE', '/api/v1/namespaces/before/pods/short'), 'delete its pod')
}

/** A first start of the webhook, whose certificate is believed once this resolves. */
async function startWebhook(t: Test, bed: Bed): Promise<Product> {
  const product = await startManagedWebhook(bed)
  t.teardown(() => product.stop('SIGKILL'))
  await installConfigurations(bed, Number(new URL(product.url).port))
  await untilPublished(bed)
  return product
}

/** Authorities that are replaced, which a process of its own lets wait for months. */
async function replaceAuthorities(t: Test, bed: Bed): Promise<void> {
  await bed.request('DELETE', `/api/v1/namespaces/${PRODUCT_NAMESPACE}/secrets/${authoritySecret}`)
  const replica = await startReplica(bed, shortTimes)
  t.teardown(() => replica.stop())
}

/** A template that nobody wants any more is removed after minutes: by a process of its own, as soon as it is retired. */
async function useTemplates(t: Test, { bed, simulator }: OnBed): Promise<void> {
  await simulator.addNode({ name: 'driver', product: 'H100-80', layout: { kind: 'whole', gpus: 0 } })
  const path = '/apis/resource.k8s.io/v1'
  for (const slice of someSlices({ node: 'driver' }))
    await bed.request('POST', `${path}/resourceslices`, slice)
  await bed.request('POST', `${path}/deviceclasses`, aDeviceClass(someClasses.mig))
  const templates = `${path}/namespaces/before/resourceclaimtemplates`
  const count = async (): Promise<number> =>
    listOf((await bed.request('GET', templates)).body, 'items').length
  await until('there are templates', async () => (await count()) > 0, WAIT_MS)
  const keeper = await startTemplateKeeper(bed)
  t.teardown(() => keeper.stop())
  bodyOf(await bed.request('DELETE', `${path}/deviceclasses/mig.nvidia.com`), 'delete the class')
  const round = async (): Promise<boolean> => {
    await keeper.round()
    return (await count()) === 0
  }
  await until('they are removed', round, WAIT_MS)
}

/** Namespace whose pods are given slices that no node has: an autoscaler that never brings any. */
const VAIN = 'in-vain'

/** A Deployment and a Job whose pods wait for a slice, so that the controller has to rescue them. */
async function waitInVain(bed: Bed): Promise<void> {
  await createNamespace(bed, VAIN, { labels: { [LEVEL]: 'enforce' } })
  const only = { matchLabels: { 'kubernetes.io/metadata.name': VAIN } }
  const spec = { namespaceSelector: only, mig: { provisionable: ['1g.10gb'] }, rescueAfter: '1s' }
  await create(bed, policy(VAIN, { ...spec, priority: 1 }))
  const known = [
    { kind: 'Deployment', name: 'web' },
    { kind: 'Job', name: 'train' },
    { kind: 'Pod', name: 'probe' }
  ]
  for (const { kind, name } of known)
    await writeHistory(bed, { namespace: VAIN, kind, name, peakMemory: '4Gi' })
  await untilHeard(bed, { namespace: VAIN, reason: 'FitsMigProfile', pod: barePod('probe') })
  await create(bed, workload('Deployment', 'web'), VAIN)
  await create(bed, job('train'), VAIN)
}

/** Waits until the pod of this label has a whole GPU and a node. */
async function untilRescued(bed: Bed, app: string): Promise<JsonRecord> {
  return await until(
    `the pod of ${app} is rescued`,
    async () =>
      (await findPods(bed, VAIN, `app=${app}`)).find(
        (pod) =>
          fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision') === 'FellBackToWholeGpu' &&
          fieldAt(pod, 'spec', 'nodeName') !== undefined
      ),
    RESCUED_MS
  )
}

async function rights(t: Test, on: OnBed): Promise<void> {
  const { bed } = on
  await prepare(on)
  await scrapeOne(t, on)
  const webhook = await startWebhook(t, bed)
  await waitInVain(bed)
  const controller = await startController(bed, {
    RIGHTSLICE_SWEEP_SECONDS: '5',
    RIGHTSLICE_REFRESH_SECONDS: '5',
    RIGHTSLICE_FORGET_AFTER_HOURS: REMEMBERED_HOURS,
    RIGHTSLICE_POLICY_REPORTS: 'true'
  })
  t.teardown(() => controller.stop('SIGKILL'))
  await useController(on)
  await useTemplates(t, on)
  for (const app of ['web', 'train'])
    await t.test(`the waiting pod of ${app} makes way for one with a whole GPU`, async (t) => {
      const pod = await untilRescued(bed, app)
      const [main] = listOf(fieldOf(pod, 'spec'), 'containers')
      t.strictSame(fieldAt(main, 'resources', 'limits'), { 'nvidia.com/gpu': '1' })
    })
  t.equal(await webhook.stop(), 0)
  await replaceAuthorities(t, bed)

  await t.test('the webhook may do what it does, and nothing else', async (t) => {
    t.strictSame(await asItEnds(bed, 'webhook'), { surplus: [], lack: [], refused: [], discovery: [] })
  })
  await t.test('the controller may do what it does, and nothing else', async (t) => {
    t.strictSame(await asItEnds(bed, 'controller'), {
      surplus: [],
      lack: [],
      refused: [],
      discovery: ['get /apis/openreports.io/v1alpha1', 'get /apis/wgpolicyk8s.io/v1alpha2']
    })
  })
}

await bedTest(t, 'rights are what the code calls, by the audit log of the API server', rights, {
  audit: 'Metadata'
})
