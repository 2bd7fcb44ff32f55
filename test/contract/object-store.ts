import type { Test } from 'tap'
import type { ObjectStore } from '../../src/ports/object-store.ts'

/** What the contract stores. */
export interface ContractObject {
  readonly namespace: string
  readonly name: string
  readonly size: number
}

/** A store under test and the ways to change it; each resolves once the store has taken the change up. */
export interface StoreUnderTest {
  readonly store: ObjectStore<ContractObject>
  readonly put: (object: ContractObject) => Promise<void>
  readonly remove: (namespace: string, name: string) => Promise<void>
}

/** What every ObjectStore promises; `make` gives an empty, synced store of its own to each test. */
export function objectStoreContract(t: Test, make: (t: Test) => Promise<StoreUnderTest>): void {
  const small = { namespace: 'ml', name: 'a', size: 1 }
  const other = { namespace: 'dev', name: 'a', size: 7 }

  t.test('a miss is undefined and an empty list is empty', async (t) => {
    const { store } = await make(t)

    t.equal(store.get('ml', 'a'), undefined)
    t.strictSame(store.list(), [])
    t.equal(store.state().synced, true)
  })

  t.test(
    'finds an object by namespace and name, cluster-scoped ones under the empty namespace',
    async (t) => {
      const { store, put } = await make(t)
      const node = { namespace: '', name: 'node-1', size: 3 }

      await put(small)
      await put(other)
      await put(node)

      t.strictSame(store.get('ml', 'a'), small)
      t.strictSame(store.get('dev', 'a'), other)
      t.strictSame(store.get('', 'node-1'), node)
      t.equal(store.get('', 'a'), undefined)
      t.equal(store.list().length, 3)
    }
  )

  t.test('the version grows with every change of content', async (t) => {
    const { store, put, remove } = await make(t)

    const versions = [store.version()]
    await put(small)
    versions.push(store.version())
    await put({ ...small, size: 2 })
    versions.push(store.version())
    await remove('ml', 'a')
    versions.push(store.version())

    t.strictSame(
      versions,
      [...new Set(versions)].toSorted((a, b) => a - b)
    )
    t.equal(store.get('ml', 'a'), undefined)
    t.strictSame(store.list(), [])
  })

  t.test('a list that was handed out does not change later', async (t) => {
    const { store, put } = await make(t)
    await put(small)

    const before = store.list()
    await put(other)

    t.strictSame(before, [small])
  })

  t.test('calls its listeners after a change, and no longer once they end it', async (t) => {
    const { store, put } = await make(t)
    const heard: number[] = []
    const end = store.onChange(() => heard.push(store.list().length))

    await put(small)
    end()
    await put(other)

    t.strictSame(heard, [1])
  })

  t.test('tells its listeners what changed, so that whoever adds it up has what is listed', async (t) => {
    const { store, put, remove } = await make(t)
    const told: unknown[] = []
    store.onChange((changes) => told.push(...changes))

    await put(small)
    await put({ ...small, size: 2 })
    await remove('ml', 'a')

    t.strictSame(told, [
      { before: undefined, after: small },
      { before: small, after: { ...small, size: 2 } },
      { before: { ...small, size: 2 }, after: undefined }
    ])
  })

  t.test('a listener that throws harms neither the store nor the others', async (t) => {
    const { store, put } = await make(t)
    let calls = 0
    store.onChange(() => {
      throw new Error('planted')
    })
    store.onChange(() => {
      calls += 1
    })

    await put(small)
    await put(other)

    t.equal(calls, 2)
    t.equal(store.list().length, 2)
  })
}
