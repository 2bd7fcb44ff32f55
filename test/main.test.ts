import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { loadConfig } from '../src/config/load.ts'
import { fieldOf, isRecord, type JsonRecord, stringOf } from '../src/core/json.ts'
import { runWebhook } from '../src/main.ts'
import { aMigNode } from './build/node.ts'
import { aRawPolicy } from './build/policy.ts'
import { aGpuWorkload } from './build/usage.ts'
import { type FakeApiServer, type FakeObject, startFakeApiServer } from './fakes/fake-api-server.ts'
import { serveKinds } from './fakes/served-kinds.ts'
import { aReview, someCertificate } from './server/some-webhook.ts'

const source = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const program = `import { main } from ${JSON.stringify(source)}; await main()`

function putAll(api: FakeApiServer): void {
  const stored: Readonly<Record<string, readonly JsonRecord[]>> = {
    Node: [aMigNode()],
    Namespace: [{ metadata: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } } }],
    GpuPolicy: [aRawPolicy(), aRawPolicy({ name: 'wrong', mode: 'Sometimes' })],
    GpuWorkload: [aGpuWorkload()]
  }
  for (const [kind, collection] of Object.entries(serveKinds(api))) {
    for (const object of stored[kind] ?? []) collection.put(asStored(object))
  }
}

function asStored(object: JsonRecord): FakeObject {
  const metadata = fieldOf(object, 'metadata')
  return {
    ...object,
    metadata: { ...(isRecord(metadata) ? metadata : {}), name: stringOf(metadata, 'name') ?? '' }
  }
}

/** A process of the webhook, and a way to wait for its log lines. */
async function start(t: Test, { fill, drainSeconds }: { fill: boolean; drainSeconds: number }) {
  const api = await startFakeApiServer()
  t.teardown(() => api.close())
  if (fill) putAll(api)
  const dir = t.testdir({
    'tls.crt': someCertificate.certPem,
    'tls.key': someCertificate.keyPem,
    kubeconfig: api.kubeconfig()
  })
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      RIGHTSLICE_LISTEN_HOST: '127.0.0.1',
      RIGHTSLICE_LISTEN_PORT: '0',
      RIGHTSLICE_HEALTH_PORT: '0',
      RIGHTSLICE_TLS_CERT_FILE: join(dir, 'tls.crt'),
      RIGHTSLICE_TLS_KEY_FILE: join(dir, 'tls.key'),
      RIGHTSLICE_KUBECONFIG: join(dir, 'kubeconfig'),
      RIGHTSLICE_DRAIN_SECONDS: String(drainSeconds)
    }
  })
  t.teardown(() => child.kill('SIGKILL'))
  return { child, exited: once(child, 'exit'), ...logOf(child) }
}

function logOf({ stdout }: ChildProcess) {
  if (stdout === null) throw new Error('the process has no output')
  const lines: Record<string, unknown>[] = []
  const reader = createInterface(stdout)
  reader.on('line', (line) => lines.push(JSON.parse(line)))
  const heard = async (message: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = lines.find(({ msg }) => msg === message)
      if (found !== undefined) return found
      await once(reader, 'line')
    }
  }
  return { lines, heard }
}

function review(url: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const agent = new Agent()
  const call = request(`${url}/rewrite`, { method: 'POST', agent, ca: someCertificate.caPem }, (response) => {
    response.setEncoding('utf8').once('data', (text: string) => resolve(JSON.parse(text)))
  })
  call.on('error', reject).setHeader('content-type', 'application/json')
  call.end(JSON.stringify(aReview()))
  return promise
}

t.test('reads the cluster, answers, and ends in good order on a signal', async (t) => {
  const { child, exited, lines, heard } = await start(t, { fill: true, drainSeconds: 0 })
  const healthUrl = String((await heard('health server listens'))['healthUrl'])
  const url = String((await heard('webhook listens'))['url'])

  const answer = await review(url)
  const metrics = await (await fetch(`${healthUrl}/metrics`)).text()
  child.kill('SIGTERM')
  const [code] = await exited

  t.match(answer, { response: { uid: 'uid-1', patchType: 'JSONPatch' } })
  for (const line of [
    'rightslice_store_synced{resource="gpuworkloads"} 1',
    'rightslice_store_synced{resource="gpuexemptions"} 1',
    'rightslice_store_drift_total{resource="pods"} 0',
    'rightslice_policies_invalid 1',
    /rightslice_certificate_expiry_seconds\{certificate="server"\} \d+/,
    /rightslice_build_info\{component="webhook",version="\d[^"]*",node="24[^"]*"\} 1/
  ]) {
    t.match(metrics, line)
  }
  t.equal(code, 0)
  const isLacking = (line: JsonRecord): boolean => stringOf(line, 'msg') === 'collection is not there'
  t.strictSame(
    lines
      .filter(isLacking)
      .flatMap((line) => stringOf(line, 'kind') ?? [])
      .toSorted(),
    ['DeviceClass', 'ResourceClaimTemplate', 'ResourceSlice'],
    'a cluster before Kubernetes 1.34 has none of these, and that is all right'
  )
  const others = lines.filter((line) => !isLacking(line))
  t.match(
    others.map((line) => stringOf(line, 'msg')),
    [
      'certificate read',
      'webhook starts',
      'health server listens',
      'policy is invalid and switched off',
      'webhook listens'
    ]
  )
  t.match(others.slice(5), [
    { msg: 'pod reviewed', component: 'server', reason: 'FitsMigProfile' },
    { msg: 'signal received' },
    { msg: 'webhook drains' },
    { msg: 'webhook stopped' }
  ])
})

t.test('a second signal ends it at once', async (t) => {
  const { child, exited, heard } = await start(t, { fill: true, drainSeconds: 600 })
  await heard('webhook listens')

  child.kill('SIGTERM')
  await heard('webhook drains')
  child.kill('SIGINT')

  const [code] = await exited
  t.equal(code, 1)
})

t.test('a signal while it still waits for the cluster is an end like any other', async (t) => {
  const { child, exited, heard } = await start(t, { fill: false, drainSeconds: 600 })
  await heard('list failed')

  child.kill('SIGTERM')

  const [code] = await exited
  t.equal(code, 0)
})

t.test('it does not start half-configured, and leaves no listener behind', async (t) => {
  const api = await startFakeApiServer()
  t.teardown(() => api.close())
  const files = { 'tls.crt': someCertificate.certPem, 'tls.key': '', kubeconfig: api.kubeconfig() }
  const dir = t.testdir(files)
  const before = process.listenerCount('SIGTERM')
  const flags = {
    tlsCertFile: join(dir, 'tls.crt'),
    tlsKeyFile: join(dir, 'tls.key'),
    kubeconfig: join(dir, 'kubeconfig')
  }
  const config = await loadConfig({ env: {}, flags })

  await t.rejects(runWebhook(config), { code: 'CERTIFICATE_INVALID' })

  t.equal(process.listenerCount('SIGTERM'), before)
  t.strictSame(api.seen, [])
})
