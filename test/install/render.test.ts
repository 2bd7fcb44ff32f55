import { readFileSync } from 'node:fs'
import t from 'tap'
import { configOptions } from '../../src/config/schema.ts'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../../src/core/json.ts'
import { parseValues } from '../../src/install/parse-values.ts'
import { renderInstallation } from '../../src/install/render.ts'
import { readSources } from '../../src/install/sources.ts'
import { openSettings } from '../../src/install/values.ts'

const sources = await readSources()
const rendered = (...pairs: readonly string[]): readonly JsonRecord[] =>
  renderInstallation(sources, parseValues(pairs))
const nameOf = (object: unknown): string => stringOf(fieldOf(object, 'metadata'), 'name') ?? ''
const named = (objects: readonly JsonRecord[], kind: string): readonly string[] =>
  objects.filter((object) => object['kind'] === kind).map(nameOf)

function deploymentOf(objects: readonly JsonRecord[], name: string): unknown {
  return objects.find((object) => object['kind'] === 'Deployment' && nameOf(object) === name)
}

function containerOf(objects: readonly JsonRecord[], name: string): unknown {
  const spec = fieldAt(deploymentOf(objects, name), 'spec', 'template', 'spec')
  return listOf(spec, 'containers')[0]
}

function variablesOf(container: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    listOf(container, 'env').map((entry) => [stringOf(entry, 'name') ?? '', fieldOf(entry, 'value')])
  )
}

const both = ['rightslice-webhook', 'rightslice-controller']

t.test('with the defaults it is the base, with an image of this version', async (t) => {
  const base = sources.filter(({ origin }) => origin === 'base').map(({ object }) => object)
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const kustomization = readFileSync(
    new URL('../../manifests/base/kustomization.yaml', import.meta.url),
    'utf8'
  )
  const text = JSON.stringify(base).replaceAll('"image":"rightslice"', `"image":"rightslice:${version}"`)

  t.strictSame(rendered(), JSON.parse(text))
  t.match(kustomization, `newTag: ${version}`)
})

t.test('what others need comes first, and whoever is asked about pods last', async (t) => {
  const objects = rendered('podMonitor=true', 'certificates=cert-manager')
  const kinds = objects.map((object) => String(object['kind']))
  const firstOf = (kind: string): number => kinds.indexOf(kind)
  const lastOf = (kind: string): number => kinds.lastIndexOf(kind)

  t.equal(kinds[0], 'Namespace')
  for (const kind of ['CustomResourceDefinition', 'ConfigMap', 'Certificate', 'PodMonitor', 'NetworkPolicy'])
    t.ok(lastOf(kind) < firstOf('Deployment'), kind)
  t.ok(firstOf('ServiceAccount') < firstOf('ClusterRoleBinding'))
  t.ok(lastOf('ConfigMap') < firstOf('ValidatingAdmissionPolicyBinding'), 'no binding without its table')
  t.strictSame(kinds.slice(-3), [
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'ValidatingWebhookConfiguration'
  ])
})

t.test('image, replicas and settings go into both Deployments', async (t) => {
  const objects = rendered(
    'image=registry.example:5000/rightslice:0.2.0',
    'webhookReplicas=5',
    'controllerReplicas=1',
    'settings.prometheusUrl=http://thanos.monitoring:9090',
    'settings.policyReports=true'
  )

  for (const name of both) {
    const container = containerOf(objects, name)
    t.equal(fieldOf(container, 'image'), 'registry.example:5000/rightslice:0.2.0')
    t.match(variablesOf(container), {
      RIGHTSLICE_PROMETHEUS_URL: 'http://thanos.monitoring:9090',
      RIGHTSLICE_POLICY_REPORTS: 'true'
    })
  }
  t.strictSame(
    both.map((name) => fieldAt(deploymentOf(objects, name), 'spec', 'replicas')),
    [5, 1]
  )
})

t.test('no setting that may be chosen is one that the manifests set', async (t) => {
  const taken = both.flatMap((name) => Object.keys(variablesOf(containerOf(rendered(), name))))

  for (const { key, variable } of configOptions())
    t.notOk(openSettings.some((open) => open === key) && taken.includes(variable), key)
})

t.test('every setting may be chosen but those that are bound to what the manifests say', async (t) => {
  const closed = configOptions().filter(({ key }) => !openSettings.some((open) => open === key))
  const keys = closed.map(({ key }) => key)

  t.strictSame(
    keys.filter((key) => !key.endsWith('File')),
    [
      'listenHost',
      'listenPort',
      'healthPort',
      'certificates',
      'clientNames', // holds with clientCaFile alone
      'kubeconfig',
      'ownNamespace',
      'drainSeconds', // with terminationGracePeriodSeconds
      'prometheusUsername', // holds with prometheusPasswordFile alone
      'leaseName'
    ]
  )
})

t.test('without NetworkPolicies there are none, and with a PodMonitor there is one', async (t) => {
  t.strictSame(named(rendered('networkPolicy=false'), 'NetworkPolicy'), [])
  t.strictSame(named(rendered(), 'PodMonitor'), [])
  t.strictSame(named(rendered('podMonitor=true'), 'PodMonitor'), ['rightslice'])
})

t.test('with cert-manager the webhook has no rights to authorities', async (t) => {
  const objects = rendered('certificates=cert-manager')

  t.strictSame(named(objects, 'Role'), ['rightslice-controller'])
  t.strictSame(named(objects, 'RoleBinding'), ['rightslice-controller'])
  t.strictSame(named(objects, 'Certificate'), ['rightslice-webhook-authority', 'rightslice-webhook'])
  const role = objects.find((object) => object['kind'] === 'ClusterRole' && nameOf(object) === both[0])
  t.notMatch(JSON.stringify(role), 'admissionregistration')
  t.match(containerOf(objects, 'rightslice-webhook'), {
    volumeMounts: [{ name: 'tls', mountPath: '/etc/rightslice/tls', readOnly: true }]
  })
  t.equal(variablesOf(containerOf(objects, 'rightslice-webhook'))['RIGHTSLICE_CERTIFICATES'], 'files')
  t.equal(fieldOf(containerOf(objects, 'rightslice-controller'), 'volumeMounts'), undefined)
})

t.test('rendering changes nothing of what it renders', async (t) => {
  const before = JSON.stringify(sources)

  rendered('podMonitor=true', 'certificates=cert-manager', 'settings.logLevel=debug')

  t.equal(JSON.stringify(sources), before)
})
