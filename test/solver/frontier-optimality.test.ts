import t from 'tap'
import type { FrontierPoint } from '../../src/core/plan/frontier/frontier.ts'
import type { DrainObjective } from '../../src/core/plan/frontier/gains.ts'
import { makePlan } from '../../src/core/plan/plan.ts'
import type { PlanState } from '../../src/core/plan/plan-state.ts'
import { HighsSolver } from '../../src/solver/highs-solver.ts'
import { planFrontier } from '../../src/solver/plan-frontier.ts'
import { randomFrom } from '../bench/estimator/random.ts'
import { FrontierByHand } from '../core/plan/frontier/frontier-by-hand.ts'
import { randomState } from '../core/plan/frontier/small-states.ts'
import { faultsOfTarget } from '../core/plan/frontier/target-by-hand.ts'

/** The steps of a point: they cost what the point says, and as much gets free. */
function faultsOfPlan(state: PlanState, { target, costSeconds }: FrontierPoint): readonly string[] {
  const { totals } = makePlan(state, target, { spares: [], settings: {}, hashOf: (text) => text })
  return [
    ...(totals.costReplicaSeconds === costSeconds ? [] : [`${totals.costReplicaSeconds} in the plan`]),
    ...(totals.gpusFreed === target.freedCards.length ? [] : [`${totals.gpusFreed} GPUs are freed`])
  ]
}

/** More of them by hand: `FRONTIER_INSTANCES=10000` takes some minutes. */
const INSTANCES = Number(process.env['FRONTIER_INSTANCES'] ?? 300)
const solver = new HighsSolver()
const limits = { timeLimitMs: 60_000, signal: new AbortController().signal }
t.setTimeout(180_000)
t.teardown(() => solver.close())

t.test(
  `[PLAN3] every point costs as little as trying all there is, in ${INSTANCES} small states of all families`,
  async (t) => {
    const { uniform } = randomFrom(8)
    const objectives: readonly DrainObjective[] = ['gpus', 'nodes', 'price']
    let points = 0
    let cheaper = 0 // who would come back to the same seat stays, which trying does not know

    for (let index = 0; index < INSTANCES; index++) {
      const state = randomState(uniform, index, { hasCpu: false })
      const objective = objectives[index % 3] ?? 'gpus'
      const brute = new FrontierByHand(state, objective)
      const most = brute.most()
      const got = await planFrontier({ state, objective, points: 6, spares: [] }, solver, limits)
      if (got.kind !== 'frontier') return t.fail('no frontier', { got, state })
      const faults = got.points.flatMap((point) => [
        ...faultsOfTarget(state, point.target),
        ...faultsOfPlan(state, point),
        ...(point.costSeconds <= brute.costOf(point.freed)
          ? []
          : [`${point.freed} for ${point.costSeconds}, not ${brute.costOf(point.freed)}`]),
        ...(point.provedBy === 'none' && point.costSeconds >= brute.costOf(point.freed) ? ['not proved'] : [])
      ])
      points += got.points.length
      cheaper += got.points.filter(({ freed, costSeconds }) => costSeconds < brute.costOf(freed)).length
      if (got.most !== most || got.mostBound !== most || faults.length > 0)
        return t.fail('another frontier than by hand', { faults, most, got, state, objective, index })
      if (most > 0 && got.points.at(-1)?.freed !== most)
        return t.fail('the last point is not the most', { got, state })
    }

    t.ok(cheaper < points / 20, `${cheaper} of them cost even less`)
    return t.ok(points > INSTANCES / 2, `${points} points`)
  }
)

t.test(
  `[PLAN8] CPU that runs out costs more or frees less, in ${INSTANCES} small states, and no node is overfull`,
  async (t) => {
    const { uniform } = randomFrom(9)
    let points = 0
    let cheaper = 0 // who would come back to the same seat stays, which trying does not know

    for (let index = 0; index < INSTANCES; index++) {
      const state = randomState(uniform, index, { hasCpu: true })
      const brute = new FrontierByHand(state, 'gpus')
      const got = await planFrontier({ state, objective: 'gpus', points: 6, spares: [] }, solver, limits)
      if (got.kind !== 'frontier') return t.fail('no frontier', { got, state })
      const faults = got.points.flatMap((point) => [
        ...faultsOfTarget(state, point.target),
        ...(point.boundSeconds <= point.costSeconds ? [] : ['a bound above the cost']),
        ...(point.freed <= brute.most() ? [] : ['more is freed than can be']),
        ...(point.provedBy === 'none' && point.costSeconds >= brute.costOf(point.freed) ? ['not proved'] : [])
      ])
      points += got.points.length
      cheaper += got.points.filter(({ freed, costSeconds }) => costSeconds < brute.costOf(freed)).length
      if (faults.length > 0) return t.fail('a plan does not hold', { faults, got, state, index })
    }

    t.ok(cheaper < points / 20, `${cheaper} of them cost even less`)
    return t.ok(points > INSTANCES / 8, `${points} points`)
  }
)
