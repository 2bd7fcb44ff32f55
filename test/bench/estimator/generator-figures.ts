import { defaultSettings, type EstimatorSettings } from '../../../src/core/usage/estimator/settings.ts'
import type { Figure } from '../report.ts'
import { DAYS, generate, type KnownWorkload, SHAPES } from './generator.ts'
import { CARDS, sizeAt, sizesOf, WHOLE_SLOTS } from './shares.ts'
import { type Ablation, type DayOutcome, simulate } from './simulate.ts'

/** The first fleet gives the figures; the others show how far they move. */
const SEEDS = [2026, 2027, 2028, 2029, 2030] as const
const WORKLOADS = 1000

/** Stated risks that are tried; the goal is about the default. */
const RISKS = [0.05, 0.02, 0.1] as const

const sizes = sizesOf(CARDS[1].id)

/** Workloads with known truth: whether the stated risk is kept, and what censoring, pooling and ladder are good for. */
export function benchGenerator(): readonly Figure[] {
  return [...riskFigures(), ...runFigures(generate(WORKLOADS, SEEDS[0]))]
}

/**
 * Estimates without the policy's own headroom, so that nothing but the learnt factor keeps the risk. Counted are decisions
 * that could have shrunk and whose whole horizon is known, by true need, also where a limit hid it.
 */
function riskFigures(): readonly Figure[] {
  return RISKS.flatMap((riskRatio) => {
    const runs = SEEDS.map((seed) => claimsOf(riskRatio, seed))
    const [first = []] = runs
    const distances = runs.map((claims) => Math.abs(passedRatio(claims) / riskRatio - 1))
    const matched = first.filter(({ estimate }) => estimate.confidence.isMatched)
    const name = `generator, stated risk ${percent(riskRatio)} %`
    return [
      { name: `${name}: observed`, value: passedRatio(first) * 100, unit: '%' },
      { name: `${name}: of those on equal histories`, value: passedRatio(matched) * 100, unit: '%' },
      {
        name: `${name}: furthest from it in ${SEEDS.length} fleets`,
        value: Math.max(...distances) * 100,
        unit: '% of it',
        comparison: '<=' as const,
        goal: 50
      },
      ...(riskRatio === defaultSettings.riskRatio ? shapeFigures(first) : [])
    ]
  })
}

function claimsOf(riskRatio: number, seed: number): readonly DayOutcome[] {
  const settings = { ...defaultSettings, riskRatio, headroomRatio: 0 }
  const workloads = generate(WORKLOADS, seed)
  const outcomes = simulate({ workloads, sizes, settings, without: [], applied: true, seed })
  return outcomes.filter(({ estimate }) => estimate.confidence.decisions > 0).filter(isClaim)
}

function shapeFigures(claims: readonly DayOutcome[]): readonly Figure[] {
  return SHAPES.map((shape) => {
    const some = claims.filter(({ workload }) => workload.shape === shape)
    return {
      name: `  ${shape}: observed of ${some.length}`,
      value: some.length === 0 ? 0 : passedRatio(some) * 100,
      unit: '%'
    }
  })
}

interface Run {
  readonly name: string
  readonly without: readonly Ablation[]
  readonly settings: EstimatorSettings
}

const fullRun: Run = { name: 'default policy', without: [], settings: defaultSettings }

/** Runs that leave a part out; the last one is what a maximum over a window does. */
const runs: readonly Run[] = [
  fullRun,
  ...(['censoring', 'pooling', 'ladder', 'learning'] as const).map(
    (part): Run => ({ name: `no ${part}`, without: [part], settings: defaultSettings })
  ),
  {
    name: 'plain maximum',
    without: ['censoring', 'ladder', 'learning'],
    settings: { ...defaultSettings, headroomRatio: 0 }
  }
]

/** The product's settings with slices applied: what happens to the workloads, with and without each part. */
function runFigures(workloads: readonly KnownWorkload[]): readonly Figure[] {
  return runs.flatMap((run) => {
    const outcomes = simulate({ workloads, sizes, ...run, applied: true, seed: SEEDS[0] })
    const name = `generator, ${run.name}`
    const goal = run === fullRun ? { comparison: '<=' as const, goal: 0 } : {}
    return [
      { name: `${name}: locked in`, value: lockedIn(outcomes).length, unit: 'workloads', ...goal },
      { name: `${name}: exits for want of memory`, value: exitsPer1000(outcomes), unit: '/1000 d' },
      { name: `${name}: days short of memory`, value: shortPer1000(outcomes), unit: '/1000 d' },
      {
        name: `${name}: later peak over estimate, from the first day on`,
        value: passedRatio(outcomes.filter(isClaim)) * 100,
        unit: '%'
      },
      { name: `${name}: GPU share on the last day`, value: shareOf(lastDay(outcomes)), unit: '' },
      ...(run === fullRun ? plainFigures(outcomes) : [])
    ]
  })
}

