import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { stringOf } from '../src/core/json.ts'
import { aRawPolicy } from './build/policy.ts'
import { type FakeApiServer, startFakeApiServer } from './fakes/fake-api-server.ts'
import { serveLease } from './fakes/fake-lease.ts'
import { serveKinds } from './fakes/served-kinds.ts'

const source = fileURLToPath(new URL('../src/main-controller.ts', import.meta.url))
const program = `import { mainController } from ${JSON.stringify(source)}; await mainController()`
const commandLine = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

const policies = '/apis/rightslice.dev/v1alpha1/gpupolicies'

/** Serves what the controller reads, keeps its Lease, and accepts what it writes. */
async function startCluster(t: Test) {
  const api = await startFakeApiServer()
  t.teardown(() => api.close())
  serveKinds(api).GpuPolicy.put({ ...aRawPolicy(), metadata: { name: 'standard', generation: 1 } })
  const { holder } = serveLease(api)
  api.answer(`${policies}/standard/status`, ({ body }) => ({ status: 200, body }))
  return { api, holder }
}

function start(t: Test, api: FakeApiServer) {
  const dir = t.testdir({ kubeconfig: api.kubeconfig() })
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      RIGHTSLICE_LISTEN_HOST: '127.0.0.1',
      RIGHTSLICE_HEALTH_PORT: '0',
      RIGHTSLICE_KUBECONFIG: join(dir, 'kubeconfig'),
      RIGHTSLICE_PROMETHEUS_URL: 'http://127.0.0.1:1'
    }
  })
  t.teardown(() => child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('the process has no output')
  const lines: Record<string, unknown>[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(JSON.parse(line)))
  const heard = async (message: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = lines.find(({ msg }) => msg === message)
      if (found !== undefined) return found
      await once(reader, 'line')
    }
  }
  return { child, exited: once(child, 'exit'), lines, heard }
}

t.test('takes the lease, refreshes, tells of itself, and hands the lease back on a signal', async (t) => {
  const { api, holder } = await startCluster(t)
  const { child, exited, lines, heard } = start(t, api)
  const healthUrl = String((await heard('health server listens'))['healthUrl'])

  const refreshed = await heard('refreshed')
  const during = holder()
  const ready = await fetch(`${healthUrl}/readyz`)
  const metrics = await (await fetch(`${healthUrl}/metrics`)).text()
  child.kill('SIGTERM')
  const [code] = await exited

  t.match(refreshed, { status: 'failed', workloads: 0, component: 'refresh' })
  t.match(during, /.+_[0-9a-f-]{36}$/)
  t.equal(ready.status, 200)
  for (const line of [
    'rightslice_leader 1',
    'rightslice_refresh_workloads 0',
    'rightslice_refresh_source_faults{kind="unreachable"} 1',
    'rightslice_store_synced{resource="pods"} 1'
  ]) {
    t.match(metrics, line)
  }
  t.equal(code, 0)
  t.equal(holder(), '')
  const written = api.seen.find(({ method, path }) => method === 'PATCH' && path.includes('/gpupolicies/'))
  t.equal(written?.path, `${policies}/standard/status`)
  t.match(JSON.parse(written?.body ?? '{}'), { status: { matchedNodes: 0, candidates: 0 } })
  t.match(
    lines.slice(-4).map((line) => stringOf(line, 'msg')),
    ['signal received', 'saved for the next process', 'leading ended', 'controller stopped']
  )
})

t.test(
  'a controller whose port is taken ends and says so, and keeps nothing open that holds it',
  async (t) => {
    const { api, holder } = await startCluster(t)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.teardown(() => other.close())
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0

    const dir = t.testdir({ kubeconfig: api.kubeconfig() })
    const child = spawn(process.execPath, [commandLine, 'controller'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        RIGHTSLICE_LISTEN_HOST: '127.0.0.1',
        RIGHTSLICE_HEALTH_PORT: String(port),
        RIGHTSLICE_KUBECONFIG: join(dir, 'kubeconfig')
      }
    })
    t.teardown(() => child.kill('SIGKILL'))
    const [told, log, [code]] = await Promise.all([
      readText(child.stderr),
      readText(child.stdout),
      once(child, 'exit')
    ])

    t.equal(code, 1)
    t.match(told, `address already in use 127.0.0.1:${port}`)
    t.match(log, 'controller stopped')
    t.notMatch(log, 'takes too long')
    t.equal(holder(), undefined, 'it never led')
  }
)
