import type { Test } from 'tap'
import t from 'tap'
import { fieldAt } from '../../src/core/json.ts'
import { type ListRequest, listCollection } from '../../src/kube/list-collection.ts'
import type { FakeApiServer, FakeCollection } from '../fakes/fake-api-server.ts'
import { fakeCluster } from './fake-cluster.ts'

const resource = { path: '/api/v1/nodes', kind: 'Node' }

async function setUp(t: Test): Promise<{
  server: FakeApiServer
  nodes: FakeCollection
  list: (change?: Partial<ListRequest>) => Promise<List>
}> {
  const { server, connection } = await fakeCluster(t)
  const nodes = server.collection(resource.path, 'v1', 'Node')
  const base = {
    connection,
    resource,
    metadataOnly: false,
    pageSize: 2,
    signal: new AbortController().signal
  }
  const list = async (change: Partial<ListRequest> = {}) => {
    const objects: unknown[] = []
    const version = await listCollection({ ...base, ...change }, (raw) => objects.push(raw))
    return { objects, names: objects.map((object) => fieldAt(object, 'metadata', 'name')), version }
  }
  return { server, nodes, list }
}

interface List {
  readonly objects: readonly unknown[]
  readonly names: readonly unknown[]
  readonly version: string
}

function fill(nodes: FakeCollection, count: number): void {
  for (let n = 0; n < count; n += 1) nodes.put({ metadata: { name: `n${n}` }, spec: { unschedulable: true } })
}

t.test(
  'lists page by page, without asking for a version, and returns the version of the whole',
  async (t) => {
    const { server, nodes, list } = await setUp(t)
    fill(nodes, 5)

    const { names, version } = await list()

    t.strictSame(names, ['n0', 'n1', 'n2', 'n3', 'n4'])
    t.equal(version, '105')
    t.strictSame(
      server.seen.map(({ query }) => query),
      [{ limit: '2' }, { limit: '2', continue: '105:2' }, { limit: '2', continue: '105:4' }]
    )
  }
)

t.test('asks only for the objects that are wanted, on every page', async (t) => {
  const { server, nodes, list } = await setUp(t)
  fill(nodes, 3)

  await list({ resource: { ...resource, fieldSelector: 'reason=FailedCreate' } })

  t.strictSame(
    server.seen.map(({ query }) => query['fieldSelector']),
    ['reason=FailedCreate', 'reason=FailedCreate']
  )
})

t.test('hands over long pages in several turns of the event loop', async (t) => {
  const { nodes, list } = await setUp(t)
  fill(nodes, 250)

  t.equal((await list({ pageSize: 500 })).names.length, 250)
})

t.test('an empty collection is a list, also when its items are null', async (t) => {
  const { server, list } = await setUp(t)

  t.strictSame((await list()).names, [])
  server.answer(resource.path, () => ({
    status: 200,
    body: '{"metadata":{"resourceVersion":"9"},"items":null}'
  }))
  t.strictSame(await list(), { objects: [], names: [], version: '9' })
})

t.test('can ask for one object by its name, so that rights on it are enough', async (t) => {
  const { server, nodes, list } = await setUp(t)
  fill(nodes, 1)

  await list({ resource: { ...resource, objectName: 'n0' } })

  t.strictSame(server.seen[0]?.query, { limit: '2', fieldSelector: 'metadata.name=n0' })
})

t.test('can ask for a version in the past', async (t) => {
  const { server, nodes, list } = await setUp(t)
  fill(nodes, 3)
  nodes.remove('n0')

  t.strictSame((await list({ exactVersion: '103' })).names, ['n0', 'n1', 'n2'])
  t.strictSame(server.seen[0]?.query, { limit: '2', resourceVersion: '103', resourceVersionMatch: 'Exact' })
})

t.test('can ask for metadata only', async (t) => {
  const { server, nodes, list } = await setUp(t)
  fill(nodes, 1)

  const { objects } = await list({ metadataOnly: true })

  t.match(objects, [{ kind: 'PartialObjectMetadata', metadata: { name: 'n0' } }])
  t.equal(fieldAt(objects[0], 'spec'), undefined)
  t.match(server.seen[0]?.headers.accept, /PartialObjectMetadataList/)
})

t.test('a page token that has run out is an expiry', async (t) => {
  const { nodes, list } = await setUp(t)
  fill(nodes, 3)
  nodes.failNext('page', { status: 410, message: 'token expired' })

  await t.rejects(list(), { code: 'KUBE_EXPIRED', message: /token expired/ })
})

const wrong = [
  { name: 'no list', body: '{"kind":"Status"}', message: 'GET /api/v1/nodes: the answer is not a list' },
  { name: 'no version', body: '{"items":[]}', message: 'GET /api/v1/nodes: the list has no resourceVersion' }
]
for (const { name, body, message } of wrong) {
  t.test(`refuses an answer with ${name}`, async (t) => {
    const { server, list } = await setUp(t)
    server.answer(resource.path, () => ({ status: 200, body }))

    await t.rejects(list(), { code: 'KUBE_REFUSED', message })
  })
}
