import type { ProgramRow } from '../../pack/integer-program.ts'
import type { PlanState } from '../plan-state.ts'
import type { DrainColumn } from './columns.ts'
import type { ClearClass, StateClasses } from './state-classes.ts'

/** What rows are made from. */
export interface RowContext {
  readonly isCautious: boolean
  readonly state: PlanState
  readonly classes: StateClasses
  readonly columns: readonly DrainColumn[]
}

type Terms = ProgramRow['terms']

/** The columns for which there is a weight, with it. */
export function termsOf({ columns }: RowContext, weight: (column: DrainColumn) => number): Terms {
  return columns.flatMap((column, index) => {
    const value = weight(column)
    return value === 0 ? [] : [[index, value] as const]
  })
}

/** Whoever leaves arrives somewhere. */
export function movedRows(context: RowContext): readonly ProgramRow[] {
  return [...context.classes.asks.values()].flatMap((ask): readonly ProgramRow[] => {
    const terms = termsOf(context, (column) => {
      if (column.kind === 'clear') return -(column.clear.leaving.get(ask.key) ?? 0)
      return Number(column.kind === 'move' && column.ask === ask)
    })
    return terms.length === 0 ? [] : [{ name: `moved ${ask.key}`, least: 0, most: 0, terms }]
  })
}

/** A card is cleared, or takes pods in one way. */
export function keptRows(context: RowContext): readonly ProgramRow[] {
  return context.classes.kept.map((kept) => ({
    name: `cards ${kept.key}`,
    most: kept.cards.length,
    terms: termsOf(context, (column) => {
      if (column.kind === 'clear') return column.clear.kept.get(kept.key) ?? 0
      return Number(column.kind === 'keep' && column.kept === kept)
    })
  }))
}

/** A card is cleared by itself or with its node, not both. */
export function clearedRows(context: RowContext): readonly ProgramRow[] {
  const nodes = context.classes.clears.flatMap((clear) => [...clear.cleared.keys()])
  const withNodes = new Set(nodes)
  const single = context.classes.clears
    .filter(({ key }) => withNodes.has(key))
    .map((own) => ({
      name: `cleared ${own.key}`,
      most: own.members.length,
      terms: termsOf(context, (column) => {
        if (column.kind !== 'clear') return 0
        return column.clear === own ? 1 : (column.clear.cleared.get(own.key) ?? 0)
      })
    }))
  return [...single, ...drainedOrFreed(context)]
}

/** A node is laid out anew or freed, not both; such nodes are alike in both or in neither where each is a kind of its own. */
function drainedOrFreed(context: RowContext): readonly ProgramRow[] {
  const { clears } = context.classes
  const drained = new Map(
    clears
      .filter(({ scope }) => scope === 'node')
      .flatMap((clear) => clear.members.map(({ node }) => [node.id, clear] as const))
  )
  return [...new Set(drained.values())].flatMap((own): readonly ProgramRow[] => {
    const weights = new Map<ClearClass, number>()
    for (const clear of clears) {
      if (clear.scope !== 'freed') continue
      const [first] = clear.members
      if (first !== undefined && drained.get(first.node.id) === own) weights.set(clear, 1)
    }
    if (weights.size === 0) return []
    return [
      {
        name: `drained ${own.key}`,
        most: own.members.length,
        terms: termsOf(context, (column) => {
          if (column.kind !== 'clear') return 0
          return column.clear === own ? 1 : (weights.get(column.clear) ?? 0)
        })
      }
    ]
  })
}

/** Cards are laid out anew only where they are empty, or become so. */
export function emptyRows(context: RowContext): readonly ProgramRow[] {
  const { state, classes } = context
  return state.pools.map(({ id }) => ({
    name: `empty cards of ${id}`,
    most: classes.empty.get(id)?.length ?? 0,
    terms: termsOf(context, (column) => {
      if (column.kind === 'fill') return Number(column.pool === id)
      if (column.kind !== 'clear' || column.clear.pool !== id) return 0
      return column.clear.scope === 'freed' ? column.clear.empty : -returnedBy(column.clear)
    })
  }))
}

/** Cards of one of them that others may have afterwards; those that were empty before count already. */
function returnedBy({ members: [first], empty }: ClearClass): number {
  return (first?.cards.length ?? 0) - empty
}
