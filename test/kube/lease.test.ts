import t from 'tap'
import { leaseIn } from '../../src/kube/lease.ts'
import { aLeaseRecord, leaseStoreContract } from '../contract/lease-store.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const path = '/apis/coordination.k8s.io/v1/namespaces/rightslice-system/leases/rightslice-controller'
const name = { namespace: 'rightslice-system', name: 'rightslice-controller' }

t.test('the contract of a LeaseStore', async (t) => {
  leaseStoreContract(t, async () => leaseIn(new FakeObjects(), name))
})

t.test('writes a Lease as the API server wants it', async (t) => {
  const objects = new FakeObjects()

  await leaseIn(objects, name).create(aLeaseRecord({ transitions: 3 }), { timeoutMs: 1234 })

  t.match(objects.at(path), {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: name,
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2023-11-14T22:13:20.000000Z',
      renewTime: '2023-11-14T22:13:22.000000Z',
      leaseTransitions: 3
    }
  })
  t.equal(objects.seen[0]?.timeoutMs, 1234)
})

t.test('a Lease without a spec is held by nobody', async (t) => {
  const objects = new FakeObjects()
  objects.put(path, { metadata: name })

  t.strictSame(await leaseIn(objects, name).read({ timeoutMs: 1000 }), {
    record: { holder: '', durationSeconds: 0, acquiredMs: 0, renewedMs: 0, transitions: 0 },
    version: '1'
  })
})

t.test('a refusal that is neither absence nor conflict is thrown', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 403 }, { status: 500 }])
  const lease = leaseIn(objects, name)

  await t.rejects(lease.read({ timeoutMs: 1000 }), { code: 'KUBE_REFUSED', status: 403 })
  await t.rejects(lease.create(aLeaseRecord(), { timeoutMs: 1000, signal: new AbortController().signal }), {
    code: 'KUBE_UNAVAILABLE'
  })
})
