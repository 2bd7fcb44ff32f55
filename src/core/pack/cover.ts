import { type CoveringColumn, type CoveringProgram, reachOf } from './covering-program.ts'
import { relax } from './dual-simplex.ts'

/** Prices of rows over a denominator that prove a bound; with denominator 0 they prove that nothing reaches the demand. */
export interface RowPrices {
  readonly denominator: number
  readonly prices: readonly number[]
}

/**
 * Counts of columns that reach the demand, and what is proved of them: `bound` is the least that any answer costs.
 * `byPrices` is given where the prices alone prove the bound; else the search proved it.
 */
export type Cover =
  | {
      readonly kind: 'covered'
      readonly counts: readonly number[]
      readonly cost: number
      readonly bound: number
      readonly byPrices: RowPrices | undefined
      /** Relaxations that were solved. */
      readonly steps: number
    }
  | { readonly kind: 'no-cover'; readonly byPrices: RowPrices | undefined; readonly steps: number }
  | { readonly kind: 'undecided'; readonly bound: number; readonly steps: number }

/**
 * Takes whole columns at the least cost so that the demand is reached. The relaxation, rounded down, leaves a small
 * rest; covering that rest exactly reaches the relaxation's cost rounded up in all but rare cases, and that proves both.
 * Where it does not, branch and bound goes on over the whole program, for `maxSteps` relaxations.
 * Counts of columns that may be taken in parts are left out of the answer.
 */
export function cover(program: CoveringProgram, maxSteps: number): Cover {
  const root = relax(program)
  if (root.kind === 'no-cover') {
    return { kind: 'no-cover', byPrices: { denominator: 0, prices: root.prices }, steps: 1 }
  }
  if (root.kind === 'too-large') return { kind: 'undecided', bound: 0, steps: 1 }
  const bound = Math.ceil(root.cost / root.denominator)
  const base = wholeCounts(program, (index) => Math.floor((root.counts[index] ?? 0) / root.denominator))
  const search = new Search(program, { bound, maxSteps })
  search.run(base)
  if (!search.isDone) search.run(base.map(() => 0))
  return search.result({ denominator: root.denominator, prices: root.prices })
}

function wholeCounts({ columns }: CoveringProgram, count: (index: number) => number): number[] {
  return columns.map(({ isWhole }, index) => (isWhole ? count(index) : 0))
}

function costOf(columns: readonly CoveringColumn[], counts: readonly number[]): number {
  return columns.reduce((sum, { cost }, index) => sum + cost * (counts[index] ?? 0), 0)
}

/** Counts that are taken at least, and at most where there is a limit. */
interface Branch {
  readonly least: readonly number[]
  readonly most: ReadonlyMap<number, number>
}

/** Depth-first branch and bound; of what it finds the first of the cheapest stays. */
class Search {
  readonly #program: CoveringProgram
  readonly #bound: number
  readonly #maxSteps: number
  #best: { readonly counts: readonly number[]; readonly cost: number } | undefined
  #steps = 1
  #isExhausted = false
  #isCutShort = false

  constructor(
    program: CoveringProgram,
    { bound, maxSteps }: { readonly bound: number; readonly maxSteps: number }
  ) {
    this.#program = program
    this.#bound = bound
    this.#maxSteps = maxSteps
  }

  get isDone(): boolean {
    return this.#best?.cost === this.#bound
  }

  /** Looks through all answers that take at least `base`. */
  run(base: readonly number[]): void {
    this.#isCutShort = false
    this.#visit({ least: base, most: new Map() })
    this.#isExhausted = !this.#isCutShort && base.every((count) => count === 0)
  }

  result(byPrices: RowPrices): Cover {
    const steps = this.#steps
    const best = this.#best
    if (best === undefined) {
      return this.#isExhausted
        ? { kind: 'no-cover', byPrices: undefined, steps }
        : { kind: 'undecided', bound: this.#bound, steps }
    }
    const isByPrices = best.cost === this.#bound || !this.#isExhausted
    return {
      kind: 'covered',
      ...best,
      bound: isByPrices ? this.#bound : best.cost,
      byPrices: isByPrices ? byPrices : undefined,
      steps
    }
  }

  #visit(branch: Branch): void {
    if (this.isDone) return
    if (this.#steps >= this.#maxSteps) {
      this.#isCutShort = true
      return
    }
    this.#steps += 1
    const relaxed = relax(this.#restOf(branch))
    if (relaxed.kind === 'too-large') this.#isCutShort = true
    if (relaxed.kind !== 'solved') return
    const spent = costOf(this.#program.columns, branch.least)
    if (spent + Math.ceil(relaxed.cost / relaxed.denominator) >= (this.#best?.cost ?? Infinity)) return
    const split = this.#findSplit(relaxed)
    if (split === undefined) this.#keep(branch, relaxed)
    else this.#divide(branch, split)
  }

  /** What is left to cover when `least` is taken, with a row for each limit. */
  #restOf({ least, most }: Branch): CoveringProgram {
    const { columns, demand } = this.#program
    const reach = reachOf(columns, least, demand.length)
    const limits = [...most].map(([column, limit]) => ({ column, left: limit - (least[column] ?? 0) }))
    return {
      demand: [...demand.map((want, row) => want - (reach[row] ?? 0)), ...limits.map(({ left }) => -left)],
      columns: columns.map((column, index) => {
        const row = limits.findIndex((limit) => limit.column === index)
        return row < 0 ? column : { ...column, adds: [...column.adds, [demand.length + row, -1]] }
      })
    }
  }

  /** The whole column with the largest part, and that part rounded up; undefined when all are whole. */
  #findSplit(
    relaxed: Extract<ReturnType<typeof relax>, { kind: 'solved' }>
  ): { column: number; up: number } | undefined {
    let split: { column: number; up: number; part: number } | undefined
    for (const [column, { isWhole }] of this.#program.columns.entries()) {
      const count = relaxed.counts[column] ?? 0
      const part = count % relaxed.denominator
      if (isWhole && part !== 0 && (split === undefined || part > split.part)) {
        split = { column, up: Math.ceil(count / relaxed.denominator), part }
      }
    }
    return split
  }

  #divide({ least, most }: Branch, { column, up }: { column: number; up: number }): void {
    const taken = (least[column] ?? 0) + up
    this.#visit({ least: least.map((count, index) => (index === column ? taken : count)), most })
    this.#visit({ least, most: new Map([...most, [column, taken - 1]]) })
  }

  #keep({ least }: Branch, relaxed: Extract<ReturnType<typeof relax>, { kind: 'solved' }>): void {
    const more = wholeCounts(this.#program, (index) => (relaxed.counts[index] ?? 0) / relaxed.denominator)
    const counts = least.map((count, index) => count + (more[index] ?? 0))
    this.#best = { counts, cost: costOf(this.#program.columns, counts) }
  }
}
