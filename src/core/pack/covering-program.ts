/**
 * A covering program: the least cost of columns, each taken zero or more times, so that every row reaches its demand.
 * Whole numbers throughout; a row that has to stay below a limit is written with its signs turned.
 */
export interface CoveringProgram {
  readonly columns: readonly CoveringColumn[]
  /** What each row has to reach. */
  readonly demand: readonly number[]
}

/** One column: what one of it costs, zero or more, and what it adds to rows. */
export interface CoveringColumn {
  readonly cost: number
  /** Pairs of row and what is added to it, each row once. */
  readonly adds: readonly (readonly [row: number, amount: number])[]
  /** False for a column that may be taken in parts. */
  readonly isWhole: boolean
}

/** What all columns together add to each row. */
export function reachOf(
  columns: readonly CoveringColumn[],
  counts: readonly number[],
  rows: number
): number[] {
  const reach = Array.from({ length: rows }, () => 0)
  for (const [index, { adds }] of columns.entries()) {
    const count = counts[index] ?? 0
    if (count === 0) continue
    for (const [row, amount] of adds) reach[row] = (reach[row] ?? 0) + amount * count
  }
  return reach
}
