import type { ProgramRow } from '../../pack/integer-program.ts'
import type { PlanNode } from '../plan-state.ts'
import { signs } from './gains.ts'
import { type RowContext, termsByKey } from './rows.ts'
import type { ClearClass } from './state-classes.ts'

/** CPU and memory of all nodes of a pool together; each node is looked at when pods are given their places. */
export function hostRows(context: RowContext): readonly ProgramRow[] {
  const rows = [
    needRows(context, { free: 'freeCpuMilli', need: 'cpuMilli' }),
    needRows(context, { free: 'freeMemoryMiB', need: 'memoryMiB' })
  ]
  return context.state.pools.flatMap(({ id }) => rows.flatMap((byPool) => byPool.get(id) ?? []))
}

interface HostNeed {
  readonly free: 'freeCpuMilli' | 'freeMemoryMiB'
  readonly need: 'cpuMilli' | 'memoryMiB'
}

/** By pool; none where no node binds. A node that does not bind has room for all who may come. */
function needRows(context: RowContext, { free, need }: HostNeed): ReadonlyMap<string, ProgramRow> {
  const { state, classes } = context
  const usableNodes = state.nodes.filter(({ stays }) => stays === undefined)
  const binding = new Set(usableNodes.filter((node) => node[free] !== undefined).map(({ pool }) => pool))
  if (binding.size === 0) return new Map()
  const step = context.isCautious ? largestNeed(context, need) : 0
  const ample = needOfAll(context, need)
  const usable = (node: PlanNode | undefined): number => {
    const amount = node?.[free]
    return amount === undefined ? ample : wholeSteps(amount, step)
  }
  const opened = classes.clears.filter(({ scope }) => scope === 'opened').flatMap(({ members }) => members)
  const unopened = new Set(opened.map(({ node }) => node.id))
  const amounts = new Map<string, number>()
  for (const node of usableNodes) {
    if (!unopened.has(node.id)) amounts.set(node.pool, (amounts.get(node.pool) ?? 0) + usable(node))
  }
  const terms = termsByKey(context, (column) => {
    if (column.kind === 'move') return [[column.pool, column.ask[need]]]
    if (column.kind !== 'clear') return []
    const { pool, scope, members } = column.clear
    const sign = signs[scope]
    return [[pool, sign === 0 ? -givenBack(context, column.clear, need) : sign * usable(members[0]?.node)]]
  })
  const rows = [...binding].flatMap((pool) => {
    const own = terms.get(pool)
    return own === undefined
      ? []
      : [[pool, { name: `${need} of ${pool}`, most: amounts.get(pool) ?? 0, terms: own }] as const]
  })
  return new Map(rows)
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
