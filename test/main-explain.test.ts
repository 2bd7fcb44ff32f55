import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { aMigNode } from './build/node.ts'
import { aRawPolicy } from './build/policy.ts'
import { aLivePod } from './controllers/rig.ts'
import { type FakeApiServer, type FakeObject, startFakeApiServer } from './fakes/fake-api-server.ts'
import { serveKinds } from './fakes/served-kinds.ts'

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command with a home in which there is no kubeconfig. */
function explain(home: string, ...args: readonly string[]): Promise<Ended> {
  const { KUBECONFIG: _none, ...env } = process.env
  return new Promise((resolve) => {
    const options = { env: { ...env, HOME: home } }
    const child = execFile(process.execPath, [cli, 'explain', ...args], options, (_fault, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })
}

/** A cluster with one GPU pod of Deployment `app`, whose template the API server gives out. */
async function aCluster(t: Test): Promise<FakeApiServer> {
  const api = await startFakeApiServer()
  t.teardown(() => api.close())
  const optedIn = { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } }
  const objects: Readonly<Record<string, unknown>> = {
    Node: aMigNode(),
    Namespace: { metadata: optedIn },
    Pod: aLivePod(),
    GpuPolicy: aRawPolicy()
  }
  for (const [kind, collection] of Object.entries(serveKinds(api))) {
    const object = objects[kind]
    if (isFakeObject(object)) collection.put(object)
  }
  const { metadata, spec } = Object(aLivePod({ annotations: { 'rightslice.dev/pin': 'mig-1g.10gb' } }))
  const template = { metadata: { annotations: metadata.annotations }, spec: { containers: spec.containers } }
  api.answer('/apis/apps/v1/namespaces/team-a/deployments/app', () => ({
    status: 200,
    body: JSON.stringify({ metadata: { name: 'app', namespace: 'team-a' }, spec: { template } })
  }))
  return api
}

function isFakeObject(object: unknown): object is FakeObject {
  return typeof object === 'object' && object !== null && 'metadata' in object
}

t.test('a Deployment of a cluster is explained by its template, with reads alone', async (t) => {
  const api = await aCluster(t)
  const home = t.testdir({ kubeconfig: api.kubeconfig() })

  const { code, stdout, stderr } = await explain(
    home,
    'deploy/app',
    '-n',
    'team-a',
    '--kubeconfig',
    join(home, 'kubeconfig')
  )

  t.equal(code, 0, stderr)
  t.match(
    stdout,
    /^Deployment team-a\/app · a new pod gets mig-1g\.10gb instead of a whole GPU: PinnedToSlice\n/
  )
  t.match(stdout, /pods now +1 has nvidia\.com\/gpu: 1 \(never decided\): app-6c9d7f8b5d-x2k4p\n/)
  t.ok(api.seen.every(({ method }) => method === 'GET'))
})

t.test('a pod of a cluster is explained whole, as JSON', async (t) => {
  const api = await aCluster(t)
  const home = t.testdir({ kubeconfig: api.kubeconfig() })
  const asked = ['app-6c9d7f8b5d-x2k4p', '-n', 'team-a', '-o', 'json']

  const { code, stdout, stderr } = await explain(home, ...asked, '--kubeconfig', join(home, 'kubeconfig'))

  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), {
    kind: 'ExplanationList',
    cluster: api.url,
    items: [{ reason: 'NoHistory', isolation: { judged: true }, shares: [{ share: 'mig-1g.10gb' }] }]
  })
})

t.test('without a kubeconfig a file is explained for the bundled cluster, which is told', async (t) => {
  const pod = 'kind: Pod\nmetadata: {name: a, namespace: search}\nspec: {containers: []}\n'
  const home = t.testdir({ 'pod.yaml': pod })

  const { code, stdout, stderr } = await explain(home, '-f', join(home, 'pod.yaml'))

  t.equal(code, 0, stderr)
  t.match(stdout, /NoGpuRequest\n/)
  t.match(stderr, /^no kubeconfig was found, so this is for the bundled cluster dc1/)
})

t.test('--schema and --reason need no cluster', async (t) => {
  const schema = await explain('/nonexistent', '--schema')
  const page = await explain('/nonexistent', '--reason', 'NoFreeSlice')

  t.match(JSON.parse(schema.stdout), { title: 'ExplanationList' })
  t.match(page.stdout, /^# NoFreeSlice\n/)
})

t.test('a cluster that does not answer ends with exit code 3', async (t) => {
  const api = await startFakeApiServer()
  const home = t.testdir({ kubeconfig: api.kubeconfig() })
  await api.close()

  const { code, stderr } = await explain(home, 'deploy/app', '--kubeconfig', join(home, 'kubeconfig'))

  t.equal(code, 3, stderr)
})

const refused = [
  { args: ['deploy/app'], says: /no kubeconfig was found/ },
  { args: ['deploy/app', '--kubeconfig', '/no/such/file'], says: /cannot be read/ },
  { args: ['deploy/app', '--snapshot', '/no/such/file'], says: /cannot be read/ },
  { args: ['a/b/c', '--demo'], says: /write KIND\/NAME/ },
  { args: ['-o', 'html'], says: /Allowed choices are text, json/ }
]

for (const { args, says } of refused) {
  t.test(`explain ${args.join(' ')} exits 2`, async (t) => {
    const { code, stderr } = await explain('/nonexistent', ...args)

    t.equal(code, 2, stderr)
    t.match(stderr, says)
  })
}
