import t from 'tap'
import { type ContractObject, objectStoreContract } from '../contract/object-store.ts'
import { MemoryStore } from './memory-store.ts'

objectStoreContract(t, async () => {
  const store = new MemoryStore<ContractObject>()
  return {
    store,
    put: async (object) => store.set(object.namespace, object.name, object),
    remove: async (namespace, name) => store.remove(namespace, name)
  }
})

t.test('says of its freshness what it is told', async (t) => {
  const store = new MemoryStore<number>()

  store.setState({ synced: false, lastHeardMs: 5 })

  t.strictSame(store.state(), { synced: false, lastHeardMs: 5, relists: 0, watchRestarts: 0, drift: 0 })
})

t.test('an equal value or a removal of nothing is no change', async (t) => {
  const store = new MemoryStore<number>()
  store.set('', 'a', 1)

  store.set('', 'a', 1)
  store.remove('', 'b')

  t.equal(store.version(), 1)
})
