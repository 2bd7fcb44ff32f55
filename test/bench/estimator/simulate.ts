import type { ContainerHistory, UsageBlock } from '../../../src/core/usage/block.ts'
import { type EstimatorState, emptyState, estimate } from '../../../src/core/usage/estimator/estimate.ts'
import type { Estimate } from '../../../src/core/usage/estimator/find-need.ts'
import type { ShareSize } from '../../../src/core/usage/estimator/hysteresis.ts'
import type { EstimatorInput } from '../../../src/core/usage/estimator/input.ts'
import { type LearntHeadroom, learnHeadroom } from '../../../src/core/usage/estimator/learnt-headroom.ts'
import { pastDecisionsOf } from '../../../src/core/usage/estimator/past-decisions.ts'
import type { EstimatorSettings } from '../../../src/core/usage/estimator/settings.ts'
import { recordStepUp } from '../../../src/core/usage/estimator/step-up.ts'
import { DAYS, type KnownWorkload } from './generator.ts'
import { type Random, randomFrom } from './random.ts'
import { sizeAt } from './shares.ts'

const DAY_MS = 86_400_000

/** A day on which running pods are replaced, so that they get the size in force: one in three. */
const RESTART_RATIO = 0.3

/** What of the estimator a run leaves out. */
export type Ablation = 'censoring' | 'pooling' | 'ladder' | 'learning'

/** One workload at the end of one day. */
export interface DayOutcome {
  readonly workload: KnownWorkload
  readonly day: number
  readonly estimate: Estimate
  /** True need of the days of the horizon, MiB; undefined when the run ends before. */
  readonly laterMiB: number | undefined
  /** Size in force after the look. */
  readonly held: ShareSize
  /** Size that its pods ran in during the day. */
  readonly ran: ShareSize
  /** True need of the day, MiB. */
  readonly needMiB: number
  /** Containers that ended for want of memory during the day. */
  readonly exits: number
}

/** What a run over generated workloads is made of. */
export interface Simulation {
  readonly workloads: readonly KnownWorkload[]
  readonly sizes: readonly ShareSize[]
  readonly settings: EstimatorSettings
  readonly without: readonly Ablation[]
  /** Whether sizes reach the pods; else they all run on whole cards and only the estimates count. */
  readonly applied: boolean
  readonly seed: number
}

interface Actor {
  readonly workload: KnownWorkload
  blocks: UsageBlock[][]
  state: EstimatorState
  ran: ShareSize
}

/** Runs all workloads through the days: use, limits, exits, look, restart. */
export function simulate(simulation: Simulation): readonly DayOutcome[] {
  const { workloads, sizes, settings } = simulation
  const random = randomFrom(simulation.seed)
  const actors = workloads.map((workload) => newActor(workload, sizes))
  const outcomes: DayOutcome[] = []
  for (let day = 0; day < DAYS; day += 1) {
    const nowMs = (day + 1) * DAY_MS
    const alive = actors.filter(({ workload }) => day >= workload.firstDay)
    const exits = new Map(alive.map((actor) => [actor, liveThrough(actor, day, { ...simulation, random })]))
    const learnt = learn(alive, simulation, nowMs)
    for (const actor of alive) {
      const looked = estimate(inputOf(actor, day, simulation.without), actor.state, {
        nowMs,
        settings,
        sizes,
        learnt
      })
      const { ran } = actor
      actor.state = looked.state
      const held = sizeAt(sizes, looked.state.size.heldMiB ?? Number.POSITIVE_INFINITY)
      if (simulation.applied && random.uniform() < RESTART_RATIO) actor.ran = held
      outcomes.push({
        workload: actor.workload,
        day,
        estimate: looked.estimate,
        laterMiB: laterNeed(actor.workload, day, settings.horizonBlocks),
        held,
        ran,
        needMiB: needOn(actor.workload, day),
        exits: exits.get(actor) ?? 0
      })
    }
  }
  return outcomes
}

/** A workload at its start: on a whole card, or in the largest slice below its usual need. */
function newActor(workload: KnownWorkload, sizes: readonly ShareSize[]): Actor {
  const usualMiB = needOn(workload, Math.min(DAYS - 1, workload.firstDay + 1))
  const short = workload.startsShort ? sizes.findLast(({ usableMiB }) => usableMiB < usualMiB) : undefined
  const ran = short ?? sizeAt(sizes, Number.POSITIVE_INFINITY)
  const size = { ...emptyState.size, heldMiB: ran.usableMiB }
  return { workload, blocks: [[], []], state: { ...emptyState, size }, ran }
}

