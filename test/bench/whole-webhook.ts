import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fieldOf } from '../../src/core/json.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { deployedEnv } from '../build/deployed-env.ts'
import { sourceProgram } from './built-program.ts'
import { forkFile, messageOf } from './child.ts'

const HOST = '127.0.0.1'

/** Longest wait for a state of the webhook, ms. */
const PATIENCE_MS = 120_000

const LOOK_MS = 20

/** Ports of a webhook. */
export interface Ports {
  readonly listen: number
  readonly health: number
}

/** An API server with a cluster, and what a webhook needs to read it. */
export interface Stage {
  readonly server: ChildProcess
  readonly kubeconfig: string
  /** Settings of a webhook, by variable. */
  readonly settings: (ports: Ports) => Readonly<Record<string, string>>
  readonly close: () => void
}

/** Starts an API server that holds one of the clusters of `store-server.ts`. */
export async function openStage(cluster: 'large' | 'busy'): Promise<Stage> {
  const server = forkFile(new URL('store-server.ts', import.meta.url), [cluster])
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const port = Number(fieldOf(await messageOf(server), 'port'))
  const files = await writeFiles(dir, port)
  return {
    server,
    kubeconfig: files.RIGHTSLICE_KUBECONFIG,
    settings: ({ listen, health }) => ({
      ...files,
      RIGHTSLICE_LISTEN_HOST: HOST,
      RIGHTSLICE_LISTEN_PORT: String(listen),
      RIGHTSLICE_HEALTH_PORT: String(health),
      RIGHTSLICE_DRAIN_SECONDS: '0'
    }),
    close: () => {
      server.disconnect()
      rmSync(dir, { recursive: true })
    }
  }
}

async function writeFiles(
  dir: string,
  port: number
): Promise<Record<'RIGHTSLICE_TLS_CERT_FILE' | 'RIGHTSLICE_TLS_KEY_FILE' | 'RIGHTSLICE_KUBECONFIG', string>> {
  const order = { service: 'x', namespace: 'x', ipAddresses: [HOST], nowMs: Date.now(), validDays: 1 }
  const { certPem, keyPem } = await makeCertificates(order)
  const [cert, key, kubeconfig] = ['tls.crt', 'tls.key', 'kubeconfig'].map((name) => join(dir, name))
  if (cert === undefined || key === undefined || kubeconfig === undefined) throw new Error('no file names')
  writeFileSync(cert, certPem)
  writeFileSync(key, keyPem)
  writeFileSync(kubeconfig, kubeconfigOf(port))
  return {
    RIGHTSLICE_TLS_CERT_FILE: cert,
    RIGHTSLICE_TLS_KEY_FILE: key,
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

/** A webhook that runs as it does in a cluster: a process of the program itself. */
export interface WholeWebhook {
  readonly child: ChildProcess
  readonly ports: Ports
  /** From the start of the process to `/readyz` 200, ms. */
  readonly readyMs: number
  /** Ends it by SIGTERM, and waits for that. */
  readonly stop: () => Promise<void>
}

/** How a webhook is started. */
export interface StartOptions {
  /** File that Node is started with; default: the sources. */
  readonly cli?: string
  /** Hears each line of its log; default: nobody does. */
  readonly onLine?: (line: string) => void
}

/** Starts `rightslice webhook` on a stage and waits until it is ready. */
export async function startWhole(
  stage: Stage,
  { cli = sourceProgram.cli, onLine }: StartOptions = {}
): Promise<WholeWebhook> {
  const ports = { listen: await freePort(), health: await freePort() }
  const startMs = performance.now()
  const child = spawn(process.execPath, [cli, 'webhook'], {
    env: { ...process.env, ...deployedEnv('webhook'), ...stage.settings(ports) },
    stdio: ['ignore', onLine === undefined ? 'ignore' : 'pipe', 'inherit']
  })
  if (onLine !== undefined) hearLines(child, onLine)
  await until(healthOf(ports.health).isReady)
  const readyMs = performance.now() - startMs
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { child, ports, readyMs, stop }
}

function hearLines({ stdout }: ChildProcess, onLine: (line: string) => void): void {
  let rest = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
}

/** What a webhook tells on its port for health. */
export function healthOf(port: number): {
  readonly isReady: () => Promise<boolean>
  readonly metrics: () => Promise<string>
} {
  const url = `http://${HOST}:${port}`
  return {
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
    metrics: async () => (await fetch(`${url}/metrics`)).text()
  }
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Waits until something holds; what cannot be asked does not hold yet. @throws after two minutes */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!(await holds().catch(() => false))) {
    if (performance.now() > endMs)
      throw new Error('the webhook did not come to the state that was waited for')
    await delay(LOOK_MS)
  }
}
