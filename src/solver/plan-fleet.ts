import type { Fleet, NoFleetPlan } from '../core/pack/fleet.ts'
import { type FleetPlan, readFleetPlan, readLeft } from '../core/pack/fleet-plan.ts'
import { fleetProgram } from '../core/pack/fleet-program.ts'
import { boundByPrices } from '../core/pack/integer-program.ts'
import { refuseFleet } from '../core/pack/refuse-fleet.ts'
import type { SolveLimits, Solver } from '../ports/solver.ts'

/**
 * Where the workloads of a fleet run at the least cost, or what stands in the way. The solver is asked once, and once more
 * for what stays outside when not all find room; each time it has the whole limit.
 * @throws what the solver throws
 */
export async function planFleet(
  fleet: Fleet,
  solver: Solver,
  limits: SolveLimits
): Promise<FleetPlan | NoFleetPlan> {
  const sorted: Fleet = {
    ...fleet,
    pools: fleet.pools.toSorted((a, b) => compare(a.cards.id, b.cards.id)),
    workloads: fleet.workloads.toSorted((a, b) => compare(a.id, b.id))
  }
  const refusal = refuseFleet(sorted)
  if (refusal !== undefined) return refusal
  const asked = fleetProgram(sorted, { mayLeave: false })
  const answer = await solver.solve(asked.program, limits)
  switch (answer.kind) {
    case 'solved':
      return readFleetPlan(asked, answer)
    case 'out-of-time':
      return {
        kind: 'undecided',
        bound: Math.max(0, boundByPrices(asked.program, answer.prices)) * asked.unit
      }
    case 'infeasible':
      return tellLeft(sorted, solver, limits)
  }
}

async function tellLeft(fleet: Fleet, solver: Solver, limits: SolveLimits): Promise<NoFleetPlan> {
  const asked = fleetProgram(fleet, { mayLeave: true })
  const answer = await solver.solve(asked.program, limits)
  return answer.kind === 'solved' ? readLeft(asked, answer) : { kind: 'no-room', left: [] }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
