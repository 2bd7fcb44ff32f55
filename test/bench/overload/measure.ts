import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fieldOf } from '../../../src/core/json.ts'
import { type Figure, quantile } from '../report.ts'
import { keptReview, sizableReview } from '../reviews.ts'
import type { Answered, LoadOrder, LoadResult, Review } from './load.ts'

/** How long and how hard. */
export interface OverloadPlan {
  readonly seconds: number
  /** Length of each load before, s: warm up, capacity, normal. */
  readonly beforeSeconds: number
  /** Rate of the overload, in capacities. */
  readonly times: number
  /** Calls in flight at one time. */
  readonly connections: number
}

/** What was seen of an overload. */
export interface OverloadResult {
  readonly capacityPerSecond: number
  readonly normal: LoadResult
  readonly over: LoadResult
  readonly after: LoadResult
  /** Of the webhook's process; CPU from the beginning to the end of the overload. */
  readonly rssMiB: { readonly before: number; readonly after: number }
  readonly cpuSeconds: number
  readonly seconds: number
}

const reviews: readonly Review[] = [
  { path: '/isolation', body: keptReview() },
  { path: '/rewrite', body: sizableReview() }
]

/** As many connections as saturate one process, and a rate beyond all capacity. */
const SATURATION = { connections: 16, perSecond: 20_000 }

/** The rate of a busy cluster. */
const NORMAL = { connections: 16, perSecond: 50 }

const AFTER_SECONDS = 3

/** Drives the webhook, in a process of its own, from another one: at its capacity, at a normal rate, far beyond, and normal again. */
export async function measureOverload(plan: OverloadPlan): Promise<OverloadResult> {
  const server = start(new URL('../targets.ts', import.meta.url), ['webhook'])
  const sender = start(new URL('load-child.ts', import.meta.url), [])
  try {
    const port = Number(fieldOf(await heard(server), 'port'))
    const send = (order: Pick<LoadOrder, 'connections' | 'perSecond' | 'seconds'>): Promise<LoadResult> =>
      sent(sender, { port, reviews, ...order })
    await send({ ...SATURATION, seconds: plan.beforeSeconds })
    const capacity = await send({ ...SATURATION, seconds: plan.beforeSeconds })
    const capacityPerSecond = capacity.answered.filter(isAccepted).length / plan.beforeSeconds
    const normal = await send({ ...NORMAL, seconds: plan.beforeSeconds })
    const before = await usageOf(server)
    const { connections, seconds } = plan
    const over = await send({ connections, perSecond: capacityPerSecond * plan.times, seconds })
    const then = await usageOf(server)
    const after = await send({ ...NORMAL, seconds: AFTER_SECONDS })
    const rssMiB = { before: before.rssMiB, after: then.rssMiB }
    const cpuSeconds = then.cpuSeconds - before.cpuSeconds
    return { capacityPerSecond, normal, over, after, rssMiB, cpuSeconds, seconds }
  } finally {
    server.disconnect()
    sender.disconnect()
  }
}

function start(file: URL, args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(file), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
}

async function heard(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message')
  return message
}

async function sent(sender: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  const { promise, resolve } = Promise.withResolvers<LoadResult>()
  sender.once('message', (result: LoadResult) => resolve(result))
  sender.send(order)
  return await promise
}

async function usageOf(
  server: ChildProcess
): Promise<{ readonly rssMiB: number; readonly cpuSeconds: number }> {
  server.send('usage')
  const usage = await heard(server)
  return {
    rssMiB: Number(fieldOf(usage, 'rssMiB')),
    cpuSeconds: Number(fieldOf(usage, 'cpuMicros')) / 1e6
  }
}

/** Whether a call was answered with a review. */
export function isAccepted({ status }: Answered): boolean {
  return status === 200
}

/** Whether a call was sent back. */
export function isShed({ status }: Answered): boolean {
  return status === 503
}

/** Longest times that are good, ms: of an answer that sends back, and of the timeouts of the webhooks. */
const SHED_MS = 50
const TIMEOUT_MS = { '/isolation': 3000, '/rewrite': 2000 } as const

/** Normal again: within the first second after the overload as quick as before it, but for the noise of a machine, ms. */
const NOISE_MS = 10

/** The figures of an overload beside their goals. */
export function figuresOf(result: OverloadResult): readonly Figure[] {
  const { capacityPerSecond, normal, over, after, rssMiB, cpuSeconds, seconds } = result
  const rest = over.answered.filter((answer) => !isAccepted(answer) && !isShed(answer)).length
  const firstSecond = after.answered.filter(({ sentMs }) => sentMs < 1000)
  const normalMs = p99(normal.answered)
  return [
    figure('capacity', capacityPerSecond, '1/s'),
    figure('normal: p99', normalMs, 'ms'),
    figure('overload: offered', over.offered / capacityPerSecond, 'capacities x s'),
    figure('overload: turned away by the sender', (over.turnedAway / over.offered) * 100, '%'),
    ...byWebhook(over),
    {
      ...figure('overload: shed, p99', p99(over.answered.filter(isShed)), 'ms'),
      comparison: '<=',
      goal: SHED_MS
    },
    figure('overload: shed, p50', quantile(latencies(over.answered.filter(isShed)), 0.5), 'ms'),
    { ...figure('overload: calls without an answer', over.broken, ''), comparison: '<=', goal: 0 },
    { ...figure('overload: answers other than 200 and 503', rest, ''), comparison: '<=', goal: 0 },
    {
      ...figure('after: p99 of the first second', p99(firstSecond), 'ms'),
      comparison: '<=',
      goal: Math.ceil(normalMs + NOISE_MS)
    },
    figure('overload: CPU that the webhook was given', (cpuSeconds / seconds) * 100, '%'),
    figure('overload: longest pause of the sender itself', over.longestPauseMs, 'ms'),
    figure('memory before', rssMiB.before, 'MiB'),
    figure('memory after', rssMiB.after, 'MiB')
  ]
}

function byWebhook({ answered }: LoadResult): readonly Figure[] {
  return reviews.flatMap(({ path }): readonly Figure[] => {
    const own = answered.filter((answer) => answer.path === path)
    const accepted = own.filter(isAccepted)
    const longest = quantile(latencies(accepted), 1)
    return [
      figure(`overload: ${path} accepted`, (accepted.length / own.length) * 100, '%'),
      figure(`overload: ${path} accepted, p50`, quantile(latencies(accepted), 0.5), 'ms'),
      {
        ...figure(`overload: ${path} accepted, longest`, longest, 'ms'),
        comparison: '<=',
        goal: TIMEOUT_MS[path]
      }
    ]
  })
}

function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit }
}

function latencies(answered: readonly Answered[]): readonly number[] {
  return answered.map(({ latencyMs }) => latencyMs)
}

function p99(answered: readonly Answered[]): number {
  return quantile(latencies(answered), 0.99)
}
