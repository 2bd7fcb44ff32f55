import type { Test } from 'tap'
import type { LeaseRecord, LeaseStore } from '../../src/ports/lease.ts'

const call = { timeoutMs: 1000 }

/** A record as a holder writes it. */
export function aLeaseRecord(change: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    holder: 'a',
    durationSeconds: 15,
    acquiredMs: 1_700_000_000_000,
    renewedMs: 1_700_000_002_000,
    transitions: 0,
    ...change
  }
}

/** What every LeaseStore promises; `make` gives one without a lease. */
export function leaseStoreContract(t: Test, make: (t: Test) => Promise<LeaseStore>): void {
  t.test('there is nothing at first', async (t) => {
    const store = await make(t)

    t.equal(await store.read(call), undefined)
  })

  t.test('what was created can be read', async (t) => {
    const store = await make(t)

    const write = await store.create(aLeaseRecord(), call)

    t.match(write, { kind: 'stored', lease: { record: aLeaseRecord() } })
    t.strictSame(await store.read(call), write.kind === 'stored' ? write.lease : undefined)
  })

  t.test('of two creations one is a conflict', async (t) => {
    const store = await make(t)

    const writes = await Promise.all([
      store.create(aLeaseRecord(), call),
      store.create(aLeaseRecord({ holder: 'b' }), call)
    ])

    t.strictSame(writes.map(({ kind }) => kind).toSorted(), ['conflict', 'stored'])
  })

  t.test('an update over an old version is a conflict and changes nothing', async (t) => {
    const store = await make(t)
    const first = await store.create(aLeaseRecord(), call)
    if (first.kind === 'conflict') throw new Error('nothing was there')

    const second = await store.update(first.lease, aLeaseRecord({ holder: 'b', transitions: 1 }), call)
    const third = await store.update(first.lease, aLeaseRecord({ holder: 'c' }), call)

    t.equal(second.kind, 'stored')
    t.strictSame(third, { kind: 'conflict' })
    t.match(await store.read(call), { record: { holder: 'b', transitions: 1 } })
  })

  t.test('a lease that was handed back has no holder', async (t) => {
    const store = await make(t)
    const first = await store.create(aLeaseRecord(), call)
    if (first.kind === 'conflict') throw new Error('nothing was there')

    await store.update(first.lease, aLeaseRecord({ holder: '' }), call)

    t.match(await store.read(call), { record: { holder: '' } })
  })
}
