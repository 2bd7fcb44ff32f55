import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { fieldOf } from '../../src/core/json.ts'
import { type Figure, quantile } from './report.ts'
import { keptReview, sizableReview } from './reviews.ts'

const CONNECTIONS = 16
const REQUESTS = 2500
const WARM_UP = 3000
const ROUNDS = 7

interface Server {
  readonly name: 'echo' | 'webhook'
  readonly child: ChildProcess
  readonly port: number
}

interface Body {
  readonly decision: 'keep' | 'rewrite'
  readonly text: string
}

/** What was measured of one server with one body, one entry a round. */
interface Samples {
  readonly server: Server
  readonly body: Body
  /** CPU of the server's process for one review, milliseconds. */
  readonly cpuMs: number[]
  readonly perSecond: number[]
  readonly p99Ms: number[]
}

/**
 * CPU for one review, flat out on 16 connections, against a fastify server that does nothing but parse the same body
 * and send it back: for a pod that is kept, and for one that is rewritten. Rounds alternate, so that whatever else the
 * machine does falls on all of them.
 */
export async function benchWebhook(): Promise<readonly Figure[]> {
  const servers = [await start('echo'), await start('webhook')]
  const bodies: readonly Body[] = [
    { decision: 'keep', text: keptReview() },
    { decision: 'rewrite', text: sizableReview() }
  ]
  const pairs = bodies.map((body) =>
    servers.map((server): Samples => ({ server, body, cpuMs: [], perSecond: [], p99Ms: [] }))
  )
  try {
    for (const samples of pairs.flat()) await warmUp(samples)
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? pairs.flat() : pairs.flat().reverse()
      for (const samples of order) await measure(samples)
    }
    return pairs.flatMap((pair) => [...pair.flatMap(figuresOf), ...ratioOf(pair)])
  } finally {
    for (const { child } of servers) child.disconnect()
  }
}

function figuresOf({ server, body, cpuMs, perSecond, p99Ms }: Samples): readonly Figure[] {
  const name = `${server.name}, ${body.decision}`
  return [
    { name: `${name}: CPU per review`, value: quantile(cpuMs, 0.5), unit: 'ms' },
    { name: `${name}: reviews per second`, value: quantile(perSecond, 0.5), unit: '1/s' },
    { name: `${name}: p99`, value: quantile(p99Ms, 0.5), unit: 'ms' }
  ]
}

function ratioOf([echo, webhook]: readonly Samples[]): readonly Figure[] {
  if (echo === undefined || webhook === undefined) return []
  const ratios = webhook.cpuMs.map((value, index) => value / (echo.cpuMs[index] ?? Number.NaN))
  const name = `CPU per review, ${webhook.body.decision}, webhook over echo`
  return [{ name, value: quantile(ratios, 0.5), unit: 'x', comparison: '<=', goal: 1.25 }]
}

async function start(name: Server['name']): Promise<Server> {
  const child = fork(fileURLToPath(new URL('targets.ts', import.meta.url)), [name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [message] = await once(child, 'message')
  return { name, child, port: Number(fieldOf(message, 'port')) }
}

/** Runs the code hot, and sees to it that the webhook decides what the figures will say. */
async function warmUp({ server, body }: Samples): Promise<void> {
  const told = server.name === 'webhook' ? `"decision":"${body.decision}"` : ''
  await load({ port: server.port, body: body.text, amount: WARM_UP, told })
}

async function measure({ server, body, cpuMs, perSecond, p99Ms }: Samples): Promise<void> {
  const before = await cpuMicros(server.child)
  const { result, elapsedMs } = await load({ port: server.port, body: body.text, amount: REQUESTS })
  const after = await cpuMicros(server.child)
  cpuMs.push((after - before) / 1000 / REQUESTS)
  perSecond.push(REQUESTS / (elapsedMs / 1000))
  p99Ms.push(result.latency.p99)
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  child.send('usage')
  const [message] = await once(child, 'message')
  return Number(fieldOf(message, 'cpuMicros'))
}

interface Load {
  readonly port: number
  readonly body: string
  readonly amount: number
  /** What every answer must hold; default: nothing is looked at. */
  readonly told?: string
}

interface Loaded {
  readonly result: autocannon.Result
  /** From the first request to the last answer, milliseconds. */
  readonly elapsedMs: number
}

async function load({ port, body, amount, told = '' }: Load): Promise<Loaded> {
  const { result, elapsedMs } = await send({
    url: `https://127.0.0.1:${port}/rewrite?timeout=2s`,
    connections: CONNECTIONS,
    amount,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    tlsOptions: { rejectUnauthorized: false },
    ...(told === '' ? {} : { verifyBody: (answer) => String(answer).includes(told) })
  })
  if (result.non2xx > 0 || result.errors > 0 || result.mismatches > 0)
    throw new Error(
      `${result.non2xx} answers other than 2xx, ${result.errors} errors, ${result.mismatches} without ${told}`
    )
  return { result, elapsedMs }
}

/** autocannon ends at a tick of its own, up to a second after the last answer, so the time is taken at each answer. */
function send(options: autocannon.Options): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    let lastMs = startMs
    const instance = autocannon(options, (fault: unknown, result) => {
      if (fault instanceof Error) reject(fault)
      else resolve({ result, elapsedMs: lastMs - startMs })
    })
    instance.on('response', () => {
      lastMs = performance.now()
    })
  })
}
