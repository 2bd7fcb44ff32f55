import type { ProgramRow } from '../../pack/integer-program.ts'
import type { PlanNode } from '../plan-state.ts'
import { signs } from './gains.ts'
import { type RowContext, termsOf } from './rows.ts'
import type { ClearClass } from './state-classes.ts'

/** CPU and memory of all nodes of a pool together; each node is looked at when pods are given their places. */
export function hostRows(context: RowContext): readonly ProgramRow[] {
  const { state, classes } = context
  const opened = classes.clears.filter(({ scope }) => scope === 'opened').flatMap(({ members }) => members)
  const unopened = new Set(opened.map(({ node }) => node.id))
  return state.pools.flatMap(({ id }) => {
    const nodes = state.nodes.filter(({ pool, stays }) => pool === id && stays === undefined)
    const used = nodes.filter((node) => !unopened.has(node.id))
    return [
      ...hostRow(context, { pool: id, nodes, used, free: 'freeCpuMilli', need: 'cpuMilli' }),
      ...hostRow(context, { pool: id, nodes, used, free: 'freeMemoryMiB', need: 'memoryMiB' })
    ]
  })
}

interface HostNeed {
  readonly pool: string
  readonly nodes: readonly PlanNode[]
  /** Those of them that pods may come to without their being taken into use. */
  readonly used: readonly PlanNode[]
  readonly free: 'freeCpuMilli' | 'freeMemoryMiB'
  readonly need: 'cpuMilli' | 'memoryMiB'
}

/** None where no node binds; one that does not bind has room for all who may come. */
function hostRow(context: RowContext, { pool, nodes, used, free, need }: HostNeed): readonly ProgramRow[] {
  if (nodes.every((node) => node[free] === undefined)) return []
  const step = context.isCautious ? largestNeed(context, need) : 0
  const ample = needOfAll(context, need)
  const usable = (node: PlanNode | undefined): number => {
    const amount = node?.[free]
    return amount === undefined ? ample : wholeSteps(amount, step)
  }
  const all = used.reduce((sum, node) => sum + usable(node), 0)
  const terms = termsOf(context, (column) => {
    if (column.kind === 'move') return column.pool === pool ? column.ask[need] : 0
    if (column.kind !== 'clear' || column.clear.pool !== pool) return 0
    const [first] = column.clear.members
    const sign = signs[column.clear.scope]
    return sign === 0 ? -givenBack(context, column.clear, need) : sign * usable(first?.node)
  })
  return terms.length === 0 ? [] : [{ name: `${need} of ${pool}`, most: all, terms }]
}

/** What pods leave behind; it is on their own node, so who is cautious does not count on it for others. */
function givenBack(
  { classes, isCautious }: RowContext,
  { leaving }: ClearClass,
  need: HostNeed['need']
): number {
  if (isCautious) return 0
  return [...leaving].reduce((sum, [key, count]) => sum + count * (classes.asks.get(key)?.[need] ?? 0), 0)
}

function largestNeed({ classes }: RowContext, need: HostNeed['need']): number {
  return [...classes.asks.values()].reduce((largest, ask) => Math.max(largest, ask[need]), 0)
}

function needOfAll({ classes }: RowContext, need: HostNeed['need']): number {
  return [...classes.asks.values()].reduce((sum, ask) => sum + ask[need] * ask.pods.length, 0)
}

function wholeSteps(amount: number, step: number): number {
  return step === 0 ? amount : Math.floor(amount / step) * step
}
