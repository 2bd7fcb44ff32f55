import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { stringMapOf, stringOf } from '../../src/core/json.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { freePorts } from '../bed/free-ports.ts'
import { createNamespace } from '../bed/namespace.ts'
import { until } from '../bed/until.ts'
import { barePod } from './objects.ts'
import { installBase, installConfigurations } from './product.ts'

const pods = '/api/v1/namespaces/team-a/pods?dryRun=All'

/** What the alert on calls that fail rests on, since nobody of ours is there to tell. */
async function unreachable(t: Test, { bed }: OnBed): Promise<void> {
  const order = { service: 'rightslice', namespace: 'rightslice-system', nowMs: Date.now(), validDays: 1 }
  const { caPem } = await makeCertificates(order)
  const [nobody = 0] = await freePorts(1)
  await installBase(bed)
  await createNamespace(bed, 'team-a', { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await installConfigurations(bed, nobody, caPem)

  const openCount =
    /^apiserver_admission_webhook_fail_open_count\{name="rewrite\.rightslice\.dev",type="admit"\} [1-9]/m
  let refusal: string | undefined
  let metrics = ''
  await until('both configurations are in force', async () => {
    const { status, body } = await bed.request('POST', pods, barePod('app'))
    refusal = stringOf(body, 'message')
    metrics = (await bed.kubectl(['get', '--raw', '/metrics'])).stdout
    return status >= 400 && openCount.test(metrics)
  })

  t.match(refusal, 'failed calling webhook "isolation.rightslice.dev"')
  t.match(
    metrics,
    /^apiserver_admission_webhook_rejection_count\{error_type="calling_webhook_error",name="isolation\.rightslice\.dev",.*\} [1-9]/m
  )
}

/** One command adds the monitor, the rules, and the dashboard in a ConfigMap that Grafana's sidecar finds. */
async function rendered(t: Test, { bed }: OnBed): Promise<void> {
  const { stdout, code, stderr } = await bed.kubectl(['kustomize', 'manifests/monitoring'])
  const objects = parseAllDocuments(stdout).map((document): unknown => document.toJS())
  const [dashboard] = objects.filter((object) => stringOf(object, 'kind') === 'ConfigMap')
  const text = stringMapOf(dashboard, 'data')['rightslice-operations.json'] ?? '{}'

  t.equal(code, 0, stderr)
  t.strictSame(
    objects.map((object) => stringOf(object, 'kind')),
    ['ConfigMap', 'PodMonitor', 'PrometheusRule']
  )
  t.match(dashboard, { metadata: { namespace: 'rightslice-system', labels: { grafana_dashboard: '1' } } })
  t.match(JSON.parse(text), { uid: 'rightslice-operations' })
}

await bedTest(t, 'what watches over an installation', async (t, on) => {
  await t.test('the API server tells of calls that reach nobody, as the alert expects it', (t) =>
    unreachable(t, on)
  )
  await t.test('the folder of monitoring renders', (t) => rendered(t, on))
})
