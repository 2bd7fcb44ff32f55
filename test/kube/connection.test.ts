import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { connectCluster, type KubeConnection } from '../../src/kube/connection.ts'
import type { KubeRequest } from '../../src/kube/exchange.ts'
import { type FakeApiServer, startFakeApiServer } from '../fakes/fake-api-server.ts'

interface Setup {
  readonly server: FakeApiServer
  readonly connection: KubeConnection
  /** Path of the kubeconfig. */
  readonly file: string
}

async function setUp(t: Test, user: object = { token: 'secret' }): Promise<Setup> {
  const server = await startFakeApiServer()
  t.teardown(() => server.close())
  const file = join(t.testdir({ token: 'old\n', kubeconfig: server.kubeconfig(user) }), 'kubeconfig')
  const connection = await connectCluster({ kubeconfig: file })
  t.teardown(() => connection.close())
  return { server, connection, file }
}

const get: KubeRequest = { method: 'GET', path: '/api/v1/nodes' }

t.test('sends method, path, query, headers, token and JSON body, and reads JSON', async (t) => {
  const { server, connection } = await setUp(t)
  server.answer('/apis/x/v1/things/a', () => ({ status: 201, body: '{"made":true}' }))

  const response = await connection.request({
    method: 'PATCH',
    path: '/apis/x/v1/things/a',
    query: { fieldManager: 'rightslice', dryRun: undefined, force: true },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { spec: { size: 'größe' } }
  })

  t.equal(connection.serverUrl, server.url)
  t.equal(response.status, 201)
  t.equal(response.headers['content-type'], 'application/json')
  t.strictSame(await response.json(), { made: true })
  const [seen] = server.seen
  t.match(seen, { method: 'PATCH', path: '/apis/x/v1/things/a', body: '{"spec":{"size":"größe"}}' })
  t.strictSame(seen?.query, { fieldManager: 'rightslice', force: 'true' })
  t.match(seen?.headers, {
    authorization: 'Bearer secret',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/merge-patch+json',
    'user-agent': 'rightslice'
  })
})

t.test(
  'keeps the path that the server address carries, and few connections for many requests in a row',
  async (t) => {
    const { server, file } = await setUp(t)
    await writeFile(
      file,
      server.kubeconfig({}, { server: `${server.url}/k8s/c-1/`, 'insecure-skip-tls-verify': true })
    )
    const connection = await connectCluster({ kubeconfig: file })
    t.teardown(() => connection.close())
    server.answer('/k8s/c-1/api/v1/nodes', () => ({ status: 200, body: '{}' }))

    for (let n = 0; n < 20; n += 1) await (await connection.request(get)).json()

    t.equal(server.seen.length, 20)
    t.ok(server.connections() <= 2)
  }
)

t.test('a body can be read in pieces', async (t) => {
  const { server, connection } = await setUp(t)
  server.answer(get.path, () => ({ status: 200, body: '{"a":1}' }))

  const pieces: Uint8Array[] = []
  for await (const piece of (await connection.request(get)).body) pieces.push(piece)

  t.equal(Buffer.concat(pieces).toString('utf8'), '{"a":1}')
})

const refusals = [
  {
    name: '404',
    status: 404,
    code: 'KUBE_REFUSED',
    body: '{"message":"gone fishing"}',
    words: 'gone fishing'
  },
  { name: '410', status: 410, code: 'KUBE_EXPIRED', body: '{"message":"too old"}', words: 'too old' },
  { name: 'a redirect', status: 302, code: 'KUBE_REFUSED', body: '', words: 'no message' },
  {
    name: 'a long page of a proxy',
    status: 502,
    code: 'KUBE_UNAVAILABLE',
    body: 'x'.repeat(200_000),
    words: 'x'.repeat(200)
  }
]
for (const { name, status, code, body, words } of refusals) {
  t.test(`${name} becomes ${code} with method, path, status and the server's words`, async (t) => {
    const { server, connection } = await setUp(t)
    server.answer(get.path, () => ({ status, body }))

    await t.rejects(connection.request(get), {
      code,
      status,
      message: `GET /api/v1/nodes: status ${status}: ${words}`
    })
  })
}

