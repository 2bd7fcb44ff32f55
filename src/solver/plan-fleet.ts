import { compareText } from '../core/compare-text.ts'
import type { Fleet, NoFleetPlan } from '../core/pack/fleet.ts'
import { type FleetPlan, readFleetPlan, readLeft } from '../core/pack/fleet-plan.ts'
import { fleetProgram } from '../core/pack/fleet-program.ts'
import { boundByPrices, type IntegerProgram } from '../core/pack/integer-program.ts'
import { refuseFleet } from '../core/pack/refuse-fleet.ts'
import { toMicros } from '../core/pack/to-micros.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../ports/solver.ts'

/**
 * Where the workloads of a fleet run at the least cost, or what stands in the way. The solver is asked once, and once more
 * for what stays outside when not all find room; that question has what the first left of the limit.
 * @throws what the solver throws
 */
export async function planFleet(
  fleet: Fleet,
  solver: Solver,
  { timeLimitMs, signal }: SolveLimits
): Promise<FleetPlan | NoFleetPlan> {
  const sorted: Fleet = {
    ...fleet,
    pools: fleet.pools.toSorted((a, b) => compareText(a.cards.id, b.cards.id)),
    workloads: fleet.workloads.toSorted((a, b) => compareText(a.id, b.id))
  }
  const refusal = refuseFleet(sorted)
  if (refusal !== undefined) return refusal
  const startMs = performance.now()
  const asked = fleetProgram(sorted, { mayLeave: false })
  const answer = await solver.solve(asked.program, { timeLimitMs, signal })
  switch (answer.kind) {
    case 'solved':
      return readFleetPlan(asked, answer)
    case 'out-of-time':
      return {
        kind: 'undecided',
        bound: toMicros(Math.max(0, boundByPrices(asked.program, answer.prices)) * asked.unit)
      }
    case 'infeasible':
      return tellLeft(sorted, (program) => {
        const leftMs = Math.max(0, timeLimitMs - (performance.now() - startMs))
        return solver.solve(program, { timeLimitMs: leftMs, signal })
      })
  }
}

async function tellLeft(
  fleet: Fleet,
  solve: (program: IntegerProgram) => Promise<SolverAnswer>
): Promise<NoFleetPlan> {
  const asked = fleetProgram(fleet, { mayLeave: true })
  const answer = await solve(asked.program)
  switch (answer.kind) {
    case 'solved':
      return readLeft(asked, answer)
    case 'out-of-time': {
      const byPrices = boundByPrices(asked.program, answer.prices)
      const provedBy = byPrices >= 1 ? 'prices' : 'solver'
      return { kind: 'left-undecided', leftBound: Math.max(1, byPrices), provedBy }
    }
    // All may stay outside, so that is never true.
    case 'infeasible':
      return { kind: 'wrong-answer', broken: ['infeasible'] }
  }
}
