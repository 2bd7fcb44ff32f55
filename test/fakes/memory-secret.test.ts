import t from 'tap'
import { secretStoreContract } from '../contract/secret-store.ts'
import { MemorySecret } from './memory-secret.ts'

const { signal } = new AbortController()

t.test('the contract of a SecretStore', async (t) => {
  secretStoreContract(t, async () => new MemorySecret())
})

t.test('writing over one that was deleted is a conflict', async (t) => {
  const store = new MemorySecret()
  await store.write(undefined, { one: '1' }, signal)
  const { secret } = await store.read(signal)
  store.put(undefined)

  t.equal(await store.write(secret, { one: '2' }, signal), 'conflict')
})

t.test('it can be out of reach', async (t) => {
  const store = new MemorySecret()
  store.unreachable = true

  await t.rejects(store.read(signal), { code: 'KUBE_UNREACHABLE' })
})
