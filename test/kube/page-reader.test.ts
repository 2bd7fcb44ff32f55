import t, { type Test } from 'tap'
import { pageReader } from '../../src/kube/page-reader.ts'
import { pagedCluster, pageReaderContract } from '../contract/page-reader.ts'
import { fakeCluster } from './fake-cluster.ts'

const never = new AbortController().signal

/** A fake API server in whose lists, as in those of a real one, objects have no kind. */
async function setUp(t: Test) {
  const { server, connection } = await fakeCluster(t)
  const body = (value: unknown) => ({ status: 200, body: JSON.stringify(value) })
  const lists = {
    '/api/v1/namespaces': pagedCluster.namespaces,
    '/api/v1/namespaces/team-a/pods': pagedCluster.pods
  }
  for (const [path, objects] of Object.entries(lists)) {
    server.answer(path, ({ query }) => {
      const start = Number(query['continue'] ?? 0)
      const items = objects.slice(start, start + 2).map(({ metadata }) => ({ metadata }))
      const isLast = start + 2 >= objects.length
      return body({ items, metadata: isLast ? {} : { continue: String(start + 2) } })
    })
  }
  server.answer('/api/v1/namespaces/team-b', () => body({ metadata: { name: 'team-b' } }))
  return { server, reader: pageReader(connection) }
}

t.test('the contract of a PageReader', async (t) => {
  pageReaderContract(t, async (t) => (await setUp(t)).reader)
})

t.test('asks for pages of 100', async (t) => {
  const { server, reader } = await setUp(t)

  await reader.read({ kind: 'pods', namespace: 'team-a' }, () => Promise.resolve(), never)

  t.strictSame(
    server.seen.map(({ query }) => query),
    [{ limit: '100' }, { limit: '100', continue: '2' }]
  )
})

t.test('a refusal is no empty collection', async (t) => {
  const { server, reader } = await setUp(t)
  server.answer('/api/v1/persistentvolumes', () => ({ status: 403, body: '{"message":"no"}' }))

  await t.rejects(
    reader.read({ kind: 'persistentvolumes' }, () => Promise.resolve(), never),
    {
      code: 'KUBE_REFUSED'
    }
  )
})
