import { fieldOf } from '../../../src/core/json.ts'
import { ask, forkFile, messageOf, sendBy, startSender, usageOf } from '../child.ts'
import { type Figure, quantile } from '../report.ts'
import { keptReview, sizableReview } from '../reviews.ts'
import type { Answered, LoadOrder, LoadResult } from '../sender/load.ts'
import type { ShedWait } from '../shed-watch.ts'

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
  /** The same overload as a client sees it that sends little, from a process of its own. */
  readonly bystander: LoadResult
  /** The same overload from inside: how long the process, and the kernel before it, can have kept waiting what was sent back. */
  readonly inside: ShedWait
  readonly after: LoadResult
  /** Of the webhook's process; CPU from the beginning to the end of the overload. */
  readonly rssMiB: { readonly before: number; readonly after: number }
  readonly cpuSeconds: number
  readonly seconds: number
}

const reviews = [
  { path: '/isolation', body: keptReview(), told: '"allowed":true' },
  { path: '/rewrite', body: sizableReview(), told: '"patchType":"JSONPatch"' }
] as const

/** As many connections as saturate one process. */
const SATURATION = { connections: 16, perSecond: 'flat-out' } as const

/** The rate of a busy cluster. */
const NORMAL = { connections: 16, perSecond: 50 }

/** Little enough that the loop of its sender is never busy. */
const BYSTANDER = { connections: 8, perSecond: 100 }

const AFTER_SECONDS = 3

type Shape = Pick<LoadOrder, 'connections' | 'perSecond' | 'seconds'>

/** Drives the webhook, in a process of its own, from others: at its capacity, at a normal rate, far beyond, and normal again. */
export async function measureOverload(plan: OverloadPlan): Promise<OverloadResult> {
  const server = forkFile(new URL('../targets.ts', import.meta.url), ['webhook'])
  const senders = { crowd: startSender(), bystander: startSender() }
  try {
    const port = Number(fieldOf(await messageOf(server), 'port'))
    const send = (shape: Shape, by: keyof typeof senders = 'crowd'): Promise<LoadResult> =>
      sendBy(senders[by], { port, reviews, ...shape })
    await send({ ...SATURATION, seconds: plan.beforeSeconds })
    const capacity = await send({ ...SATURATION, seconds: plan.beforeSeconds })
    const capacityPerSecond = capacity.answered.filter(isAccepted).length / plan.beforeSeconds
    const normal = await send({ ...NORMAL, seconds: plan.beforeSeconds })
    const before = await usageOf(server)
    await ask(server, 'watch')
    const { seconds } = plan
    const crowd = {
      connections: plan.connections - BYSTANDER.connections,
      perSecond: capacityPerSecond * plan.times,
      seconds
    }
    const [over, bystander] = await Promise.all([send(crowd), send({ ...BYSTANDER, seconds }, 'bystander')])
    const inside = (await ask(server, 'watched')) as ShedWait // what targets.ts sends
    const then = await usageOf(server)
    const after = await send({ ...NORMAL, seconds: AFTER_SECONDS })
    const rssMiB = { before: before.rssMiB, after: then.rssMiB }
    const cpuSeconds = (then.cpuMs - before.cpuMs) / 1000
    return { capacityPerSecond, normal, over, bystander, inside, after, rssMiB, cpuSeconds, seconds }
  } finally {
    for (const child of [server, senders.crowd, senders.bystander]) child.disconnect()
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

/** What the gate lets in is sent back after all once it has waited for 1.5 s; nothing that is sent back at once takes nearly so long, ms. */
const isLate = (latencyMs: number): boolean => latencyMs >= 1500

/** Normal again: within the first second after the overload as quick as before it, but for the noise of a machine, ms. */
const NOISE_MS = 10

/** The figures of an overload beside their goals. */
export function figuresOf(result: OverloadResult): readonly Figure[] {
  const { capacityPerSecond, normal, over, bystander, inside, after, rssMiB, cpuSeconds, seconds } = result
  const all = [normal, over, bystander, after]
  const firstSecond = after.answered.filter(({ sentMs }) => sentMs < 1000)
  const normalMs = p99(normal.answered)
  return [
    figure('capacity', capacityPerSecond, '1/s'),
    figure('normal: p99', normalMs, 'ms'),
    figure('overload: offered', over.offered / capacityPerSecond, 'capacities x s'),
    figure('overload: turned away by the sender', (over.turnedAway / over.offered) * 100, '%'),
    ...byWebhook(over),
    ...shedFigures('overload: shed', over),
    figure("overload: the sender's own delay, p99", over.ownDelayMs, 'ms'),
    figure('overload: longest pause of the sender itself', over.longestPauseMs, 'ms'),
    ...shedFigures('overload, to a client that sends little: shed', bystander),
    figure(
      "overload, to a client that sends little: the client's own delay, p99",
      bystander.ownDelayMs,
      'ms'
    ),
    figure('overload, from inside: from reading to sending back, p99', inside.readP99Ms, 'ms'),
    figure('overload, from inside: all that it can have waited, p99', inside.boundP99Ms, 'ms'),
    goalled('calls without an answer', sum(all.map(({ broken }) => broken)), '', 0),
    goalled('wrong answers', sum(all.map(({ wrong }) => wrong)), '', 0),
    goalled('after: p99 of the first second', p99(firstSecond), 'ms', Math.ceil(normalMs + NOISE_MS)),
    figure('overload: CPU that the webhook was given', (cpuSeconds / seconds) * 100, '%'),
    figure('memory before', rssMiB.before, 'MiB'),
    figure('memory after', rssMiB.after, 'MiB')
  ]
}

function shedFigures(name: string, { answered }: LoadResult): readonly Figure[] {
  const shed = latencies(answered.filter(isShed))
  return [
    figure(name, (shed.length / answered.length) * 100, '%'),
    figure(`${name}, p50`, quantile(shed, 0.5), 'ms'),
    goalled(`${name}, p99`, quantile(shed, 0.99), 'ms', SHED_MS),
    figure(`${name}, longest`, quantile(shed, 1), 'ms'),
    figure(`${name}, let in first, and late`, (shed.filter(isLate).length / shed.length) * 100 || 0, '%')
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
      goalled(`overload: ${path} accepted, longest`, longest, 'ms', TIMEOUT_MS[path])
    ]
  })
}

function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit }
}

function goalled(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, comparison: '<=', goal }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function latencies(answered: readonly Answered[]): readonly number[] {
  return answered.map(({ latencyMs }) => latencyMs)
}

function p99(answered: readonly Answered[]): number {
  return quantile(latencies(answered), 0.99)
}