/** Stands in for the ladder where a run does without: the policy's headroom from the first day on. */
const noMargin: LearntHeadroom = {
  riskRatio: 1,
  rungs: [{ fromBlocks: 0, factor: 1, decisions: 0, isMatched: false }]
}

function learn(
  actors: readonly Actor[],
  { without, settings }: Simulation,
  nowMs: number
): LearntHeadroom | undefined {
  if (without.includes('learning')) return without.includes('ladder') ? noMargin : undefined
  const day = nowMs / DAY_MS - 1
  const decisions = actors.flatMap((actor) =>
    pastDecisionsOf(inputOf(actor, day, without), { nowMs, settings })
  )
  const learnt = learnHeadroom(decisions, settings)
  const isUntaught = learnt.rungs.every(({ factor }) => factor === undefined)
  return without.includes('ladder') && isUntaught ? noMargin : learnt
}

/** One day of a workload under its limit; an exit gives the next size at once and the day goes on. */
function liveThrough(actor: Actor, day: number, scope: Simulation & { readonly random: Random }): number {
  const { workload } = actor
  const image = day >= workload.newImageDay ? 1 : 0
  const needMiB = needOn(workload, day)
  let exits = 0
  while (needMiB > actor.ran.usableMiB && !workload.copesWhenShort) {
    exits += 1
    actor.blocks[image]?.push(...blocksOn(actor, day, true))
    stepUp(
      actor,
      { day, image, evidence: scope.random.uniform() < 0.5 ? 'message' : 'exit-at-ceiling' },
      scope
    )
    actor.ran = sizeAt(scope.sizes, actor.ran.usableMiB + 1)
  }
  const blocks = blocksOn(actor, day, false)
  actor.blocks[image]?.push(...blocks)
  const isFull = blocks.some(({ peakMiB, limitMiB = 0 }) => peakMiB >= limitMiB * 0.95)
  if (isFull && workload.reservedRatio === 0) stepUp(actor, { day, image, evidence: 'near-ceiling' }, scope)
  return exits
}

function stepUp(
  actor: Actor,
  event: {
    readonly day: number
    readonly image: number
    readonly evidence: 'message' | 'exit-at-ceiling' | 'near-ceiling'
  },
  { without, settings }: Simulation
): void {
  if (without.includes('censoring')) return
  const { stepUps } = actor.state
  const { evidence, image, day } = event
  const recorded = {
    atMs: (day + 1) * DAY_MS,
    failedMiB: actor.ran.usableMiB,
    evidence,
    image: `image-${image}`
  }
  actor.state = { ...actor.state, stepUps: recordStepUp(stepUps, recorded, settings) }
}

function blocksOn({ workload, ran }: Actor, day: number, outOfMemory: boolean): readonly UsageBlock[] {
  return workload.needMiB.map((days, pod) => {
    const wantedMiB = workload.reservedRatio > 0 ? ran.usableMiB * workload.reservedRatio : (days[day] ?? 0)
    return {
      dayMs: day * DAY_MS,
      pod: `${workload.name}-${pod}`,
      peakMiB: Math.min(wantedMiB, ran.usableMiB * 0.99),
      peakAtMs: undefined,
      peakCompute: undefined,
      samples: 1440,
      coverageSeconds: 86_400,
      limitMiB: ran.usableMiB,
      device: ran.memorySlots === 8 ? ('whole' as const) : ('mig' as const),
      outOfMemory: outOfMemory && (days[day] ?? 0) > ran.usableMiB
    }
  })
}

function inputOf({ workload, blocks }: Actor, day: number, without: readonly Ablation[]): EstimatorInput {
  const history = (image: number): ContainerHistory => ({
    key: {
      namespace: 'bench',
      workload: { kind: 'Deployment', name: workload.name },
      container: 'main',
      gpuModel: '',
      image: `image-${image}`
    },
    blocks: (blocks[image] ?? [])
      .filter(({ pod }) => !without.includes('pooling') || pod.endsWith('-0'))
      .map((block) =>
        without.includes('censoring') ? { ...block, limitMiB: undefined, outOfMemory: false } : block
      )
  })
  return day >= workload.newImageDay
    ? { current: history(1), earlier: [history(0)] }
    : { current: history(0), earlier: [] }
}

function needOn({ needMiB }: KnownWorkload, day: number): number {
  return needMiB.reduce((most, days) => Math.max(most, days[day] ?? 0), 0)
}

function laterNeed(workload: KnownWorkload, day: number, horizonDays: number): number | undefined {
  if (day + horizonDays >= DAYS) return undefined
  const days = Array.from({ length: horizonDays }, (_, index) => needOn(workload, day + 1 + index))
  return Math.max(...days)
}
