import t from 'tap'
import { KubeError } from '../../src/kube/kube-error.ts'
import { secretIn } from '../../src/kube/secret.ts'
import { secretStoreContract } from '../contract/secret-store.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'
import { fakeCluster } from './fake-cluster.ts'

const name = { namespace: 'rightslice-system', name: 'rightslice-webhook-ca' }
const path = '/api/v1/namespaces/rightslice-system/secrets/rightslice-webhook-ca'
const { signal } = new AbortController()

t.test('the contract of a SecretStore', async (t) => {
  secretStoreContract(t, async () => secretIn(new FakeObjects(), name))
})

t.test('writes a Secret as the API server wants it, and leaves labels of others alone', async (t) => {
  const objects = new FakeObjects()
  const store = secretIn(objects, name)

  await store.write(undefined, { 'ca.crt': 'pem' }, signal)
  t.match(objects.at(path), {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { ...name, labels: { 'app.kubernetes.io/name': 'rightslice' } },
    data: { 'ca.crt': 'cGVt' }
  })
  objects.put(path, { ...objects.at(path), metadata: { ...name, labels: { by: 'others' } } })
  await store.write((await store.read(signal)).secret, { 'ca.key': 'pem' }, signal)

  t.match(objects.at(path), { metadata: { labels: { by: 'others' } } })
  t.strictSame(objects.at(path)?.['data'], { 'ca.key': 'cGVt' })
  t.ok(objects.seen.every(({ timeoutMs }) => timeoutMs === 10_000))
})

t.test('a Secret that was deleted in the meantime is a conflict', async (t) => {
  const objects = new FakeObjects()
  const store = secretIn(objects, name)
  await store.write(undefined, { 'ca.crt': 'pem' }, signal)
  const { secret } = await store.read(signal)
  await objects.request({ method: 'DELETE', path })

  t.equal(await store.write(secret, {}, signal), 'conflict')
})

t.test('another refusal is thrown', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 403 }, { status: 422 }])
  const store = secretIn(objects, name)

  await t.rejects(store.read(signal), { code: 'KUBE_REFUSED', status: 403 })
  await t.rejects(store.write(undefined, {}, signal), { code: 'KUBE_REFUSED', status: 422 })
})

t.test('tells the time of the API server, with and without a Secret', async (t) => {
  const { server, connection } = await fakeCluster(t)
  const store = secretIn(connection, name)

  const without = await store.read(signal)
  server.answer(path, () => ({ status: 200, body: JSON.stringify({ metadata: {}, data: {} }) }))
  const found = await store.read(signal)

  for (const { serverMs } of [without, found]) {
    t.ok(serverMs !== undefined && Math.abs(serverMs - Date.now()) < 60_000, String(serverMs))
  }
  t.strictSame([without.secret, found.secret], [undefined, { data: {}, version: '' }])
})

t.test('an answer without a time tells none', async (t) => {
  const objects = new FakeObjects()
  objects.before = () => {
    throw new KubeError({ method: 'GET', path, status: 404, message: 'not found' })
  }

  t.strictSame(await secretIn(objects, name).read(signal), { secret: undefined, serverMs: undefined })
})
