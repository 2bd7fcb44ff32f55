import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { supportedReleases } from '../../../src/core/api/kubernetes-range.ts'
import { webhookConfigurations } from '../../../src/core/api/names.ts'
import { fieldAt, fieldOf, listOf, stringOf } from '../../../src/core/json.ts'
import { bedTest } from '../../bed/bed-test.ts'
import { type Helm, withHelm } from '../../bed/helm.ts'
import { createNamespace } from '../../bed/namespace.ts'
import { PRODUCT_NAMESPACE, USERS } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { publishedBundles, untilPublished } from '../certificates/load.ts'
import { barePod, policy } from '../objects.ts'
import { create, type Product, startManagedWebhook } from '../product.ts'
import { inventory } from './inventory.ts'
import { manifests, objectsOf } from './rendered.ts'

/** The chart with the real helm: rendered, refused, installed, upgraded and removed. */

const CHART = fileURLToPath(new URL('../../../charts/rightslice', import.meta.url))
const LEVEL = 'rightslice.dev/rightsize'

const valueSets: readonly (readonly string[])[] = [
  [],
  ['certificates=cert-manager', 'podMonitor=true'],
  ['networkPolicy=false', 'webhookReplicas=5', 'controllerReplicas=1'],
  [
    'image=registry.example:5000/rightslice:0.2.0',
    'settings.prometheusUrl=http://thanos-query.monitoring:9090',
    'settings.forgetAfterHours=0.5',
    'settings.policyReports=true',
    'settings.staleSeconds=600',
    'settings.metricNames=acme_fb_bytes=memory/bytes',
    'settings.otlpEndpoint=http://otel-collector.monitoring:4318'
  ]
]
const asSets = (pairs: readonly string[]): readonly string[] => pairs.flatMap((pair) => ['--set', pair])

async function rendered(t: Test, helm: Helm): Promise<void> {
  for (const pairs of valueSets) {
    const options = ['--kube-version', '1.36.0', '--no-hooks', ...asSets(pairs)]
    const { code, stdout, stderr } = await helm('template', 'rightslice', CHART, ...options)
    t.equal(code, 0, stderr)
    t.strictSame(objectsOf(stdout), objectsOf(await manifests(...pairs)), pairs.join(' '))
  }
  const inOwn = ['-n', PRODUCT_NAMESPACE, '--kube-version', '1.36.0', '--no-hooks']
  const { stdout } = await helm('template', 'rightslice', CHART, ...inOwn)
  const { [`Namespace ${PRODUCT_NAMESPACE}`]: _namespace, ...others } = objectsOf(await manifests())
  t.strictSame(objectsOf(stdout), others, 'the namespace of a release is there before it')
  const lint = await helm('lint', '--strict', CHART)
  t.equal(lint.code, 0, lint.stdout)
}

async function refused(t: Test, helm: Helm): Promise<void> {
  for (const { pairs, why } of [
    { pairs: ['webhookReplicas=2'], why: /webhookReplicas/ },
    { pairs: ['namespace=x'], why: /additional properties 'namespace' not allowed/ },
    { pairs: ['settings.refreshSeconds=1'], why: /settings\/refreshSeconds/ },
    { pairs: ['certificates=none'], why: /certificates/ }
  ]) {
    const answer = await helm('template', 'x', CHART, '--kube-version', '1.36.0', ...asSets(pairs))
    t.not(answer.code, 0)
    t.match(answer.stderr, why)
    t.equal(answer.stdout, '')
  }
  const oldest = await helm('template', 'x', CHART, '--kube-version', `${supportedReleases.oldest}.0-gke.1`)
  t.equal(oldest.code, 0, oldest.stderr)
  const old = await helm('template', 'x', CHART, '--kube-version', '1.33.9')
  t.match(old.stderr, /incompatible with Kubernetes v1.33.9/)
}

/** Helm, as the admin of the bed. */
function on(bed: Bed, helm: Helm): Helm {
  return async (...args) => {
    const result = await helm(...args, '--kubeconfig', bed.adminKubeconfig, '-n', 'default')
    if (result.code !== 0) throw new Error(`helm ${args[0] ?? ''}: ${result.stderr}`)
    return result
  }
}

async function installed(t: Test, bed: Bed, helm: Helm): Promise<Product> {
  await helm('install', 'rightslice', CHART)
  const product = await startManagedWebhook(bed)
  t.teardown(() => product.stop('SIGKILL'))
  await untilPublished(bed)
  await create(bed, policy('standard', {}))
  return product
}