t.test('a body that is not JSON is a refusal', async (t) => {
  const { server, connection } = await setUp(t)
  server.collection(get.path, 'v1', 'Node').failNext('list', 'garbage')

  const response = await connection.request(get)

  await t.rejects(response.json(), {
    code: 'KUBE_REFUSED',
    message: 'GET /api/v1/nodes: status 200 with a body that is not JSON'
  })
})

t.test('a cut connection is KUBE_UNREACHABLE, before the answer and within it', async (t) => {
  const { server, connection } = await setUp(t)
  const nodes = server.collection(get.path, 'v1', 'Node')
  nodes.failNext('list', 'reset')
  nodes.failNext('list', 'cut', 2)

  await t.rejects(connection.request(get), { code: 'KUBE_UNREACHABLE', message: /^GET \/api\/v1\/nodes: / })
  const response = await connection.request(get)
  await t.rejects(response.json(), { code: 'KUBE_UNREACHABLE' })
  const { body } = await connection.request(get)
  await t.rejects(
    async () => {
      for await (const piece of body) t.ok(piece.length)
    },
    { code: 'KUBE_UNREACHABLE' }
  )
})

t.test('no answer within the time limit is KUBE_UNREACHABLE', async (t) => {
  const { server, connection } = await setUp(t)
  server.collection(get.path, 'v1', 'Node').failNext('list', 'hang')

  await t.rejects(connection.request({ ...get, timeoutMs: 5 }), {
    code: 'KUBE_UNREACHABLE',
    message: 'GET /api/v1/nodes: no complete answer within 5 ms'
  })
})

t.test('the caller can end a request, before and while it runs', async (t) => {
  const { server, connection } = await setUp(t)
  const nodes = server.collection(get.path, 'v1', 'Node')
  const ended = AbortSignal.abort(new Error('not wanted'))
  const running = new AbortController()

  await t.rejects(connection.request({ ...get, signal: ended }), {
    code: 'KUBE_UNREACHABLE',
    message: /not wanted/
  })
  const watch = await connection.request({
    ...get,
    query: { watch: true },
    signal: running.signal,
    timeoutMs: 0
  })
  await nodes.untilWatch(1)
  running.abort(new Error('enough'))
  await t.rejects(watch.json(), { code: 'KUBE_UNREACHABLE' })
})

t.test('closing ends what runs and refuses what comes later', async (t) => {
  const { server, connection } = await setUp(t)
  server.collection(get.path, 'v1', 'Node')
  const watch = await connection.request({ ...get, query: { watch: true }, timeoutMs: 0 })

  await connection.close()

  await t.rejects(watch.json(), { code: 'KUBE_UNREACHABLE' })
  await t.rejects(connection.request(get), { code: 'KUBE_UNREACHABLE', message: /the connection is closed/ })
})

t.test('after a 401 it reads the token anew and asks once more', async (t) => {
  const tokenFile = join(t.testdirName, 'token')
  const { server, connection } = await setUp(t, { 'auth-provider': { name: 'file', config: { tokenFile } } })
  server.answer(get.path, () => ({ status: 200, body: '{}' }))
  server.requireToken('old')
  await (await connection.request(get)).json()

  server.requireToken('new')
  await writeFile(tokenFile, 'new\n')
  const answers = await Promise.all([connection.request(get), connection.request(get)])

  t.strictSame(await Promise.all(answers.map((answer) => answer.json())), [{}, {}])
  t.equal(server.seen.at(-1)?.headers.authorization, 'Bearer new')
})

t.test('a second 401 is a refusal', async (t) => {
  const { server, connection } = await setUp(t)
  server.requireToken('another')

  await t.rejects(connection.request(get), { code: 'KUBE_REFUSED', status: 401 })
  t.equal(server.seen.length, 2)
})

t.test('credentials that can no longer be read make the server unreachable', async (t) => {
  const { server, connection, file } = await setUp(t)
  server.requireToken('another')
  await writeFile(file, 'no: [kubeconfig')

  await t.rejects(connection.request(get), { code: 'KUBE_UNREACHABLE', message: /cannot be read/ })
})

