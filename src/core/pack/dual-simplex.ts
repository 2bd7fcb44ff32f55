import type { CoveringColumn, CoveringProgram } from './covering-program.ts'

/**
 * The least cost of a covering program whose columns may be taken in parts, in exact fractions with one denominator,
 * and the prices that prove it: no column earns more than it costs, and the demand earns what the answer costs.
 * `no-cover`: no amount of columns reaches the demand; at these prices no column earns anything, yet the demand does.
 * `too-large`: numbers beyond those that are exact.
 */
export type Relaxation =
  | {
      readonly kind: 'solved'
      readonly denominator: number
      /** By column, over the denominator. */
      readonly counts: readonly number[]
      readonly cost: number
      /** By row, over the denominator. */
      readonly prices: readonly number[]
    }
  | { readonly kind: 'no-cover'; readonly prices: readonly number[] }
  | { readonly kind: 'too-large' }

/** Pivots after which the first row short of its demand leaves, not the one most short: that cannot run in circles. */
const FAST_PIVOTS = 200

/**
 * Solves the relaxation by the dual simplex method, starting from nothing taken. Fractions stay exact: the inverse of
 * the basis is kept in whole numbers over its determinant.
 * @example columns of cost 1 that add 2 and 3 to one row with demand 7: cost 7/3, price 1/3
 */
export function relax(program: CoveringProgram): Relaxation {
  const tableau = new Tableau(program)
  for (let pivots = 0; ; pivots++) {
    const leaving = tableau.findLeaving(pivots < FAST_PIVOTS)
    if (tableau.isTooLarge) return { kind: 'too-large' }
    if (leaving === undefined) return tableau.answer()
    const entering = tableau.findEntering(leaving)
    if (entering === undefined) return { kind: 'no-cover', prices: tableau.pricesOfRow(leaving) }
    tableau.pivot(leaving, entering)
  }
}

/** Rows are written `slack - added = -demand`, so that the slacks are a basis to begin with. */
class Tableau {
  readonly #columns: readonly CoveringColumn[]
  readonly #demand: readonly number[]
  /** Column of each basis place; numbers past the columns are slacks of rows. */
  readonly #basis: number[]
  readonly #inverse: number[][]
  #denominator = 1
  isTooLarge = false

  constructor({ columns, demand }: CoveringProgram) {
    this.#columns = columns
    this.#demand = demand
    this.#basis = demand.map((_, row) => columns.length + row)
    this.#inverse = demand.map((_, row) => demand.map((__, column) => (row === column ? 1 : 0)))
  }

  /** Place of the basis whose count is below zero: the lowest count, or the lowest column. */
  findLeaving(isFast: boolean): number | undefined {
    let best: number | undefined
    let lowest = 0
    for (const [place, row] of this.#inverse.entries()) {
      const count = -this.#product(row, this.#demand)
      const rank = isFast ? count : -1 / (1 + (this.#basis[place] ?? 0))
      if (count < 0 && rank < lowest) [best, lowest] = [place, rank]
    }
    return best
  }

  /** Column that keeps every price covered when it comes in: least cost left for what it adds, the first of equals. */
  findEntering(leaving: number): number | undefined {
    const row = this.#inverse[leaving] ?? []
    const prices = this.#scaledPrices()
    let best: { readonly column: number; readonly cost: number; readonly gain: number } | undefined
    for (let column = 0; column < this.#columns.length + row.length; column++) {
      const gain = -this.#along(row, column)
      if (gain <= 0 || this.#basis.includes(column)) continue
      const cost = this.#costOf(column) * this.#denominator + this.#along(prices, column, -1)
      if (best === undefined || this.#exact(cost * best.gain) < this.#exact(best.cost * gain)) {
        best = { column, cost, gain }
      }
    }
    return best?.column
  }

  pivot(leaving: number, entering: number): void {
    const pivotRow = this.#inverse[leaving] ?? []
    const factors = this.#inverse.map((row) => this.#along(row, entering))
    const pivot = -(factors[leaving] ?? 0)
    for (const [place, factor] of factors.entries()) {
      if (place !== leaving) this.#combine(this.#inverse[place] ?? [], pivotRow, { pivot, factor })
    }
    this.#inverse[leaving] = pivotRow.map((value) => (value === 0 ? 0 : -value))
    this.#basis[leaving] = entering
    this.#denominator = pivot
  }

  /** One row of the inverse after a pivot; the division leaves no rest, for entries are minors of the program. */
  #combine(
    row: number[],
    pivotRow: readonly number[],
    { pivot, factor }: { readonly pivot: number; readonly factor: number }
  ): void {
    for (const [index, value] of row.entries()) {
      const leader = pivotRow[index] ?? 0
      if (value === 0 && leader === 0) continue
      row[index] = this.#exact(this.#exact(pivot * value) + this.#exact(factor * leader)) / this.#denominator
    }
  }

  pricesOfRow(place: number): readonly number[] {
    return this.#inverse[place] ?? []
  }

  answer(): Relaxation {
    const counts = this.#columns.map(() => 0)
    for (const [place, column] of this.#basis.entries()) {
      if (column < counts.length) counts[column] = -this.#product(this.#inverse[place] ?? [], this.#demand)
    }
    const prices = this.#scaledPrices().map((price) => (price === 0 ? 0 : -price))
    const cost = this.#product(prices, this.#demand)
    if (this.isTooLarge) return { kind: 'too-large' }
    return { kind: 'solved', denominator: this.#denominator, counts, cost, prices }
  }

  /** Costs of the basis times the inverse; zero or below. */
  #scaledPrices(): readonly number[] {
    return this.#demand.map((_, index) => {
      let sum = 0
      for (const [place, column] of this.#basis.entries()) {
        const cost = this.#costOf(column)
        if (cost !== 0) sum += cost * (this.#inverse[place]?.[index] ?? 0)
      }
      return this.#exact(sum)
    })
  }

  #costOf(column: number): number {
    return this.#columns[column]?.cost ?? 0
  }

  /** Product of a row of weights with a column, both signs as written in the rows; `sign` turns it. */
  #along(weights: readonly number[], column: number, sign = 1): number {
    const entry = this.#columns[column]
    if (entry === undefined) return sign * (weights[column - this.#columns.length] ?? 0)
    let sum = 0
    for (const [row, amount] of entry.adds) sum -= amount * (weights[row] ?? 0)
    return sign * this.#exact(sum)
  }

  #product(a: readonly number[], b: readonly number[]): number {
    let sum = 0
    for (const [index, value] of a.entries()) sum += value * (b[index] ?? 0)
    return this.#exact(sum)
  }

  #exact(value: number): number {
    if (!Number.isSafeInteger(value)) this.isTooLarge = true
    return value
  }
}
