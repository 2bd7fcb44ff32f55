import type { ProgramRow } from '../../pack/integer-program.ts'
import type { PlanState } from '../plan-state.ts'
import type { DrainColumn } from './columns.ts'
import type { StateClasses } from './state-classes.ts'

/** What rows are made from. */
export interface RowContext {
  readonly isCautious: boolean
  readonly state: PlanState
  readonly classes: StateClasses
  readonly columns: readonly DrainColumn[]
}

type Terms = ProgramRow['terms']

type Weights = Iterable<readonly [key: string, weight: number]>

/** Terms of many rows in one pass over the columns, by the keys for which a column has a weight. */
export function termsByKey(
  { columns }: Pick<RowContext, 'columns'>,
  weights: (column: DrainColumn) => Weights
): ReadonlyMap<string, Terms> {
  const terms = new Map<string, (readonly [number, number])[]>()
  for (const [index, column] of columns.entries()) {
    for (const [key, weight] of weights(column)) {
      if (weight === 0) continue
      const own = terms.get(key)
      if (own === undefined) terms.set(key, [[index, weight]])
      else own.push([index, weight])
    }
  }
  return terms
}

/** Whoever leaves arrives somewhere. */
export function movedRows(context: RowContext): readonly ProgramRow[] {
  const terms = termsByKey(context, (column) => {
    if (column.kind === 'clear')
      return [...column.clear.leaving].map(([key, count]) => [key, -count] as const)
    return column.kind === 'move' ? [[column.ask.key, 1]] : []
  })
  return [...context.classes.asks.keys()].flatMap((key): readonly ProgramRow[] => {
    const own = terms.get(key)
    return own === undefined ? [] : [{ name: `moved ${key}`, least: 0, most: 0, terms: own }]
  })
}

/** A card is cleared, or takes pods in one way. */
export function keptRows(context: RowContext): readonly ProgramRow[] {
  const terms = termsByKey(context, (column) => {
    if (column.kind === 'clear') return column.clear.kept
    return column.kind === 'keep' ? [[column.kept.key, 1]] : []
  })
  return context.classes.kept.map(({ key, cards }) => ({
    name: `cards ${key}`,
    most: cards.length,
    terms: terms.get(key) ?? []
  }))
}

/** A card is cleared by itself or with its node, not both. */
export function clearedRows(context: RowContext): readonly ProgramRow[] {
  const { clears } = context.classes
  const withNodes = new Set(clears.flatMap((clear) => [...clear.cleared.keys()]))
  const terms = termsByKey(context, (column) =>
    column.kind === 'clear' ? [[column.clear.key, 1], ...column.clear.cleared] : []
  )
  const single = clears
    .filter(({ key }) => withNodes.has(key))
    .map(({ key, members }) => ({
      name: `cleared ${key}`,
      most: members.length,
      terms: terms.get(key) ?? []
    }))
  return [...single, ...drainedOrFreed(context)]
}

/** A node is laid out anew or freed, not both; nodes that are alike when freed are alike when laid out anew. */
function drainedOrFreed(context: RowContext): readonly ProgramRow[] {
  const drained = context.classes.clears.filter(({ scope }) => scope === 'node')
  const byNode = new Map(
    drained.flatMap(({ key, members }) => members.map(({ node }) => [node.id, key] as const))
  )
  const isFreed = new Set<string>()
  const terms = termsByKey(context, (column) => {
    if (column.kind !== 'clear') return []
    const { scope, members } = column.clear
    const key = scope === 'node' || scope === 'freed' ? byNode.get(members[0]?.node.id ?? '') : undefined
    if (key !== undefined && scope === 'freed') isFreed.add(key)
    return key === undefined ? [] : [[key, 1]]
  })
  return drained
    .filter(({ key }) => isFreed.has(key))
    .map(({ key, members }) => ({
      name: `drained ${key}`,
      most: members.length,
      terms: terms.get(key) ?? []
    }))
}

/** Cards are laid out anew only where they are empty, or become so. */
export function emptyRows(context: RowContext): readonly ProgramRow[] {
  const { state, classes } = context
  const terms = termsByKey(context, (column) => {
    if (column.kind === 'fill') return [[column.pool, 1]]
    if (column.kind !== 'clear') return []
    const { pool, scope, empty, returns } = column.clear
    return [[pool, scope === 'freed' ? empty : -returns]]
  })
  return state.pools.map(({ id }) => ({
    name: `empty cards of ${id}`,
    most: classes.empty.get(id)?.length ?? 0,
    terms: terms.get(id) ?? []
  }))
}
