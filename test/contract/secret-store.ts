import type { Test } from 'tap'
import type { SecretStore } from '../../src/ports/secret-store.ts'

const { signal } = new AbortController()

/** What every SecretStore promises; `make` gives one without a Secret. */
export function secretStoreContract(t: Test, make: (t: Test) => Promise<SecretStore>): void {
  t.test('there is nothing at first', async (t) => {
    const store = await make(t)

    t.equal((await store.read(signal)).secret, undefined)
  })

  t.test('what was written is read, and what is left out is gone', async (t) => {
    const store = await make(t)

    t.equal(await store.write(undefined, { one: 'ünö\n', two: '2' }, signal), 'stored')
    const first = (await store.read(signal)).secret
    t.equal(await store.write(first, { two: '3', three: '' }, signal), 'stored')
    const second = (await store.read(signal)).secret

    t.strictSame(first?.data, { one: 'ünö\n', two: '2' })
    t.strictSame(second?.data, { two: '3', three: '' })
    t.not(second?.version, first?.version)
  })

  t.test('of two that create it one has a conflict', async (t) => {
    const store = await make(t)

    const writes = await Promise.all(
      ['a', 'b'].map((name) => store.write(undefined, { [name]: name }, signal))
    )

    t.strictSame(writes.toSorted(), ['conflict', 'stored'])
  })

  t.test('writing over an old version is a conflict and changes nothing', async (t) => {
    const store = await make(t)
    await store.write(undefined, { one: '1' }, signal)
    const { secret } = await store.read(signal)
    await store.write(secret, { one: '2' }, signal)

    t.equal(await store.write(secret, { one: '3' }, signal), 'conflict')

    t.strictSame((await store.read(signal)).secret?.data, { one: '2' })
  })
}
