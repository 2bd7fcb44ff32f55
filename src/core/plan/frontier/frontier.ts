import type { Target } from '../target.ts'
import type { DrainObjective } from './gains.ts'
import type { NoState } from './refuse-state.ts'

/** One way to free something: how much, at what cost, and what proves that it costs no less. */
export interface FrontierPoint {
  /** GPUs, nodes, or USD an hour. */
  readonly freed: number
  readonly movedPods: number
  /** In seconds in which one replica does not serve. */
  readonly costSeconds: number
  /** What every plan costs at least that frees as much, and empties a card whole or leaves all its pods. */
  readonly boundSeconds: number
  /** The part of the cost that a better plan might save at most; 0 where there is none. */
  readonly gapRatio: number
  /**
   * `prices`: row prices that anybody can check prove it; `solver`: a search proved it; `none`: nothing does, also where it costs
   * less than any plan that empties cards whole, for some pods then keep their seats.
   */
  readonly provedBy: 'prices' | 'solver' | 'none'
  readonly target: Target
}

/** What can be freed at which cost, from little to all. */
export interface Frontier {
  readonly kind: 'frontier'
  readonly objective: DrainObjective
  /** Most that a plan was found to free, and most that any could that empties a card whole or leaves all its pods. */
  readonly most: number
  readonly mostBound: number
  /** In the order of what they free; each frees more than the one before. */
  readonly points: readonly FrontierPoint[]
  /** Index of the point that is offered: where more is still had cheaply. undefined where there is no point. */
  readonly knee: number | undefined
  /** False where time was up before all points were found. */
  readonly isComplete: boolean
}

/** Why there is no frontier. */
export type NoFrontier =
  | NoState
  /** Time was up before anything was found; no plan frees more than this. */
  | { readonly kind: 'undecided'; readonly mostBound: number }
  /** The answer of the solver breaks these conditions. */
  | { readonly kind: 'wrong-answer'; readonly broken: readonly string[] }
  /** No way was found to give every pod a node with the CPU and memory for it, though all together have it; this pod was left. */
  | { readonly kind: 'no-host'; readonly pod: string; readonly pool: string }

/** What decides where the knee is. */
type Measured = Pick<FrontierPoint, 'freed' | 'costSeconds'>

/**
 * The point that lies furthest above the line from nothing to the last point: up to it a part of the saving costs less than its
 * share of the whole cost, past it more. Of equals the one that frees most.
 * @returns its index; undefined where there is no point
 * @example points of 25, 50, 75 and 100 freed that cost 25, 50, 75 and 140: the third
 */
export function findKnee(points: readonly Measured[]): number | undefined {
  const last = points.at(-1)
  if (last === undefined) return undefined
  const above = points.map(({ freed, costSeconds }) => {
    return ratioOf(freed, last.freed) - ratioOf(costSeconds, last.costSeconds)
  })
  const highest = Math.max(...above)
  return above.findLastIndex((height) => height >= highest - TOLERANCE)
}

/** Heights this near to each other are equal. */
const TOLERANCE = 1e-9

function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/**
 * Units that the points of a frontier free at least: equal parts of the most, without repetition.
 * @example 10 points of 3: 1, 2, 3
 */
export function pointUnits(mostUnits: number, points: number): readonly number[] {
  const length = Math.min(points, mostUnits)
  const parts = Array.from({ length }, (_, index) => Math.round((mostUnits * (index + 1)) / length))
  return [...new Set(parts)].filter((units) => units > 0)
}
