import type { IntegerProgram } from '../core/pack/integer-program.ts'

/** When a solver has to stop. */
export interface SolveLimits {
  /** Counted from the call, ms; the answer is then the best that was found. Below zero is none, infinity no limit. */
  readonly timeLimitMs: number
  readonly signal: AbortSignal
}

/** What a solver found. Nothing of it needs to be believed: values and prices can be checked by the program. */
export type SolverAnswer =
  | {
      readonly kind: 'solved'
      /** By column. */
      readonly values: readonly number[]
      /** What the solver says that every answer costs at least. */
      readonly bound: number
      /** By row: prices of the program whose columns may be taken in parts. */
      readonly prices: readonly number[]
    }
  | { readonly kind: 'infeasible' }
  /** Time was up before any answer was found. */
  | { readonly kind: 'out-of-time'; readonly prices: readonly number[] }

/** Solves programs in whole numbers. */
export interface Solver {
  /**
   * The least cost of the program, or the best that was found in time.
   * @throws AppError SOLVER_FAILED when the solver breaks off, or the limit is no number; the signal's reason when it is aborted
   */
  readonly solve: (program: IntegerProgram, limits: SolveLimits) => Promise<SolverAnswer>
}
