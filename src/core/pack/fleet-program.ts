import type { Fleet, Pool, WorkloadClass } from './fleet.ts'
import { type FleetColumn, fleetColumns, namedSlot, sharersOf } from './fleet-columns.ts'
import { type PoolColumn, slotRows } from './fleet-slot-rows.ts'
import { greatestDivisor } from './greatest-divisor.ts'
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

/** An unknown and its place in the program. */
interface Indexed {
  readonly column: FleetColumn
  readonly index: number
}

/**
 * The program of a fleet: how many cards of each pool are cut in each way, and how many workloads of each class run where, at
 * the least cost. Its size depends on kinds of workloads, not on how many there are. Costs are whole numbers.
 * With `mayLeave` workloads may stay outside, and as few as possible do; the cards then cost nothing.
 */
export function fleetProgram(fleet: Fleet, { mayLeave }: { readonly mayLeave: boolean }): FleetProgram {
  const { pools, workloads } = fleet
  const left: readonly FleetColumn[] = workloads.map((workload) => ({ kind: 'left', workload }))
  const columns = [...fleetColumns(fleet), ...(mayLeave ? left : [])]
  const unit = mayLeave ? 1 : unitOf(fleet)
  const all = workloads.reduce((sum, { count }) => sum + count, 0)
  const price = (pool: Pool): number => (mayLeave ? 0 : unitsPerCard(pool, fleet.objective, unit))
  const indexed = columns.map((column, index): Indexed => ({ column, index }))
  const ofWorkload = Map.groupBy(indexed, ({ column }) =>
    'workload' in column ? column.workload : undefined
  )
  const ofPool = Map.groupBy(indexed.filter(isOfPool), ({ column }) => column.pool)
  return {
    columns,
    unit,
    program: {
      columns: indexed.map((entry) => programColumn(entry, price, all)),
      rows: [
        ...workloads.map((workload) => workloadRow(workload, ofWorkload.get(workload) ?? [])),
        ...pools.flatMap((pool) => poolRows(pool, ofPool.get(pool) ?? [])),
        ...pools.flatMap((pool) => slotRows(sharersOf(pool, workloads), ofPool.get(pool) ?? [])),
        ...workloads.flatMap((workload) => spreadRows(workload, pools, ofWorkload.get(workload) ?? []))
      ]
    }
  }
}

function isOfPool(entry: Indexed): entry is PoolColumn {
  return 'pool' in entry.column
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

function unitsPerCard(pool: Pool, objective: Fleet['objective'], unit: number): number {
  return objective === 'gpus' ? 1 : Math.round(microUsd(pool) / (unit * UNITS_PER_USD))
}

/**
 * @param price of a card that is taken into use, in units
 * @param all workloads of all classes: more cards than that no plan uses
 */
function programColumn(
  { column, index }: Indexed,
  price: (pool: Pool) => number,
  all: number
): ProgramColumn {
  const name = `${column.kind} ${index}`
  switch (column.kind) {
    case 'cards': {
      const { cost, supply } = column.pool.cards
      return { name, cost: cost * price(column.pool), most: Math.min(supply, all), isWhole: true }
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
function termsOf<T extends Indexed>(columns: readonly T[], weight: (column: T['column']) => number): Terms {
  return columns.flatMap(({ column, index }) => {
    const value = weight(column)
    return value === 0 ? [] : [[index, value] as const]
  })
}

/** @param own the columns of the class */
function workloadRow({ id, count }: WorkloadClass, own: readonly Indexed[]): ProgramRow {
  const terms = termsOf(own, ({ kind }) => Number(kind === 'workloads' || kind === 'left'))
  return { name: `all of ${id}`, least: count, most: count, terms }
}

/**
 * Cards, CPU and memory of a pool.
 * @param own the columns of the pool
 */
function poolRows({ cards, cpuMilli, memoryMiB }: Pool, own: readonly PoolColumn[]): readonly ProgramRow[] {
  const limit = (
    what: string,
    most: number | undefined,
    weight: (column: PoolColumn['column']) => number
  ): ProgramRow[] =>
    most === undefined ? [] : [{ name: `${what} of ${cards.id}`, most, terms: termsOf(own, weight) }]
  const each = (amount: (workload: WorkloadClass) => number | undefined) => (column: FleetColumn) =>
    column.kind === 'workloads' ? (amount(column.workload) ?? 0) : 0
  return [
    ...limit('cards', cards.supply, ({ kind }) => Number(kind === 'cards')),
    ...limit(
      'CPU',
      cpuMilli,
      each((workload) => workload.cpuMilli)
    ),
    ...limit(
      'memory',
      memoryMiB,
      each((workload) => workload.memoryMiB)
    )
  ]
}

/**
 * Every zone of the pools that the class names holds the least, and no more than the skew above it.
 * @param own the columns of the class
 */
function spreadRows(
  workload: WorkloadClass,
  pools: readonly Pool[],
  own: readonly Indexed[]
): readonly ProgramRow[] {
  const { id, maxSkew } = workload
  if (maxSkew === undefined) return []
  const zones = pools.filter((pool) => namedSlot(workload, pool) !== undefined).map(({ zone = '' }) => zone)
  return [...new Set(zones)].toSorted().map((zone) => ({
    name: `spread of ${id} in ${zone}`,
    least: 0,
    most: maxSkew,
    terms: termsOf(own, (column) => {
      if (column.kind === 'least') return -1
      return Number(column.kind === 'workloads' && (column.pool.zone ?? '') === zone)
    })
  }))
}