async function upgraded(t: Test, bed: Bed, helm: Helm): Promise<void> {
  const before = await publishedBundles(bed)

  await helm(
    'upgrade',
    'rightslice',
    CHART,
    '--set',
    'image=rightslice:0.2.0',
    '--set',
    'networkPolicy=false'
  )

  t.strictSame(await publishedBundles(bed), before, 'who is believed stays')
  const apps = `/apis/apps/v1/namespaces/${PRODUCT_NAMESPACE}/deployments`
  const { body } = await bed.request('GET', apps)
  t.strictSame(
    listOf(body, 'items').map((one) =>
      listOf(fieldAt(one, 'spec', 'template', 'spec'), 'containers').map((part) => fieldOf(part, 'image'))
    ),
    [['rightslice:0.2.0'], ['rightslice:0.2.0']]
  )
  const network = `/apis/networking.k8s.io/v1/namespaces/${PRODUCT_NAMESPACE}/networkpolicies`
  t.strictSame(listOf((await bed.request('GET', network)).body, 'items'), [], 'what is left out goes')
}

/** Kinds that the admin removed, in their order, from a byte of the audit log on. */
async function removals(bed: Bed, from: number): Promise<readonly string[]> {
  const log = (await readFile(bed.auditLogFile ?? '', 'utf8')).slice(from)
  return log.split('\n').flatMap((line) => {
    if (line === '') return []
    const event: unknown = JSON.parse(line)
    const isRemoval =
      fieldOf(event, 'verb') === 'delete' && fieldAt(event, 'user', 'username') === USERS.admin.user
    return isRemoval ? [stringOf(fieldOf(event, 'objectRef'), 'resource') ?? ''] : []
  })
}

/** A pod that has to be judged, while nobody can be reached. */
async function tryPod(bed: Bed): Promise<number> {
  return (await bed.request('POST', '/api/v1/namespaces/team-a/pods?dryRun=All', barePod('some'))).status
}

async function removed(t: Test, bed: Bed, helm: Helm): Promise<void> {
  await bed.kubectl(['label', 'namespace', 'team-a', `${LEVEL}=enforce`])
  await until('isolation fails closed', async () => (await tryPod(bed)) === 500)
  const from = (await readFile(bed.auditLogFile ?? '', 'utf8')).length

  await helm('uninstall', 'rightslice', '--wait')

  t.equal(await tryPod(bed), 201, 'nobody is asked any more')
  const kinds = await removals(bed, from)
  const first = [
    'validatingwebhookconfigurations',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicybindings'
  ]
  const firstOther = kinds.findIndex((kind) => !first.includes(kind))
  const before = kinds.slice(0, firstOther)
  t.strictSame([...new Set(before)], first, 'what asks and checks goes first, in this order')
  t.ok(kinds.slice(firstOther).includes('deployments'))
  for (const kind of first.slice(0, 2)) {
    const count = webhookConfigurations.filter(({ plural }) => plural === kind).length
    t.ok(before.filter((one) => one === kind).length >= count, kind)
  }
}

async function onBed(t: Test, bed: Bed, helm: Helm): Promise<void> {
  await createNamespace(bed, 'team-a')
  const before = await inventory(bed)
  let product: Product | undefined
  await t.test('it installs, and the webhook takes up its certificates', async (t) => {
    product = await installed(t, bed, helm)
    await upgraded(t, bed, helm)
    await removed(t, bed, helm)
    t.equal(await product.stop(), 0)
  })
  await t.test('what users wrote is kept, and nothing else', async (t) => {
    const policies = await bed.request('GET', '/apis/rightslice.dev/v1alpha1/gpupolicies/standard')
    t.equal(policies.status, 200)
    const crds = ['gpupolicies', 'gpuworkloads', 'gpuexemptions'].map((name) => `${name}.rightslice.dev`)
    const { code, stderr } = await bed.kubectl(['delete', 'crd', ...crds])
    t.equal(code, 0, stderr)
    await bed.kubectl(['label', 'namespace', 'team-a', `${LEVEL}-`])
    t.strictSame(await inventory(bed), before)
  })
}

await withHelm(t, async (helm) => {
  if (helm === undefined)
    return t.test('the chart with helm', { skip: 'helm cannot be had here' }, () => undefined)
  await t.test('the chart renders what rightslice manifests prints', (t) => rendered(t, helm))
  await t.test('values that are not allowed are refused', (t) => refused(t, helm))
  return await bedTest(t, 'the chart on a cluster', (t, { bed }) => onBed(t, bed, on(bed, helm)), {
    audit: 'Metadata'
  })
})
