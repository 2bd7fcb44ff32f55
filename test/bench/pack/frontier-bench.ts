import type { Frontier, FrontierPoint } from '../../../src/core/plan/frontier/frontier.ts'
import type { DrainObjective } from '../../../src/core/plan/frontier/gains.ts'
import type { PlanState } from '../../../src/core/plan/plan-state.ts'
import { HighsSolver } from '../../../src/solver/highs-solver.ts'
import { planFrontier } from '../../../src/solver/plan-frontier.ts'
import { modelOf, plainNames, siteOf } from '../../core/pack/instances.ts'
import { faultsOfTarget } from '../../core/plan/frontier/target-by-hand.ts'
import type { Figure } from '../report.ts'
import { busyGpus, POOL } from './busy-gpus.ts'
import { asksOf, packChecked } from './checked-packing.ts'
import { type Drain, type DrainStep, drainGreedily } from './greedy-drain.ts'

const SEED = 3
const NODES = 1000
const PODS = 10_000
const TIME_LIMIT_MS = 60_000
const MOST_RESTART_SECONDS = 120

/** Weights of 1g, 1g with double memory, 2g, 3g, 4g and 7g among pods. */
const mixes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'small ones': { '1g.10gb': 40, '1g.20gb': 15, '2g.20gb': 25, '3g.40gb': 15, '4g.40gb': 3, '7g.80gb': 2 },
  'all but whole ones': { '1g.10gb': 1, '1g.20gb': 1, '2g.20gb': 1, '3g.40gb': 1, '4g.40gb': 1 },
  '1g and 3g': { '1g.10gb': 60, '3g.40gb': 40 }
}

/** What can be freed at which cost on 1,000 nodes with eight GPUs each, beside a greedy drain. */
export async function benchFrontier(): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, mix] of Object.entries(mixes)) {
    const state = busyGpus({ seed: SEED, nodes: NODES, pods: PODS, mix })
    figures.push(...(await figuresOf(`frontier, ${name}`, state)))
  }
  const small = { seed: SEED, nodes: NODES, pods: PODS, mix: mixes['small ones'] ?? {} }
  const unlike = busyGpus({ ...small, mostRestartSeconds: MOST_RESTART_SECONDS })
  const nodes = await solve(busyGpus(small), { objective: 'nodes', points: 10 })
  return [
    ...figures,
    ...(await unlikeFigures('frontier, small ones that restart in 5 to 120 s', unlike)),
    { name: 'frontier of nodes: most nodes freed', value: nodes.frontier.most, unit: '' },
    { name: 'frontier of nodes: ten points, start of the solver included', value: nodes.seconds, unit: 's' },
    { name: 'frontier of nodes: largest gap', value: largestGap(nodes.frontier) * 100, unit: '%' }
  ]
}

/** Pods that do not cost the same: what three quarters of the saving cost, in seconds of replicas that do not serve. */
async function unlikeFigures(name: string, state: PlanState): Promise<readonly Figure[]> {
  const { frontier, seconds } = await solve(state, { objective: 'gpus', points: 4 })
  const point = frontier.points[2]
  if (point === undefined) throw new Error(`${name}: a point is missing`)
  return [
    { name: `${name}: four points, start of the solver included`, value: seconds, unit: 's' },
    { name: `${name}: largest gap`, value: largestGap(frontier) * 100, unit: '%' },
    { name: `${name}: cost of three quarters`, value: point.costSeconds, unit: 'replica s' },
    ...drains.map((drain) => {
      const steps = drainGreedily(state, drain)
      const cost = steps.find((step) => step.freed >= point.freed)?.costSeconds ?? Infinity
      return {
        name: `${name}: ${nameOf(drain)}, dearer by`,
        value: (cost / point.costSeconds - 1) * 100,
        unit: '%'
      }
    })
  ]
}

const fits = ['first fit', 'best fit', 'spread'] as const

const drains = (['least loaded', 'cheapest'] as const).flatMap((next) =>
  fits.map((fit): Drain => ({ next, fit }))
)

function nameOf({ next, fit }: Drain): string {
  return `greedy drain, ${next} first, ${fit}`
}

