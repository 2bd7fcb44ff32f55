import t from 'tap'
import { webhookConfigurations } from '../../src/core/api/names.ts'
import { installationReader } from '../../src/kube/installation-reader.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'
import { fakeCluster } from './fake-cluster.ts'

const { signal } = new AbortController()
const labels = { 'rightslice.dev/rightsize': 'warn' }

t.test('objects are seen where they are, absent, or forbidden', async (t) => {
  const objects = new FakeObjects()
  const reader = installationReader(objects, 'own')
  const [configuration] = webhookConfigurations
  const paths = [
    `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${configuration.name}`,
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gpupolicies.rightslice.dev',
    '/apis/apps/v1/namespaces/own/deployments/rightslice-webhook',
    '/api/v1/namespaces/own/secrets/rightslice-webhook-ca'
  ]
  const look = () =>
    Promise.all([
      reader.configuration(configuration, signal),
      reader.customResource('gpupolicies.rightslice.dev', signal),
      reader.deployment('rightslice-webhook', signal),
      reader.secret('rightslice-webhook-ca', signal)
    ])

  const before = await look()
  for (const path of paths) objects.put(path, { path })
  const after = await look()
  objects.before = failing(() => true, Array(4).fill({ status: 403 }))
  const forbidden = await look()

  t.ok(before.every(({ kind }) => kind === 'absent'))
  t.match(
    after,
    paths.map((path) => ({ kind: 'seen', object: { path } }))
  )
  t.ok(forbidden.every(({ kind }) => kind === 'forbidden'))
  t.ok(objects.seen.every(({ timeoutMs, signal: given }) => timeoutMs === 15_000 && given === signal))
})

t.test('another refusal is thrown', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 500 }])

  await t.rejects(installationReader(objects, 'own').secret('x', signal), { code: 'KUBE_UNAVAILABLE' })
})

t.test('a probe is a dry run that makes no namespace of a fixed name', async (t) => {
  const objects = new FakeObjects()

  t.strictSame(await installationReader(objects, 'own').probe(labels, signal), {
    kind: 'passed',
    warnings: []
  })
  t.match(objects.seen[0], {
    method: 'POST',
    path: '/api/v1/namespaces',
    query: { dryRun: 'All' },
    body: { kind: 'Namespace', metadata: { generateName: 'rightslice-check-', labels } }
  })
})

t.test('a probe that is refused says why, in the words of the server', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 403 }, { status: 500 }])
  const reader = installationReader(objects, 'own')

  t.strictSame(await reader.probe(labels, signal), { kind: 'forbidden' })
  t.strictSame(await reader.probe(labels, signal), { kind: 'refused', message: 'made to fail' })
})

t.test('the version comes with the time of the server', async (t) => {
  const { server, connection } = await fakeCluster(t)
  server.answer('/version', () => ({ status: 200, body: '{"gitVersion":"v1.36.3"}' }))

  const { version, serverMs } = await installationReader(connection, 'own').version(signal)

  t.equal(version, 'v1.36.3')
  t.ok(serverMs !== undefined && Math.abs(serverMs - Date.now()) < 60_000)
})
