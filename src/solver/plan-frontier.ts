import { boundByPrices, costOf, hasWholeCost, type IntegerProgram } from '../core/pack/integer-program.ts'
import { toMicros } from '../core/pack/to-micros.ts'
import { classesOf } from '../core/plan/frontier/classify.ts'
import { freedBy } from '../core/plan/frontier/freed.ts'
import {
  type Frontier,
  type FrontierPoint,
  findKnee,
  type NoFrontier,
  pointUnits
} from '../core/plan/frontier/frontier.ts'
import type { DrainObjective } from '../core/plan/frontier/gains.ts'
import { poolPerNode } from '../core/plan/frontier/pool-per-node.ts'
import { type DrainProgram, drainProgram, leastCost, mostGain } from '../core/plan/frontier/program.ts'
import { type ReadTarget, readTarget } from '../core/plan/frontier/read-target.ts'
import { refuseState } from '../core/plan/frontier/refuse-state.ts'
import { sortState } from '../core/plan/frontier/sort-state.ts'
import type { StateClasses } from '../core/plan/frontier/state-classes.ts'
import { moveCostSeconds, type PlanState } from '../core/plan/plan-state.ts'
import type { Target } from '../core/plan/target.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../ports/solver.ts'

/** What is asked of a state. */
export interface FrontierAsk {
  readonly state: PlanState
  readonly objective: DrainObjective
  /** How many points, from little to all. */
  readonly points: number
  /** Empty cards that are kept for exchanges. */
  readonly spares: readonly string[]
}

/** How far a bound may lie beside a whole number and still count as it. */
const TOLERANCE = 1e-6

/**
 * What can be freed at which cost: first the most, then the least cost of each part of it. All questions together have the time
 * limit, each as much as those after it; where one finds nothing in its time, the frontier says that a point is missing. The
 * same state gives the same frontier in whatever order it comes, as long as time does not end a question.
 * @throws what the solver throws
 */
export async function planFrontier(
  ask: FrontierAsk,
  solver: Solver,
  { timeLimitMs, signal }: SolveLimits
): Promise<Frontier | NoFrontier> {
  const sorted: FrontierAsk = { ...ask, state: sortState(ask.state), spares: ask.spares.toSorted() }
  const refusal = refuseState(sorted)
  if (refusal !== undefined) return refusal
  const cards = ask.state.nodes.reduce((sum, node) => sum + node.cards.length, 0)
  const share = shares(timeLimitMs, Math.min(ask.points, cards) + 1)
  const exact: FrontierAsk = { ...sorted, state: poolPerNode(sorted.state) }
  const search = new Search(exact, (asked) => solver.solve(asked, { timeLimitMs: share(), signal }))
  return inPools(await search.frontier(), sorted.state)
}

/** A pool that is a node of its own for the plan by the name that it has. */
function inPools(found: Frontier | NoFrontier, { nodes }: PlanState): Frontier | NoFrontier {
  if (found.kind !== 'no-host') return found
  return { ...found, pool: nodes.find(({ id }) => id === found.pool)?.pool ?? found.pool }
}

/** Shares of what is left of the time, ms: what one question leaves the others have. */
function shares(timeLimitMs: number, questions: number): () => number {
  const endMs = performance.now() + timeLimitMs
  let left = questions
  return () => Math.max(0, endMs - performance.now()) / Math.max(1, left--)
}

type Solved = Extract<SolverAnswer, { readonly kind: 'solved' }>

/** The most units that a plan was found to free, and that any could. */
interface Most {
  readonly units: number
  readonly bound: number
  readonly values: readonly number[]
}

/** A point, or why there is none. */
type Found =
  | { readonly kind: 'point'; readonly point: FrontierPoint }
  | { readonly kind: 'out-of-time' }
  | Exclude<ReadTarget, { readonly kind: 'target' }>

/** Nothing has to be moved, and what was found to free the most can be freed: a solver that denies it is wrong. */
const denied = { kind: 'wrong-answer', broken: ['infeasible'] } as const

/** Kinds of a state and its program. */
interface Model {
  readonly classes: StateClasses
  readonly program: DrainProgram
}

function modelOf(
  { state, objective, spares }: FrontierAsk,
  { isCautious }: { readonly isCautious: boolean }
): Model {
  const classes = classesOf(state, { freesNodes: objective !== 'gpus', spares: new Set(spares), isCautious })
  return { classes, program: drainProgram({ state, classes, objective, isCautious }) }
}

/** One frontier that is being found. */
class Search {
  readonly #ask: FrontierAsk
  readonly #solve: (program: IntegerProgram) => Promise<SolverAnswer>
  readonly #exact: Model
  #cautious: Model | undefined

  constructor(ask: FrontierAsk, solve: (program: IntegerProgram) => Promise<SolverAnswer>) {
    this.#ask = ask
    this.#solve = solve
    this.#exact = modelOf(ask, { isCautious: false })
  }

