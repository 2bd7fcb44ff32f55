import type { ChildProcess } from 'node:child_process'
import { fieldOf } from '../../src/core/json.ts'
import { forkFile, messageOf, sendBy, startSender, usageOf } from './child.ts'
import { type Figure, quantile } from './report.ts'
import { keptReview, sizableReview, templateReview } from './reviews.ts'
import type { LoadOrder, LoadResult } from './sender/load.ts'
import type { Review } from './sender/request.ts'

const CONNECTIONS = 16

/** How often and how long, s; the code is hot, as in a webhook that has been up for a while. */
export interface FlatOutPlan {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

const usualPlan: FlatOutPlan = { rounds: 9, seconds: 1.5, warmUpSeconds: 4 }

/** One kind of review at one server, and what was measured of it, one entry a round. */
interface Subject {
  readonly name: string
  readonly target: 'echo' | 'webhook'
  readonly review: Review
  /** CPU of the server's process for one review, milliseconds. */
  readonly cpuMs: number[]
  readonly perSecond: number[]
  readonly p99Ms: number[]
}

function subjects(): readonly Subject[] {
  const none = { cpuMs: [], perSecond: [], p99Ms: [] }
  const [kept, sizable] = [keptReview(), sizableReview()]
  const reviews: readonly Pick<Subject, 'name' | 'target' | 'review'>[] = [
    { name: 'echo', target: 'echo', review: { path: '/rewrite', body: sizable } },
    {
      name: 'rewriting, kept',
      target: 'webhook',
      review: { path: '/rewrite', body: kept, told: '"decision":"keep"' }
    },
    {
      name: 'rewriting, rewritten',
      target: 'webhook',
      review: { path: '/rewrite', body: sizable, told: '"patchType":"JSONPatch"' }
    },
    {
      name: 'isolation',
      target: 'webhook',
      review: { path: '/isolation', body: sizable, told: '"allowed":true' }
    },
    {
      name: 'advice',
      target: 'webhook',
      review: { path: '/advice', body: templateReview(), told: 'of new pods gets nvidia.com/mig-' }
    }
  ]
  return reviews.map((review) => ({ ...review, ...structuredClone(none) }))
}

/**
 * Capacity on 16 connections, and CPU for one review against a fastify server that does nothing but parse the same body
 * and send it back. Rounds alternate, so that whatever else the machine does falls on all of them.
 */
export async function benchWebhook(plan: FlatOutPlan = usualPlan): Promise<readonly Figure[]> {
  const all = subjects()
  const sender = startSender()
  const targets = { echo: await start('echo'), webhook: await start('webhook') }
  const run = (subject: Subject, seconds: number): Promise<LoadResult> => {
    const { port } = targets[subject.target]
    const order = { port, connections: CONNECTIONS, perSecond: 'flat-out', seconds } as const
    return rightly(sender, { ...order, reviews: [subject.review] })
  }
  try {
    for (const subject of all) await run(subject, plan.warmUpSeconds)
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const subject of round % 2 === 0 ? all : all.toReversed()) {
        const { child } = targets[subject.target]
        const before = await usageOf(child)
        const { answered } = await run(subject, plan.seconds)
        const after = await usageOf(child)
        subject.cpuMs.push((after.cpuMs - before.cpuMs) / answered.length)
        subject.perSecond.push(answered.length / plan.seconds)
        subject.p99Ms.push(
          quantile(
            answered.map(({ latencyMs }) => latencyMs),
            0.99
          )
        )
      }
    }
    return figuresOf(all)
  } finally {
    for (const child of [targets.echo.child, targets.webhook.child, sender]) child.disconnect()
  }
}

function figuresOf(all: readonly Subject[]): readonly Figure[] {
  const echo = all[0]?.cpuMs ?? []
  return [
    ...all.flatMap(({ name, perSecond, p99Ms, cpuMs }): readonly Figure[] => [
      { name: `flat out, ${name}: capacity`, value: quantile(perSecond, 0.5), unit: '1/s' },
      { name: `flat out, ${name}: p99`, value: quantile(p99Ms, 0.5), unit: 'ms' },
      { name: `flat out, ${name}: CPU per review`, value: quantile(cpuMs, 0.5), unit: 'ms' }
    ]),
    ...all.slice(1).map(({ name, cpuMs }): Figure => {
      const ratios = cpuMs.map((value, round) => value / (echo[round] ?? Number.NaN))
      const figure = { name: `flat out, ${name}: CPU per review over echo`, value: quantile(ratios, 0.5) }
      return { ...figure, unit: 'x', comparison: '<=', goal: 1.25 }
    })
  ]
}

async function start(
  name: Subject['target']
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = forkFile(new URL('targets.ts', import.meta.url), [name])
  return { child, port: Number(fieldOf(await messageOf(child), 'port')) }
}

/** @throws when an answer is missing or is not what it should be */
export async function rightly(sender: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  const result = await sendBy(sender, order)
  const { broken, wrong } = result
  if (broken > 0 || wrong > 0)
    throw new Error(`of ${result.answered.length} answers ${wrong} are wrong, and ${broken} are missing`)
  return result
}
