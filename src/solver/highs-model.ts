import type { Highs, Model, ModelData } from 'highs'
import { AppError } from '../core/errors.ts'
import { hasWholeCost, type IntegerProgram } from '../core/pack/integer-program.ts'
import type { SolverAnswer } from '../ports/solver.ts'

/** Costs that are whole differ by 1 at least, so an answer this near to the bound is the best. */
const WHOLE_COST_GAP = 0.999

/**
 * Solves a program with HiGHS: first in parts, for prices and a first bound, then in whole numbers. HiGHS by default ends
 * within a gap of 0.01 %, which is a GPU too many now and then; here it ends when there is none.
 * @throws AppError SOLVER_FAILED when HiGHS ends with neither an answer, nor that there is none, nor that time is up
 * @source https://ergo-code.github.io/HiGHS/dev/options/definitions/
 */
export function solveWithHighs(highs: Highs, program: IntegerProgram, timeLimitMs: number): SolverAnswer {
  if (program.columns.length === 0) return solveEmpty(program)
  const startMs = performance.now()
  return highs.withModel(modelData(highs, program), (model): SolverAnswer => {
    model.options.set({ output_flag: false, random_seed: 0, time_limit: timeLimitMs / 1000 })
    model.options.set({ mip_rel_gap: 0, mip_abs_gap: hasWholeCost(program) ? WHOLE_COST_GAP : 1e-6 })
    model.options.set('solve_relaxation', true)
    model.run()
    const relaxed = readEnd(highs, model)
    if (relaxed === 'infeasible') return { kind: 'infeasible' }
    const prices = relaxed === 'optimal' ? [...model.getSolution().rowDual] : program.rows.map(() => 0)
    const leftMs = timeLimitMs - (performance.now() - startMs)
    if (relaxed === 'timeLimit' || leftMs <= 0) return { kind: 'out-of-time', prices }
    model.options.set({ solve_relaxation: false, time_limit: leftMs / 1000 })
    model.run()
    const end = readEnd(highs, model)
    if (end === 'infeasible') return { kind: 'infeasible' }
    if (end === 'timeLimit' && !hasAnswer(model)) return { kind: 'out-of-time', prices }
    const bound = Number(model.info.get('mip_dual_bound'))
    return { kind: 'solved', values: [...model.getSolution().colValue], bound, prices }
  })
}

/** How a run ended, where that says something of the program. */
function readEnd(
  { constants }: Pick<Highs, 'constants'>,
  model: Pick<Model, 'getModelStatus'>
): 'optimal' | 'infeasible' | 'timeLimit' {
  const status = model.getModelStatus()
  const { modelStatus } = constants
  if (status === modelStatus.optimal) return 'optimal'
  if (status === modelStatus.infeasible) return 'infeasible'
  if (status === modelStatus.timeLimit) return 'timeLimit'
  const name = Object.entries(modelStatus).find(([, code]) => code === status)?.[0]
  throw new AppError('SOLVER_FAILED', `the run ended with status ${name ?? status}`)
}

function solveEmpty({ rows }: IntegerProgram): SolverAnswer {
  const isMet = rows.every(({ least = 0, most = 0 }) => least <= 0 && most >= 0)
  return isMet ? { kind: 'solved', values: [], bound: 0, prices: rows.map(() => 0) } : { kind: 'infeasible' }
}

/** HiGHS counts 0 for none, 1 for one that breaks a limit, 2 for one that keeps all. */
function hasAnswer({ info }: Pick<Model, 'info'>): boolean {
  return Number(info.get('primal_solution_status')) === 2
}

function modelData({ infinity, constants }: Highs, { columns, rows }: IntegerProgram): ModelData {
  const starts = [0]
  for (const { terms } of rows) starts.push((starts.at(-1) ?? 0) + terms.length)
  const entries = rows.flatMap(({ terms }) => terms)
  const { continuous, integer } = constants.variableType
  return {
    numCols: columns.length,
    numRows: rows.length,
    colCost: columns.map(({ cost }) => cost),
    colLower: columns.map(() => 0),
    colUpper: columns.map(({ most }) => most),
    rowLower: rows.map(({ least }) => least ?? -infinity),
    rowUpper: rows.map(({ most }) => most ?? infinity),
    integrality: columns.map(({ isWhole }) => (isWhole ? integer : continuous)),
    matrix: {
      format: 'csr',
      numRows: rows.length,
      numCols: columns.length,
      starts,
      indices: entries.map(([column]) => column),
      values: entries.map(([, weight]) => weight)
    }
  }
}