function plainFigures(outcomes: readonly DayOutcome[]): readonly Figure[] {
  const last = lastDay(outcomes)
  const oracle = last.map(({ workload }) => sizeAt(sizes, Math.max(...workload.needMiB.flat())))
  const claims = outcomes.filter(({ estimate }) => estimate.obstacle === undefined)
  const firstClaims = [...Map.groupBy(claims, ({ workload }) => workload).values()].map((days) => days[0])
  const shrunk = last.filter(({ held }) => held.memorySlots < WHOLE_SLOTS)
  return [
    {
      name: 'generator, oracle: GPU share on the last day',
      value: oracle.reduce((sum, { memorySlots }) => sum + memorySlots, 0) / (WHOLE_SLOTS * oracle.length),
      unit: ''
    },
    {
      name: 'generator, default policy: later peak over a learnt estimate',
      value:
        passedRatio(outcomes.filter(isClaim).filter(({ estimate }) => estimate.confidence.decisions > 0)) *
        100,
      unit: '%'
    },
    { name: 'generator, default policy: on a slice at the end', value: shrunk.length, unit: 'workloads' },
    {
      name: 'generator, default policy: ever allowed to shrink',
      value: firstClaims.length,
      unit: 'workloads'
    },
    {
      name: 'generator, default policy: reservations that were shrunk',
      value: shrunk.filter(({ workload }) => workload.shape === 'constant').length,
      unit: 'workloads',
      comparison: '<=',
      goal: 0
    },
    {
      name: 'generator, default policy: size changes',
      value: changesPerDay(outcomes),
      unit: '/workload d',
      comparison: '<=',
      goal: 0.2
    }
  ]
}

function isClaim({ estimate, laterMiB }: DayOutcome): boolean {
  return estimate.obstacle === undefined && laterMiB !== undefined
}

function passedRatio(claims: readonly DayOutcome[]): number {
  return claims.filter(({ estimate, laterMiB = 0 }) => laterMiB > estimate.neededMiB).length / claims.length
}

/**
 * Workloads that ran short of memory on two days or more at the size that is still in force at the end, with at least one
 * look after the second of them: nothing that the estimator saw made it go up.
 */
function lockedIn(outcomes: readonly DayOutcome[]): readonly KnownWorkload[] {
  return [...Map.groupBy(outcomes, ({ workload }) => workload)].flatMap(([workload, days]) => {
    const last = days.at(-1)
    const sinceChange = days.findLastIndex(({ held }) => held !== last?.held) + 1
    const short = days
      .slice(sinceChange)
      .filter(({ day, needMiB, held }) => day < DAYS - 1 && needMiB > held.usableMiB)
    return short.length >= 2 ? workload : []
  })
}

function shortPer1000(outcomes: readonly DayOutcome[]): number {
  const short = outcomes.filter(({ needMiB, ran, exits }) => needMiB > ran.usableMiB || exits > 0)
  return (short.length / outcomes.length) * 1000
}

function exitsPer1000(outcomes: readonly DayOutcome[]): number {
  return (outcomes.reduce((sum, { exits }) => sum + exits, 0) / outcomes.length) * 1000
}

function lastDay(outcomes: readonly DayOutcome[]): readonly DayOutcome[] {
  return outcomes.filter(({ day }) => day === DAYS - 1)
}

function shareOf(outcomes: readonly DayOutcome[]): number {
  return outcomes.reduce((sum, { held }) => sum + held.memorySlots, 0) / (WHOLE_SLOTS * outcomes.length)
}

function changesPerDay(outcomes: readonly DayOutcome[]): number {
  const changes = [...Map.groupBy(outcomes, ({ workload }) => workload).values()].map(
    (days) => days.filter(({ held }, index) => index > 0 && held !== days[index - 1]?.held).length
  )
  return changes.reduce((sum, count) => sum + count, 0) / outcomes.length
}

function percent(ratio: number): string {
  return String(Math.round(ratio * 100))
}
