import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { fieldOf, isRecord, type JsonRecord, stringOf } from '../src/core/json.ts'
import { aMigNode } from './build/node.ts'
import { aRawPolicy } from './build/policy.ts'
import { aGpuWorkload } from './build/usage.ts'
import { type FakeApiServer, startFakeApiServer } from './fakes/fake-api-server.ts'
import { serveLease } from './fakes/fake-lease.ts'
import { serveKinds } from './fakes/served-kinds.ts'
import { aReview, someCertificate } from './server/some-webhook.ts'

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

const stored: Readonly<Record<string, JsonRecord>> = {
  Node: aMigNode(),
  Namespace: { metadata: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } } },
  GpuPolicy: aRawPolicy({ window: 'Sat 02:00-06:00 UTC' }),
  GpuWorkload: aGpuWorkload()
}

/** A cluster with one node, one policy and one workload, and a Lease that whoever comes first gets. */
async function startCluster(): Promise<FakeApiServer> {
  const api = await startFakeApiServer()
  for (const [kind, collection] of Object.entries(serveKinds(api))) {
    const object = stored[kind]
    const metadata = fieldOf(object, 'metadata')
    if (object === undefined || !isRecord(metadata)) continue
    collection.put({ ...object, metadata: { ...metadata, name: stringOf(metadata, 'name') ?? '' } })
  }
  serveLease(api)
  return api
}

interface Program {
  readonly command: 'webhook' | 'controller'
  readonly env: Readonly<Record<string, string>>
  /** Modules that are loaded before everything else. */
  readonly preload?: readonly string[]
}

/** A process of the command line. */
interface Started {
  /** What it has written, line by line. */
  readonly lines: readonly unknown[]
  /** The first line with this message, once it is there. */
  readonly heard: (message: string) => Promise<unknown>
  /** Ends it by a signal and waits until it has ended. */
  readonly end: () => Promise<void>
}

/** One process; it ends with the test at the latest. */
function start(t: Test, { command, env, preload = [] }: Program): Started {
  const imports = preload.map((file) => `--import=${file}`)
  const child = spawn(process.execPath, [...imports, cli, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: unknown[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(JSON.parse(line)))
  const heard = async (message: string): Promise<unknown> => {
    for (;;) {
      const found = lines.find((line) => stringOf(line, 'msg') === message)
      if (found !== undefined) return found
      await once(reader, 'line')
    }
  }
  const end = async (): Promise<void> => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  return { lines, heard, end }
}

/** Settings of processes over a cluster of their own, which ends with the test. */
async function arrange(t: Test): Promise<Readonly<Record<string, string>>> {
  const api = await startCluster()
  t.teardown(() => api.close())
  const dir = t.testdir({
    'tls.crt': someCertificate.certPem,
    'tls.key': someCertificate.keyPem,
    kubeconfig: api.kubeconfig()
  })
  return {
    RIGHTSLICE_LISTEN_HOST: '127.0.0.1',
    RIGHTSLICE_LISTEN_PORT: '0',
    RIGHTSLICE_HEALTH_PORT: '0',
    RIGHTSLICE_TLS_CERT_FILE: join(dir, 'tls.crt'),
    RIGHTSLICE_TLS_KEY_FILE: join(dir, 'tls.key'),
    RIGHTSLICE_KUBECONFIG: join(dir, 'kubeconfig'),
    RIGHTSLICE_DRAIN_SECONDS: '0',
    RIGHTSLICE_PROMETHEUS_URL: 'http://127.0.0.1:1'
  }
}

/** A webhook process that answers reviews. */
export interface RunningWebhook extends Pick<Started, 'lines' | 'end'> {
  /** Has one pod reviewed, with these headers. */
  readonly review: (headers?: Readonly<Record<string, string>>) => Promise<void>
}

/** Starts a webhook of its own with more settings, after these modules. */
export async function startWebhook(t: Test, more: Omit<Program, 'command'>): Promise<RunningWebhook> {
  const { lines, heard, end } = start(t, {
    ...more,
    command: 'webhook',
    env: { ...(await arrange(t)), ...more.env }
  })
  const url = stringOf(await heard('webhook listens'), 'url') ?? ''
  return { lines, end, review: (headers = {}) => review(url, headers) }
}

/** Webhook and controller as they run in a cluster, one review answered and one refresh made. */
export interface RunningProcesses {
  /** Where each tells its metrics, `http://127.0.0.1:PORT`. */
  readonly webhook: string
  readonly controller: string
}

/** Starts both against one cluster; they end with the test. */
export async function startProcesses(t: Test): Promise<RunningProcesses> {
  const env = await arrange(t)
  const webhook = start(t, { command: 'webhook', env })
  const controller = start(t, { command: 'controller', env })
  await review(stringOf(await webhook.heard('webhook listens'), 'url') ?? '', {})
  await controller.heard('refreshed')
  return { webhook: await healthUrl(webhook), controller: await healthUrl(controller) }
}

async function healthUrl({ heard }: Started): Promise<string> {
  return stringOf(await heard('health server listens'), 'healthUrl') ?? ''
}

async function review(url: string, more: Readonly<Record<string, string>>): Promise<void> {
  const headers = { 'content-type': 'application/json', ...more }
  const call = request(`${url}/rewrite`, { method: 'POST', ca: someCertificate.caPem, agent: false, headers })
  call.end(JSON.stringify(aReview()))
  const [response] = await once(call, 'response')
  await once(response.resume(), 'end')
}
