import { fieldOf, stringOf } from '../../src/core/json.ts'
import { forkFile, messageOf, startSender, usageOf } from './child.ts'
import { type Figure, quantile } from './report.ts'
import { keptReview, sizableReview, templateReview } from './reviews.ts'
import type { LoadResult } from './sender/load.ts'
import type { Review } from './sender/request.ts'
import { rightly } from './webhook-bench.ts'
import { healthOf, openStage, startWhole, until } from './whole-webhook.ts'

/** The rate of a busy cluster, and as many connections as one API server keeps idle to one host. */
const RATE = { perSecond: 50, connections: 25 }

/** How often and how long, s. */
export interface RatePlan {
  readonly rounds: number
  readonly seconds: number
}

const usualPlan: RatePlan = { rounds: 7, seconds: 10 }

const reviews: readonly Review[] = [
  { path: '/rewrite', body: sizableReview(), told: '"patchType":"JSONPatch"' },
  { path: '/isolation', body: sizableReview(), told: '"allowed":true' },
  { path: '/rewrite', body: keptReview(), told: '"decision":"keep"' },
  { path: '/isolation', body: keptReview(), told: '"allowed":true' },
  { path: '/advice', body: templateReview(), told: 'of new pods gets nvidia.com/mig-' }
]

/** The echo sends back what it is sent, and nothing else. */
const echoed = reviews.map(({ path, body }): Review => ({ path, body }))

/** What was seen from outside, one entry a round. */
interface Seen {
  readonly p50Ms: number[]
  readonly p99Ms: number[]
  readonly cpuMs: number[]
  readonly ownDelayMs: number[]
}

/**
 * A normal rate, with calls that come when they are due whatever became of those before: what the handlers take, by their own measure, and
 * what a client waits beside a server that only sends back what it got. The webhook is the program itself, on a cluster of
 * 1,000 nodes and 10,000 pods with GPUs. Rounds alternate.
 */
export async function benchRate(plan: RatePlan = usualPlan): Promise<readonly Figure[]> {
  const stage = await openStage('busy')
  const handled = new Handled()
  const webhook = await startWhole(stage, { onLine: handled.hear })
  const echo = forkFile(new URL('targets.ts', import.meta.url), ['echo'])
  const sender = startSender()
  const seen = { echo: emptySeen(), webhook: emptySeen() }
  try {
    const echoPort = Number(fieldOf(await messageOf(echo), 'port'))
    const health = healthOf(webhook.ports.health)
    await until(async () => (await health.metrics()).includes('rightslice_store_synced{resource="pods"} 1'))
    const send = (port: number, own: readonly Review[]): Promise<LoadResult> =>
      rightly(sender, { port, ...RATE, seconds: plan.seconds, reviews: own })
    const cpuOfEcho = async (): Promise<number> => (await usageOf(echo)).cpuMs
    const cpuOfWebhook = async (): Promise<number> => cpuMsIn(await health.metrics())
    for (const kind of ['warm-up', ...Array.from({ length: plan.rounds }, () => 'round')]) {
      const ofEcho = await measured(() => send(echoPort, echoed), cpuOfEcho)
      if (kind === 'round') handled.count()
      const ofWebhook = await measured(() => send(webhook.ports.listen, reviews), cpuOfWebhook)
      handled.pause()
      if (kind === 'warm-up') continue
      note(seen.echo, ofEcho)
      note(seen.webhook, ofWebhook)
    }
  } finally {
    for (const child of [echo, sender]) child.disconnect()
    await webhook.stop()
    stage.close()
  }
  return [...handled.figures(), ...figuresOf(seen)]
}

function emptySeen(): Seen {
  return { p50Ms: [], p99Ms: [], cpuMs: [], ownDelayMs: [] }
}

interface Measured {
  readonly result: LoadResult
  readonly cpuMs: number
}

async function measured(send: () => Promise<LoadResult>, cpu: () => Promise<number>): Promise<Measured> {
  const before = await cpu()
  const result = await send()
  return { result, cpuMs: (await cpu()) - before }
}

function note(seen: Seen, { result: { answered, ownDelayMs }, cpuMs }: Measured): void {
  const latencies = answered.map(({ latencyMs }) => latencyMs)
  seen.p50Ms.push(quantile(latencies, 0.5))
  seen.p99Ms.push(quantile(latencies, 0.99))
  seen.cpuMs.push(cpuMs / answered.length)
  seen.ownDelayMs.push(ownDelayMs)
}

/** CPU of a process by its metrics, ms. */
function cpuMsIn(metrics: string): number {
  const seconds = /^process_cpu_seconds_total(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1]
  if (seconds === undefined) throw new Error('the metrics do not tell of CPU')
  return Number(seconds) * 1000
}

/** How long each review took from the moment at which its body was read, by the log of the webhook: every one, not in buckets. */
class Handled {
  readonly #samples = new Map<string, number[]>([
    ['rewriting', []],
    ['isolation', []],
    ['advice', []]
  ])
  #counts = false

  readonly hear = (line: string): void => {
    if (!this.#counts || !line.includes('"durationMs":')) return
    const entry: unknown = JSON.parse(line)
    const kind = stringOf(entry, 'webhook')?.split('.')[0] ?? 'rewriting'
    this.#samples.get(kind)?.push(Number(fieldOf(entry, 'durationMs')))
  }

  count(): void {
    this.#counts = true
  }

  pause(): void {
    this.#counts = false
  }

  figures(): readonly Figure[] {
    return [...this.#samples].flatMap(([kind, samples]): readonly Figure[] => [
      { name: `50 rps, ${kind}: reviews timed`, value: samples.length, unit: '' },
      goalled(`50 rps, ${kind}: handler, p50`, quantile(samples, 0.5), 'ms', 0.3),
      goalled(`50 rps, ${kind}: handler, p99`, quantile(samples, 0.99), 'ms', 3)
    ])
  }
}

function figuresOf({ echo, webhook }: Readonly<Record<'echo' | 'webhook', Seen>>): readonly Figure[] {
  const median = (samples: readonly number[]): number => quantile(samples, 0.5)
  const ratio = (part: 'p99Ms' | 'cpuMs'): number =>
    median(webhook[part].map((value, round) => value / (echo[part][round] ?? Number.NaN)))
  const sides = [
    ['echo', echo],
    ['webhook', webhook]
  ] as const
  return [
    ...sides.flatMap(([name, seen]): readonly Figure[] => [
      { name: `50 rps, ${name}: from outside, p50`, value: median(seen.p50Ms), unit: 'ms' },
      { name: `50 rps, ${name}: from outside, p99`, value: median(seen.p99Ms), unit: 'ms' },
      { name: `50 rps, ${name}: CPU per review`, value: median(seen.cpuMs), unit: 'ms' },
      { name: `50 rps, ${name}: the sender's own delay, p99`, value: median(seen.ownDelayMs), unit: 'ms' }
    ]),
    goalled('50 rps: p99 from outside over echo', ratio('p99Ms'), 'x', 1.25),
    goalled('50 rps: CPU per review over echo', ratio('cpuMs'), 'x', 1.25)
  ]
}

function goalled(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, comparison: '<=', goal }
}
