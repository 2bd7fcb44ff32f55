import type { Test } from 'tap'
import { fieldAt, type JsonRecord } from '../../src/core/json.ts'
import type { PageReader, WantedPages } from '../../src/ports/page-reader.ts'

/** Namespaces and pods that a reader under test is to find. */
export const pagedCluster: Readonly<Record<'namespaces' | 'pods', readonly JsonRecord[]>> = {
  namespaces: ['team-a', 'team-b'].map((name) => ({ kind: 'Namespace', metadata: { name } })),
  pods: ['app-0', 'app-1', 'app-2'].map((name) => ({ kind: 'Pod', metadata: { name, namespace: 'team-a' } }))
}

/** What every PageReader promises; `make` gives one over `pagedCluster`, in pages of at most two. */
export function pageReaderContract(t: Test, make: (t: Test) => Promise<PageReader>): void {
  const never = new AbortController().signal
  const namesOf = async (reader: PageReader, wanted: WantedPages) => {
    const names: unknown[] = []
    await reader.read(
      wanted,
      async (objects) => {
        for (const object of objects)
          names.push([fieldAt(object, 'kind'), fieldAt(object, 'metadata', 'name')].join(' '))
      },
      never
    )
    return names
  }

  for (const { says, wanted, want } of [
    {
      says: 'a whole collection',
      wanted: { kind: 'namespaces' },
      want: ['Namespace team-a', 'Namespace team-b']
    },
    {
      says: 'that of a namespace, page by page',
      wanted: { kind: 'pods', namespace: 'team-a' },
      want: ['Pod app-0', 'Pod app-1', 'Pod app-2']
    },
    { says: 'one object', wanted: { kind: 'namespaces', name: 'team-b' }, want: ['Namespace team-b'] },
    { says: 'an object that is not there', wanted: { kind: 'namespaces', name: 'gone' }, want: [] },
    { says: 'a collection that is not served', wanted: { kind: 'gpupolicies' }, want: [] }
  ] as const) {
    t.test(`reads ${says}`, async (t) => {
      t.strictSame(await namesOf(await make(t), wanted), want)
    })
  }

  t.test(
    'asks for the next page once the last one is done with, and lets faults of its taker pass',
    async (t) => {
      const reader = await make(t)
      const fault = new Error('enough')
      let pages = 0
      const reading = reader.read(
        { kind: 'pods', namespace: 'team-a' },
        async () => {
          pages += 1
          throw fault
        },
        never
      )

      await t.rejects(reading, fault)
      t.equal(pages, 1)
    }
  )

  t.test('a signal ends it', async (t) => {
    const reader = await make(t)

    await t.rejects(
      reader.read({ kind: 'pods' }, () => Promise.resolve(), AbortSignal.abort()),
      {
        code: 'KUBE_UNREACHABLE'
      }
    )
  })
}
