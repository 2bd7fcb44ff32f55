import t from 'tap'
import { trustStoreContract } from '../contract/trust-store.ts'
import { MemoryTrust } from './memory-trust.ts'

t.test('the contract of a TrustStore', async (t) => {
  trustStoreContract(t, async (_t, { name }, webhooks) => new MemoryTrust({ [name]: webhooks }))
})