async function figuresOf(name: string, state: PlanState): Promise<readonly Figure[]> {
  const ten = await solve(state, { objective: 'gpus', points: 10 })
  const { frontier } = await solve(state, { objective: 'gpus', points: 4 })
  const [, , threeQuarters, most] = frontier.points
  const knee = ten.frontier.points[ten.frontier.knee ?? -1]
  if (threeQuarters === undefined || most === undefined || knee === undefined)
    throw new Error(`${name}: points are missing`)
  const inUse = state.nodes
    .flatMap(({ cards }) => cards)
    .filter(({ instances }) => instances.length > 0).length
  return [
    { name: `${name}: GPUs in use`, value: inUse, unit: '' },
    { name: `${name}: GPUs freed at most`, value: most.freed, unit: '' },
    { name: `${name}: GPUs in use less the fewest that hold all`, value: inUse - fewest(state), unit: '' },
    { name: `${name}: pods moved for all of it`, value: most.movedPods, unit: '' },
    { name: `${name}: GPUs freed at the knee`, value: knee.freed, unit: '' },
    { name: `${name}: pods moved for the knee`, value: knee.movedPods, unit: '' },
    {
      name: `${name}: ten points, start of the solver included`,
      value: ten.seconds,
      unit: 's',
      comparison: '<=',
      goal: 2
    },
    {
      name: `${name}: largest gap`,
      value: largestGap(ten.frontier) * 100,
      unit: '%',
      comparison: '<=',
      goal: 0
    },
    { name: `${name}: GPUs freed for three quarters`, value: threeQuarters.freed, unit: '' },
    { name: `${name}: pods moved for three quarters`, value: threeQuarters.movedPods, unit: '' },
    ...drains.flatMap((drain) =>
      besideGreedy(`${name}: ${nameOf(drain)}`, threeQuarters, drainGreedily(state, drain))
    )
  ]
}

/** How far a greedy drain gets, and how many more pods it moves for as many GPUs. */
function besideGreedy(
  name: string,
  { freed, movedPods }: FrontierPoint,
  steps: readonly DrainStep[]
): readonly Figure[] {
  const moved = steps.find((step) => step.freed >= freed)?.movedPods ?? Infinity
  return [
    { name: `${name}, pods moved for as many`, value: moved, unit: '' },
    {
      name: `${name}, fewer are moved here`,
      value: (1 - movedPods / moved) * 100,
      unit: '%',
      comparison: '>=',
      goal: 15
    },
    { name: `${name}, GPUs freed at most`, value: steps.length, unit: '' }
  ]
}

interface Asked {
  readonly objective: DrainObjective
  readonly points: number
}

/** A frontier with every target checked by rules written down twice, and how long it took without the checks. */
async function solve(
  state: PlanState,
  { objective, points }: Asked
): Promise<{ readonly frontier: Frontier; readonly seconds: number }> {
  const solver = new HighsSolver()
  const limits = { timeLimitMs: TIME_LIMIT_MS, signal: new AbortController().signal }
  const startMs = performance.now()
  const frontier = await planFrontier({ state, objective, points, spares: [] }, solver, limits)
  const seconds = (performance.now() - startMs) / 1000
  await solver.close()
  if (frontier.kind !== 'frontier') throw new Error(`no frontier: ${frontier.kind}`)
  const faults = frontier.points.flatMap(({ target }) => faultsOfTarget(state, target))
  if (faults.length > 0) throw new Error(`a plan does not hold: ${faults.slice(0, 5).join('; ')}`)
  return { frontier, seconds }
}

function largestGap({ points, isComplete }: Frontier): number {
  return isComplete ? Math.max(0, ...points.map(({ gapRatio }) => gapRatio)) : 1
}

/** GPUs that hold all pods when nothing is where it is. */
function fewest({ pods }: PlanState): number {
  const model = modelOf(POOL)
  const asks = asksOf(pods.map(({ slots }) => slots[POOL] ?? ''))
  return packChecked(siteOf(model, plainNames(model), {}), asks).packing.gpus
}
