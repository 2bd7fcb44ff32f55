import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { fieldOf } from '../../src/core/json.ts'
import { type Figure, quantile } from './report.ts'

const CONNECTIONS = 16
const REQUESTS = 4000
const WARM_UP = 3000
const ROUNDS = 7

interface Target {
  readonly name: 'echo' | 'webhook'
  readonly child: ChildProcess
  readonly port: number
  /** CPU of the server's process for one review, milliseconds, one entry a round. */
  readonly cpuMs: number[]
  readonly perSecond: number[]
  readonly p99Ms: number[]
}

/**
 * CPU for one review, flat out on 16 connections, against a fastify server that does nothing but parse the same body
 * and send it back. Rounds of the two alternate, so that whatever else the machine does falls on both.
 */
export async function benchWebhook(): Promise<readonly Figure[]> {
  const body = readFileSync(new URL('review.json', import.meta.url), 'utf8')
  const targets = [await start('echo'), await start('webhook')]
  try {
    for (const target of targets) await load(target.port, body, WARM_UP)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const target of round % 2 === 0 ? targets : [...targets].reverse()) await measure(target, body)
    }
    const [echo, webhook] = targets
    if (echo === undefined || webhook === undefined) return []
    const ratios = webhook.cpuMs.map((value, index) => value / (echo.cpuMs[index] ?? Number.NaN))
    return [
      ...targets.flatMap(figuresOf),
      {
        name: 'CPU per review, webhook over echo',
        value: quantile(ratios, 0.5),
        unit: 'x',
        comparison: '<=',
        goal: 1.25
      }
    ]
  } finally {
    for (const { child } of targets) child.disconnect()
  }
}

function figuresOf({ name, cpuMs, perSecond, p99Ms }: Target): readonly Figure[] {
  return [
    { name: `${name}: CPU per review`, value: quantile(cpuMs, 0.5), unit: 'ms' },
    { name: `${name}: reviews per second`, value: quantile(perSecond, 0.5), unit: '1/s' },
    { name: `${name}: p99`, value: quantile(p99Ms, 0.5), unit: 'ms' }
  ]
}

async function start(name: Target['name']): Promise<Target> {
  const child = fork(fileURLToPath(new URL('targets.ts', import.meta.url)), [name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: process.env.BENCH_PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] : []
  })
  const [message] = await once(child, 'message')
  return { name, child, port: Number(fieldOf(message, 'port')), cpuMs: [], perSecond: [], p99Ms: [] }
}

async function measure(target: Target, body: string): Promise<void> {
  const before = await cpuMicros(target.child)
  const result = await load(target.port, body, REQUESTS)
  const after = await cpuMicros(target.child)
  target.cpuMs.push((after - before) / 1000 / REQUESTS)
  target.perSecond.push(result.requests.average)
  target.p99Ms.push(result.latency.p99)
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  child.send('usage')
  const [message] = await once(child, 'message')
  return Number(fieldOf(message, 'cpuMicros'))
}

async function load(port: number, body: string, amount: number): Promise<autocannon.Result> {
  const result = await autocannon({
    url: `https://127.0.0.1:${port}/rewrite?timeout=2s`,
    connections: CONNECTIONS,
    amount,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    tlsOptions: { rejectUnauthorized: false }
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers other than 2xx, ${result.errors} errors`)
  return result
}