  async frontier(): Promise<Frontier | NoFrontier> {
    const most = await this.#findMost()
    if ('kind' in most) return most
    const found = await this.#findAll(most.units, most.values)
    const isUnseated = found.every(({ kind }) => kind === 'no-host') && found.length > 0
    const all = isUnseated
      ? [...found, ...(await this.#findAll(await this.#cautiousMost(), undefined))]
      : found
    const points = rising(all.flatMap((entry) => (entry.kind === 'point' ? [entry.point] : [])))
    const wrong = all.find((entry) => entry.kind === 'wrong-answer')
    const unseated = points.length > 0 ? undefined : all.find((entry) => entry.kind === 'no-host')
    const isComplete = all.every(({ kind }) => kind === 'point')
    return wrong ?? unseated ?? this.#frontierOf(most, points, isComplete)
  }

  async #findAll(mostUnits: number, fallback: readonly number[] | undefined): Promise<readonly Found[]> {
    const found: Found[] = []
    for (const units of pointUnits(mostUnits, this.#ask.points))
      found.push(await this.#findPoint(units, units === mostUnits ? fallback : undefined))
    return found
  }

  /** Units that can be freed when less is counted on than all nodes of a pool have together. */
  async #cautiousMost(): Promise<number> {
    const asked = mostGain(this.#cautiousModel().program)
    const answer = await this.#solve(asked)
    return answer.kind === 'solved' ? Math.max(0, Math.round(-costOf(asked, answer.values))) : 0
  }

  async #findMost(): Promise<Most | Extract<NoFrontier, { readonly kind: 'undecided' | 'wrong-answer' }>> {
    const { program } = this.#exact
    const asked = mostGain(program)
    const answer = await this.#solve(asked)
    if (answer.kind === 'infeasible') return denied
    const byPrices = boundByPrices(asked, answer.prices)
    if (answer.kind !== 'solved') return { kind: 'undecided', mostBound: toMicros(-byPrices * program.unit) }
    const read = this.#read(this.#exact, asked, answer.values)
    if (read.kind === 'wrong-answer') return read
    const units = Math.max(0, Math.round(-costOf(asked, answer.values)))
    const bound = Math.floor(TOLERANCE - Math.max(answer.bound, byPrices))
    return { units, bound: Math.max(units, bound), values: answer.values }
  }

  /**
   * The least cost at which so many units are freed. Where no single node has what a pod needs, nodes are asked once more for
   * less than they have; the bound stays that of all they have.
   * @param fallback values that free as much, at whatever cost, for when time is up
   */
  async #findPoint(units: number, fallback: readonly number[] | undefined): Promise<Found> {
    const exact = leastCost(this.#exact.program, units)
    const said = await this.#solve(exact)
    const answer = said.kind === 'out-of-time' && fallback !== undefined ? unproved(fallback, said) : said
    if (answer.kind === 'infeasible') return denied
    if (answer.kind !== 'solved') return { kind: 'out-of-time' }
    const proof = proofOf(exact, answer)
    const read = this.#read(this.#exact, exact, answer.values)
    if (read.kind === 'target') return { kind: 'point', point: pointOf(this.#ask, read.target, proof) }
    return read.kind === 'no-host' ? this.#findCautiously(units, proof, read) : read
  }

  async #findCautiously(units: number, proof: Proof, unseated: Found): Promise<Found> {
    const model = this.#cautiousModel()
    const asked = leastCost(model.program, units)
    const answer = await this.#solve(asked)
    if (answer.kind !== 'solved') return unseated
    const read = this.#read(model, asked, answer.values)
    return read.kind === 'target' ? { kind: 'point', point: pointOf(this.#ask, read.target, proof) } : read
  }

  #cautiousModel(): Model {
    this.#cautious ??= modelOf(this.#ask, { isCautious: true })
    return this.#cautious
  }

  /** Checks an answer against all that was asked, with what is to be freed. */
  #read({ classes, program }: Model, { rows }: IntegerProgram, values: readonly number[]): ReadTarget {
    return readTarget({ state: this.#ask.state, classes, program: { ...program, rows } }, values)
  }

  #frontierOf(most: Most, points: readonly FrontierPoint[], isComplete: boolean): Frontier {
    const { unit } = this.#exact.program
    const found = points.at(-1)?.freed ?? 0
    return {
      kind: 'frontier',
      objective: this.#ask.objective,
      most: found,
      mostBound: Math.max(found, toMicros(most.bound * unit)),
      points,
      knee: findKnee(points),
      isComplete
    }
  }
}

/** Without points that free no more than one before. */
function rising(points: readonly FrontierPoint[]): readonly FrontierPoint[] {
  return points.filter(({ freed }, index) => points.slice(0, index).every((before) => before.freed < freed))
}

function unproved(values: readonly number[], { prices }: Pick<Solved, 'prices'>): Solved {
  return { kind: 'solved', values, prices, bound: 0 }
}

/** What a plan costs at least, and what shows it. */
interface Proof {
  readonly boundSeconds: number
  readonly by: 'prices' | 'solver'
}

function proofOf(asked: IntegerProgram, { bound, prices }: Solved): Proof {
  const proved = boundByPrices(asked, prices)
  const told = hasWholeCost(asked) ? Math.ceil(bound - TOLERANCE) : bound
  return { boundSeconds: Math.max(0, proved, told), by: proved >= told ? 'prices' : 'solver' }
}

function pointOf({ state, objective }: FrontierAsk, target: Target, proof: Proof): FrontierPoint {
  const moved = new Set(target.moves.map(({ pod }) => pod))
  const costSeconds = state.pods
    .filter(({ id }) => moved.has(id))
    .reduce((sum, pod) => sum + moveCostSeconds(pod), 0)
  const boundSeconds = Math.min(costSeconds, proof.boundSeconds)
  return {
    freed: freedBy(state, target, objective),
    movedPods: moved.size,
    costSeconds,
    boundSeconds,
    gapRatio: costSeconds === 0 ? 0 : (costSeconds - boundSeconds) / costSeconds,
    provedBy: Math.abs(proof.boundSeconds - costSeconds) <= TOLERANCE ? proof.by : 'none',
    target
  }
}
