import type { IntegerProgram, ProgramColumn, ProgramRow } from '../../pack/integer-program.ts'
import type { PlanState } from '../plan-state.ts'
import { type DrainColumn, drainColumns, mostOf } from './columns.ts'
import { type DrainObjective, gainOf, unitOf } from './gains.ts'
import { hostRows } from './host-rows.ts'
import { clearedRows, emptyRows, keptRows, movedRows, type RowContext } from './rows.ts'
import { slotRows } from './slot-rows.ts'
import type { StateClasses } from './state-classes.ts'

/** The conditions that every plan keeps, with what it frees and what it costs; what is sought comes as the objective. */
export interface DrainProgram {
  readonly columns: readonly DrainColumn[]
  readonly rows: readonly ProgramRow[]
  /** By column: the most there can be. */
  readonly most: readonly number[]
  /** By column: units freed, below zero where something is taken into use. */
  readonly gains: readonly number[]
  /** By column: what it costs, in seconds in which one replica does not serve. */
  readonly costs: readonly number[]
  /** What one unit of gain is: a GPU, a node, or so many USD an hour. */
  readonly unit: number
}

/** What is asked of a state, put into kinds. */
export interface DrainAsk {
  readonly state: PlanState
  readonly classes: StateClasses
  readonly objective: DrainObjective
  /**
   * True where of a node only whole multiples of the largest need count, so that rests of several nodes do not add up, and not
   * what pods leave behind, which only those that come to the same node could have.
   */
  readonly isCautious?: boolean
}

/** The program of a state. Its size depends on kinds of cards and pods, not on how many there are, but for nodes that are freed. */
export function drainProgram({ state, classes, objective, isCautious = false }: DrainAsk): DrainProgram {
  const columns = drainColumns(state, classes)
  const unit = objective === 'price' ? unitOf(classes.clears) : 1
  const context: RowContext = { state, classes, columns, isCautious }
  return {
    columns,
    unit,
    rows: [
      ...movedRows(context),
      ...keptRows(context),
      ...clearedRows(context),
      ...emptyRows(context),
      ...slotRows(context),
      ...hostRows(context)
    ],
    most: columns.map((column) => mostOf(column, classes)),
    gains: columns.map((column) => gainOf(column, objective, unit)),
    costs: columns.map((column) => (column.kind === 'clear' ? column.clear.costSeconds : 0))
  }
}

/** The most that can be freed. */
export function mostGain({ columns, rows, most, gains }: DrainProgram): IntegerProgram {
  return {
    columns: asColumns(
      columns,
      most,
      gains.map((gain) => -gain)
    ),
    rows
  }
}

/** The least cost at which so many units or more are freed. */
export function leastCost(
  { columns, rows, most, gains, costs }: DrainProgram,
  units: number
): IntegerProgram {
  const terms = gains.flatMap((gain, index) => (gain === 0 ? [] : [[index, gain] as const]))
  return { columns: asColumns(columns, most, costs), rows: [...rows, { name: 'freed', least: units, terms }] }
}

function asColumns(
  columns: readonly DrainColumn[],
  most: readonly number[],
  costs: readonly number[]
): readonly ProgramColumn[] {
  return columns.map(({ kind }, index) => {
    return { name: `${kind} ${index}`, cost: costs[index] ?? 0, most: most[index] ?? 0, isWhole: true }
  })
}
