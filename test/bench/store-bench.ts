import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fieldOf } from '../../src/core/json.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import type { Figure } from './report.ts'
import type { KindCost, ProcessState } from './store-child.ts'
import { fleetSize } from './store-fleet.ts'

const HOST = '127.0.0.1'

const childFile = new URL('store-child.ts', import.meta.url)

/** Longest wait for a state of the webhook, ms. */
const PATIENCE_MS = 120_000

/**
 * Memory of what the webhook mirrors of a large cluster, by kind, and of the whole process, which has the options that its manifest
 * gives it; how long the event loop is held up while 5,000 nodes are listed anew. On a machine that does other things as well the
 * delay says more about those, so the CPU of the longest turn and the delay of an idle process stand beside it.
 */
export async function benchStore(): Promise<readonly Figure[]> {
  const server = forkFile(new URL('store-server.ts', import.meta.url), [], {})
  const dir = mkdtempSync(join(tmpdir(), 'store-bench-'))
  try {
    const port = Number(fieldOf(await messageOf(server), 'port'))
    const kubeconfig = join(dir, 'kubeconfig')
    writeFileSync(kubeconfig, kubeconfigOf(port))
    return [...(await kindFigures(kubeconfig)), ...(await wholeFigures(server, dir, kubeconfig))]
  } finally {
    server.disconnect()
    rmSync(dir, { recursive: true })
  }
}

async function kindFigures(kubeconfig: string): Promise<readonly Figure[]> {
  const child = forkFile(childFile, ['kinds', kubeconfig], {}, ['--expose-gc'])
  const costs = (await messageOf(child)) as readonly KindCost[] // what store-child.ts sends
  return costs.map(({ kind, objects, bytesEach }) => ({
    name: `${objects} ${kind}: heap for each`,
    value: bytesEach,
    unit: 'B'
  }))
}

async function wholeFigures(
  server: ChildProcess,
  dir: string,
  kubeconfig: string
): Promise<readonly Figure[]> {
  const healthPort = await freePort()
  const shows = async (line: string): Promise<boolean> =>
    (await (await fetch(`http://${HOST}:${healthPort}/metrics`)).text()).includes(line)
  const child = forkFile(childFile, ['whole'], await settings(dir, kubeconfig, healthPort), deployedOptions())
  const beside = monitorEventLoopDelay({ resolution: 1 })
  try {
    const startMs = performance.now()
    await until(async () => (await fetch(`http://${HOST}:${healthPort}/readyz`)).ok)
    const readyMs = performance.now() - startMs
    await until(() => shows('rightslice_store_synced{resource="pods"} 1'))
    const allMs = performance.now() - startMs
    await delay(2000)
    const rest = await stateOf(child, 'reset')
    beside.enable()
    server.send('expire')
    await until(() => shows('rightslice_store_relists_total{resource="nodes"} 1'))
    const relist = await stateOf(child, 'state')
    return [
      { name: 'start to ready', value: readyMs / 1000, unit: 's' },
      { name: 'start to pods listed', value: allMs / 1000, unit: 's' },
      goalled(
        `memory of the webhook: ${fleetSize.nodes} nodes, ${fleetSize.pods} pods`,
        rest.rssMiB,
        'MiB',
        250
      ),
      { name: 'highest memory of the webhook', value: relist.peakMiB, unit: 'MiB' },
      goalled('nodes listed anew: event-loop delay, p99', relist.p99Ms, 'ms', 20),
      {
        name: 'the same of a process beside it that does nothing',
        value: beside.percentile(99) / 1e6 - 1,
        unit: 'ms'
      },
      goalled('nodes listed anew: longest turn, CPU', relist.longestTurnMs, 'ms', 20)
    ]
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

function goalled(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, comparison: '<=', goal }
}

function forkFile(
  file: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = []
): ChildProcess {
  return fork(fileURLToPath(file), [...args], {
    env: { ...process.env, ...env },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
}

/** What Node is told in the cluster, by the manifest of the webhook. */
function deployedOptions(): readonly string[] {
  const file = new URL('../../manifests/base/deployment.yaml', import.meta.url)
  const [, options] = /name: NODE_OPTIONS\s+value: (.+)/.exec(readFileSync(file, 'utf8')) ?? []
  if (options === undefined) throw new Error('the manifest of the webhook has no NODE_OPTIONS')
  return options.split(' ')
}

async function settings(
  dir: string,
  kubeconfig: string,
  healthPort: number
): Promise<Readonly<Record<string, string>>> {
  const order = { service: 'x', namespace: 'x', ipAddresses: [HOST], nowMs: Date.now(), validDays: 1 }
  const { certPem, keyPem } = await makeCertificates(order)
  writeFileSync(join(dir, 'tls.crt'), certPem)
  writeFileSync(join(dir, 'tls.key'), keyPem)
  return {
    RIGHTSLICE_LISTEN_HOST: HOST,
    RIGHTSLICE_LISTEN_PORT: '0',
    RIGHTSLICE_HEALTH_PORT: String(healthPort),
    RIGHTSLICE_TLS_CERT_FILE: join(dir, 'tls.crt'),
    RIGHTSLICE_TLS_KEY_FILE: join(dir, 'tls.key'),
    RIGHTSLICE_KUBECONFIG: kubeconfig
  }
}

function kubeconfigOf(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'bench', cluster: { server: `https://${HOST}:${port}`, 'insecure-skip-tls-verify': true } }
    ],
    users: [{ name: 'bench', user: { token: 'none' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench'
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!(await holds().catch(() => false))) {
    if (performance.now() > endMs)
      throw new Error('the webhook did not come to the state that was waited for')
    await delay(100)
  }
}

async function stateOf(child: ChildProcess, wish: 'state' | 'reset'): Promise<ProcessState> {
  child.send(wish)
  return (await messageOf(child)) as ProcessState // what store-child.ts sends
}

/** @throws when the child ends before it says anything */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the child ended: ${code}`)))
  ended.catch(() => undefined)
  const [message]: unknown[] = await Promise.race([once(child, 'message'), ended])
  return message
}
