import t from 'tap'
import { leaseStoreContract } from '../contract/lease-store.ts'
import { MemoryLease } from './memory-lease.ts'

t.test('the contract of a LeaseStore', async (t) => {
  leaseStoreContract(t, async () => new MemoryLease())
})

t.test('it can be out of reach', async (t) => {
  const lease = new MemoryLease()
  lease.unreachable = true

  await t.rejects(lease.read(), { code: 'KUBE_UNREACHABLE' })
})
