import { setTimeout as pause } from 'node:timers/promises'
import type { Figure } from '../bench/report.ts'
import { startCreations } from './creation-load.ts'
import type { CreationBatch } from './creations.ts'
import { Pressure } from './pressure.ts'
import { metricOf, type Replica } from './replica.ts'
import type { Stage } from './stage.ts'
import { atLeast, atMost, type Step, type StepSaid } from './step.ts'
import { type Tally, tallyOf } from './tally.ts'
import { CallCounter, type WebhookCalls } from './webhook-calls.ts'

/** How hard and how long. */
export interface StepPlan {
  readonly perSecond: number
  /** How long the load lasts at least; a step whose mischief takes longer is waited for. */
  readonly seconds: number
}

/** What came of a step. */
export interface StepResult {
  readonly name: string
  readonly seconds: number
  readonly tally: Tally
  readonly calls: WebhookCalls
  /** Longest time for which the generator itself did not run. */
  readonly generatorPauseMs: number
  /** Reviews that replicas which ran to the end sent back, since they had too much to do; the API server calls again. */
  readonly sentBack: number
  /** Share of the time in which somebody on the machine waited for a processor. */
  readonly pressureRatio: number | undefined
  readonly said: StepSaid
}

/** Runs one step under load. */
export async function runStep(stage: Stage, step: Step, plan: StepPlan): Promise<StepResult> {
  const calls = new CallCounter(stage.bed)
  await calls.start()
  const before = await sentBackOf(stage)
  const load = await startCreations(await stage.order(plan.perSecond))
  const startMs = performance.now()
  const pressure = new Pressure()
  try {
    const said = await step.act({ stage, calls, seconds: plan.seconds })
    await pause(Math.max(0, plan.seconds * 1000 - (performance.now() - startMs)))
    const seconds = (performance.now() - startMs) / 1000
    const { creations, longestPauseMs }: CreationBatch = await load.end()
    return {
      name: step.name,
      seconds,
      tally: tallyOf(creations),
      calls: await calls.calls(),
      generatorPauseMs: longestPauseMs,
      pressureRatio: pressure.ratio(),
      sentBack: sentBackSince(before, await sentBackOf(stage)),
      said
    }
  } finally {
    load.close()
  }
}

type Counts = ReadonlyMap<Replica, number>

async function sentBackOf({ replicas }: Stage): Promise<Counts> {
  const count = async (replica: Replica): Promise<[Replica, number]> => [
    replica,
    await metricOf(replica, 'rightslice_reviews_shed_total')
  ]
  return new Map(await Promise.all(replicas.map(count)))
}

function sentBackSince(before: Counts, now: Counts): number {
  return [...now].reduce((sum, [replica, count]) => sum + count - (before.get(replica) ?? 0), 0)
}

/** So much of the rate has to have been sent, ratio: what the generator could not send proves nothing. */
const SENT_RATIO = 0.98

/** The figures of a step beside their goals. */
export function figuresOf(result: StepResult, { perSecond }: StepPlan): readonly Figure[] {
  const { tally, calls, said, seconds, generatorPauseMs, pressureRatio } = result
  const allowed = said.allowedFailures ?? 0
  return [
    atLeast('sent', tally.sent, Math.floor(seconds * perSecond * SENT_RATIO)),
    plain('let in', tally.letIn),
    plain('refused by the policy, as they have to be', tally.refusedByPolicy),
    atMost('refused: rewriting not called', tally.refusedByRewriting, 0),
    atMost('refused: isolation not called', tally.refusedByIsolation, allowed),
    atMost('refused by others', tally.refusedByOthers, 0),
    atMost('timed out', tally.timedOut, 0),
    atMost('not rewritten', tally.notRewritten, allowed),
    atMost('let in though they break a rule', tally.slippedIn, 0),
    plain('sent again, API server not there', tally.sentAgain),
    plain('let in, answer lost', tally.answerLost),
    plain('creation, p50', tally.p50Ms, 'ms'),
    plain('creation, p99', tally.p99Ms, 'ms'),
    plain('creation, longest', tally.longestMs, 'ms'),
    plain('calls of rewriting', calls.rewriting),
    plain('calls of isolation', calls.isolation),
    plain('calls of rewriting passed over', calls.passedOver),
    plain('calls that replicas sent back for a second', result.sentBack),
    plain('longest pause of the generator', generatorPauseMs, 'ms'),
    ...(pressureRatio === undefined
      ? []
      : [plain('time in which work waited for a processor', pressureRatio * 100, '%')]),
    ...said.figures
  ]
}

function plain(name: string, value: number, unit = ''): Figure {
  return { name, value, unit }
}