t.test('name and password become basic authorization', async (t) => {
  const { server, connection } = await setUp(t, { username: 'ann', password: 'b:c' })
  server.answer(get.path, () => ({ status: 200, body: '{}' }))

  await (await connection.request(get)).json()

  t.equal(server.seen[0]?.headers.authorization, `Basic ${Buffer.from('ann:b:c').toString('base64')}`)
})

t.test('takes the context that is asked for', async (t) => {
  const { server, file } = await setUp(t)
  const config: unknown = JSON.parse(server.kubeconfig())
  await writeFile(
    file,
    JSON.stringify({
      ...Object(config),
      clusters: [
        { name: 'fake', cluster: { server: 'https://127.0.0.1:1' } },
        { name: 'second', cluster: { server: 'https://127.0.0.1:2' } }
      ],
      contexts: [
        { name: 'fake', context: { cluster: 'fake', user: 'tester' } },
        { name: 'other', context: { cluster: 'second', user: 'tester' } }
      ]
    })
  )

  const connection = await connectCluster({ kubeconfig: file, context: 'other' })
  t.teardown(() => connection.close())

  t.equal(connection.serverUrl, 'https://127.0.0.1:2')
  await t.rejects(connectCluster({ kubeconfig: file, context: 'third' }), {
    code: 'CONFIG_INVALID',
    message: /context "third" of .* names no cluster \(has: fake, other\)/
  })
})

const invalid = [
  { name: 'a file that is missing', text: undefined, message: /cannot be read: .*ENOENT/ },
  { name: 'a file that is not YAML', text: 'a: [', message: /cannot be read/ },
  {
    name: 'a certificate file that is missing',
    text: kubeconfigText({ 'certificate-authority': 'nowhere.crt' }),
    message: /credentials cannot be read: .*ENOENT/
  },
  {
    name: 'plain HTTP without saying so',
    text: kubeconfigText({ server: 'http://h' }),
    message: /HTTP protocol/
  },
  {
    name: 'a server that is no URL',
    text: kubeconfigText({ server: 'nonsense' }),
    message: /names no cluster/
  },
  {
    name: 'a SOCKS proxy',
    text: kubeconfigText({ 'proxy-url': 'socks5://p:1' }),
    message: /only http and https proxies/
  }
]
for (const { name, text, message } of invalid) {
  t.test(`refuses ${name}`, async (t) => {
    const file = join(t.testdir({}), 'kubeconfig')
    if (text !== undefined) await writeFile(file, text)

    await t.rejects(connectCluster({ kubeconfig: file }), { code: 'CONFIG_INVALID', message })
  })
}

t.test('an HTTP proxy is used as the kubeconfig says', async (t) => {
  const proxy = await startFakeApiServer()
  t.teardown(() => proxy.close())
  const file = join(t.testdir({}), 'kubeconfig')
  await writeFile(file, kubeconfigText({ server: 'https://cluster.invalid', 'proxy-url': proxy.url }))
  const connection = await connectCluster({ kubeconfig: file })
  t.teardown(() => connection.close())

  await t.rejects(connection.request({ ...get, timeoutMs: 2000 }), { code: 'KUBE_UNREACHABLE' })

  t.equal(proxy.connections(), 1)
})

t.test('without any configuration it says so', async (t) => {
  const home = t.testdir({})
  t.intercept(process, 'env', { value: { ...process.env, HOME: home, KUBECONFIG: '' } })

  await t.rejects(connectCluster(), { code: 'CONFIG_INVALID', message: /none found/ })

  await mkdir(join(home, '.kube'))
  await writeFile(join(home, '.kube', 'config'), kubeconfigText({ server: 'https://127.0.0.1:3' }))
  const connection = await connectCluster()
  t.teardown(() => connection.close())
  t.equal(connection.serverUrl, 'https://127.0.0.1:3')
})

function kubeconfigText(cluster: object): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x'
  })
}
