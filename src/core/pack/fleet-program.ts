import type { Fleet, Pool, WorkloadClass } from './fleet.ts'
import { type FleetColumn, fleetColumns, slotIn } from './fleet-columns.ts'
import { slotRows } from './fleet-slot-rows.ts'
import type { IntegerProgram, ProgramColumn, ProgramRow } from './integer-program.ts'

/** The program of a fleet and what its unknowns are about. */
export interface FleetProgram {
  readonly program: IntegerProgram
  /** In the order of the program's columns. */
  readonly columns: readonly FleetColumn[]
  /** What one unit of cost is: a GPU, or so many USD an hour. */
  readonly unit: number
}

/** Prices are exact to a millionth of a dollar an hour. */
const UNITS_PER_USD = 1_000_000

/**
 * The program of a fleet: how many cards of each pool are cut in each way, and how many workloads of each class run where, at
 * the least cost. Its size depends on kinds of workloads, not on how many there are. Costs are whole numbers.
 * With `mayLeave` workloads may stay outside, and as few as possible do; the cards then cost nothing.
 */
export function fleetProgram(fleet: Fleet, { mayLeave }: { readonly mayLeave: boolean }): FleetProgram {
  const left: readonly FleetColumn[] = fleet.workloads.map((workload) => ({ kind: 'left', workload }))
  const columns = [...fleetColumns(fleet), ...(mayLeave ? left : [])]
  const unit = mayLeave ? 1 : unitOf(fleet)
  return {
    columns,
    unit,
    program: {
      columns: columns.map((column, index) => programColumn(column, fleet, { index, unit, mayLeave })),
      rows: [
        ...fleet.workloads.map((workload) => workloadRow(workload, columns)),
        ...fleet.pools.flatMap((pool) => poolRows(pool, columns)),
        ...fleet.pools.flatMap((pool) => slotRows(pool, fleet.workloads, columns)),
        ...fleet.workloads.flatMap((workload) => spreadRows(workload, fleet.pools, columns))
      ]
    }
  }
}

/** The largest unit of which every price is a multiple, so that the best answer differs from the next by one at least. */
function unitOf({ pools, objective }: Fleet): number {
  if (objective === 'gpus') return 1
  const prices = pools.filter(({ cards }) => cards.cost > 0).map(microUsd)
  return (prices.reduce(greatestDivisor, 0) || 1) / UNITS_PER_USD
}

function microUsd({ priceUsdPerHour = 0 }: Pool): number {
  return Math.round(priceUsdPerHour * UNITS_PER_USD)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

function programColumn(
  column: FleetColumn,
  { objective, workloads }: Fleet,
  { index, unit, mayLeave }: { readonly index: number; readonly unit: number; readonly mayLeave: boolean }
): ProgramColumn {
  const name = `${column.kind} ${index}`
  const all = workloads.reduce((sum, { count }) => sum + count, 0)
  switch (column.kind) {
    case 'cards': {
      const { cards } = column.pool
      const price = objective === 'gpus' ? 1 : Math.round(microUsd(column.pool) / (unit * UNITS_PER_USD))
      return {
        name,
        cost: mayLeave ? 0 : cards.cost * price,
        most: Math.min(cards.supply, all),
        isWhole: true
      }
    }
    case 'workloads':
      return { name, cost: 0, most: column.workload.count, isWhole: true }
    case 'opened':
      return { name, cost: 0, most: all, isWhole: false }
    case 'least':
      return { name, cost: 0, most: column.workload.count, isWhole: false }
    case 'left':
      return { name, cost: 1, most: column.workload.count, isWhole: true }
  }
}

type Terms = ProgramRow['terms']

/** The columns for which there is a weight, with it. */
function termsOf(columns: readonly FleetColumn[], weight: (column: FleetColumn) => number): Terms {
  return columns.flatMap((column, index) => {
    const value = weight(column)
    return value === 0 ? [] : [[index, value] as const]
  })
}

function workloadRow(workload: WorkloadClass, columns: readonly FleetColumn[]): ProgramRow {
  const isOf = (column: FleetColumn): boolean =>
    (column.kind === 'workloads' || column.kind === 'left') && column.workload === workload
  return {
    name: `all of ${workload.id}`,
    least: workload.count,
    most: workload.count,
    terms: termsOf(columns, (column) => Number(isOf(column)))
  }
}

/** Cards, CPU and memory of a pool. */
function poolRows(pool: Pool, columns: readonly FleetColumn[]): readonly ProgramRow[] {
  const { id, supply } = pool.cards
  const limit = (
    what: string,
    most: number | undefined,
    weight: (column: FleetColumn) => number
  ): ProgramRow[] =>
    most === undefined ? [] : [{ name: `${what} of ${id}`, most, terms: termsOf(columns, weight) }]
  const each = (amount: (workload: WorkloadClass) => number | undefined) => (column: FleetColumn) =>
    column.kind === 'workloads' && column.pool === pool ? (amount(column.workload) ?? 0) : 0
  return [
    ...limit('cards', supply, (column) => Number(column.kind === 'cards' && column.pool === pool)),
    ...limit(
      'CPU',
      pool.cpuMilli,
      each(({ cpuMilli }) => cpuMilli)
    ),
    ...limit(
      'memory',
      pool.memoryMiB,
      each(({ memoryMiB }) => memoryMiB)
    )
  ]
}

/** Every zone that the class may run in holds the least, and no more than the skew above it. */
function spreadRows(
  workload: WorkloadClass,
  pools: readonly Pool[],
  columns: readonly FleetColumn[]
): readonly ProgramRow[] {
  if (workload.maxSkew === undefined) return []
  const zones = pools.filter((pool) => slotIn(workload, pool) !== undefined).map(({ zone = '' }) => zone)
  return [...new Set(zones)].toSorted().map((zone) => ({
    name: `spread of ${workload.id} in ${zone}`,
    least: 0,
    most: workload.maxSkew ?? 0,
    terms: termsOf(columns, (column) => {
      if (column.kind === 'least') return column.workload === workload ? -1 : 0
      if (column.kind !== 'workloads' || column.workload !== workload) return 0
      return Number((column.pool.zone ?? '') === zone)
    })
  }))
}
