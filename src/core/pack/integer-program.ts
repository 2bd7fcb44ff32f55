/** A program in whole numbers as plain data: the least cost of columns whose rows stay within their limits. */
export interface IntegerProgram {
  readonly columns: readonly ProgramColumn[]
  readonly rows: readonly ProgramRow[]
}

/** One unknown, from 0 to `most`. */
export interface ProgramColumn {
  readonly name: string
  readonly cost: number
  readonly most: number
  readonly isWhole: boolean
}

/** One condition on a weighted sum of columns; a limit that is absent does not bind. */
export interface ProgramRow {
  readonly name: string
  readonly least?: number
  readonly most?: number
  /** Pairs of column and weight, each column once. */
  readonly terms: readonly (readonly [column: number, weight: number])[]
}

/** How far a sum may be from its limit and still count as there, as a part of the largest weight: what solvers leave over. */
const TOLERANCE = 1e-6

/**
 * How far a value may be from a whole number and still be read as it: HiGHS leaves a millionth over, and now and then a little
 * more. The whole number is then checked against every limit.
 */
const WHOLE_TOLERANCE = 1e-4

/**
 * The values with those of whole columns made whole; undefined when one of them is not near a whole number. Whether they keep
 * the limits is for `brokenLimits` to say.
 */
export function wholeValues(
  { columns }: IntegerProgram,
  values: readonly number[]
): readonly number[] | undefined {
  const rounded = columns.map(({ isWhole }, index) => {
    const value = values[index] ?? 0
    return isWhole ? Math.round(value) : Math.max(0, value)
  })
  const isNear = columns.every(
    ({ isWhole }, index) =>
      !isWhole || Math.abs((values[index] ?? 0) - (rounded[index] ?? 0)) <= WHOLE_TOLERANCE
  )
  return isNear ? rounded : undefined
}

/** Names of columns and rows whose limits these values do not keep; empty for an answer. */
export function brokenLimits(
  { columns, rows }: IntegerProgram,
  values: readonly number[]
): readonly string[] {
  const outside = columns.filter(({ most, isWhole }, index) => {
    const value = values[index] ?? 0
    return value < -TOLERANCE || value > most + TOLERANCE || (isWhole && !Number.isSafeInteger(value))
  })
  const broken = rows.filter(({ least = -Infinity, most = Infinity, terms }) => {
    const sum = terms.reduce((total, [column, weight]) => total + weight * (values[column] ?? 0), 0)
    const slack = TOLERANCE * terms.reduce((largest, [, weight]) => Math.max(largest, Math.abs(weight)), 1)
    return sum < least - slack || sum > most + slack
  })
  return [...outside, ...broken].map(({ name }) => name)
}

/** What the values cost. */
export function costOf({ columns }: IntegerProgram, values: readonly number[]): number {
  return columns.reduce((sum, { cost }, index) => sum + cost * (values[index] ?? 0), 0)
}

/** True when every answer costs a whole number, so that a bound may be rounded up. */
export function hasWholeCost({ columns }: IntegerProgram): boolean {
  return columns.every(({ cost, isWhole }) => (isWhole ? Number.isSafeInteger(cost) : cost === 0))
}

/**
 * What every answer costs at least, by a price for each row: whatever the prices are, a row pays no more than its limit
 * times its price, and each column can save no more than what it earns above its cost, as often as it may be taken.
 * So the bound holds without trust in whoever found the prices. Rounded up where every cost is whole.
 */
export function boundByPrices(program: IntegerProgram, prices: readonly number[]): number {
  const left = program.columns.map(({ cost }) => cost)
  let bound = 0
  for (const [index, row] of program.rows.entries()) {
    const price = payable(row, prices[index] ?? 0)
    bound += price * ((price > 0 ? row.least : row.most) ?? 0)
    for (const [column, weight] of row.terms) left[column] = (left[column] ?? 0) - price * weight
  }
  for (const [index, { most }] of program.columns.entries()) bound += Math.min(0, left[index] ?? 0) * most
  return hasWholeCost(program) ? Math.ceil(bound - TOLERANCE) : bound
}

/**
 * A price above zero is paid for what has to be reached, one below for what may not be passed; without a limit, or with a
 * price that is no number, nothing is.
 */
function payable({ least, most }: ProgramRow, price: number): number {
  return !isFinite(price) || (price > 0 ? least : most) === undefined ? 0 : price
}
