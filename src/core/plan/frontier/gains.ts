import { greatestDivisor } from '../../pack/greatest-divisor.ts'
import type { DrainColumn } from './columns.ts'
import type { ClearClass } from './state-classes.ts'

/** What is to be freed: GPUs, nodes, or nodes by what they cost an hour. */
export type DrainObjective = 'gpus' | 'nodes' | 'price'

/** Prices are exact to a millionth of a dollar an hour. */
const UNITS_PER_USD = 1_000_000

/** Units that one of a column frees, below zero where something is taken into use. */
export function gainOf(column: DrainColumn, objective: DrainObjective, unit: number): number {
  if (objective === 'gpus') {
    if (column.kind === 'clear') return column.clear.inUse
    return column.kind === 'fill' || (column.kind === 'keep' && column.kept.isIdle) ? -1 : 0
  }
  if (column.kind !== 'clear') return 0
  const sign = signs[column.clear.scope]
  return sign * (objective === 'nodes' ? 1 : Math.round(microUsd(column.clear) / (unit * UNITS_PER_USD)))
}

/** What a node of this kind is to the count of nodes in use. */
export const signs: Readonly<Record<ClearClass['scope'], -1 | 0 | 1>> = {
  card: 0,
  node: 0,
  freed: 1,
  opened: -1
}

/** The largest unit of which every price is a multiple. */
export function unitOf(clears: readonly ClearClass[]): number {
  const prices = clears.filter(({ scope }) => signs[scope] !== 0).map(microUsd)
  return (prices.reduce(greatestDivisor, 0) || 1) / UNITS_PER_USD
}

function microUsd({ members: [first] }: ClearClass): number {
  return Math.round((first?.node.priceUsdPerHour ?? 0) * UNITS_PER_USD)
}
