import { type Ask, mergeAsks } from './ask.ts'
import { assignSlots } from './assign-slots.ts'
import type { NoFleetPlan, Pool, WorkloadClass } from './fleet.ts'
import { type FleetColumn, isSlotFor, slotIn } from './fleet-columns.ts'
import type { FleetProgram } from './fleet-program.ts'
import { boundByPrices, brokenLimits, costOf, type IntegerProgram, wholeValues } from './integer-program.ts'
import { type SlotUse, slotsOf, type UsedCards } from './packing.ts'
import { toMicros } from './to-micros.ts'

/** Cards of one pool that are used for one tenant, and what runs there. */
export interface FleetSite {
  readonly cardClass: string
  readonly tenant: string | undefined
  readonly cards: readonly UsedCards[]
  readonly uses: readonly SlotUse[]
  readonly workloads: readonly { readonly workload: string; readonly count: number }[]
}

/** Where all workloads of a fleet run. */
export interface FleetPlan {
  readonly kind: 'planned'
  readonly sites: readonly FleetSite[]
  /** Cards taken into use; those in use before do not count. */
  readonly gpus: number
  /** What the objective says: GPUs, or USD an hour. */
  readonly cost: number
  /** What every plan costs at least. */
  readonly bound: number
  /** The part of the cost that a better plan might save at most; 0 when this one is the best there is. */
  readonly gapRatio: number
  /** `prices`: row prices that anybody can check prove it; `solver`: a search proved it; `none`: nothing does. */
  readonly provedBy: 'prices' | 'solver' | 'none'
}

/** What a solver said of the program of a fleet. */
export interface FleetAnswer {
  readonly values: readonly number[]
  readonly bound: number
  readonly prices: readonly number[]
}

/** How far a bound may lie below a whole number and still count as it. */
const TOLERANCE = 1e-6

/** Reads an answer as a plan. The values are checked against every condition, and the bound by the prices. */
export function readFleetPlan(
  { program, columns, unit }: FleetProgram,
  answer: FleetAnswer
): FleetPlan | NoFleetPlan {
  const values = wholeValues(program, answer.values)
  const broken = values === undefined ? ['whole numbers'] : brokenLimits(program, values)
  const sites = values === undefined || broken.length > 0 ? undefined : sitesOf(columns, values)
  if (values === undefined || sites === undefined) return { kind: 'wrong-answer', broken }
  const cost = costOf(program, values)
  const { bound, provedBy } = proofOf(program, answer, { cost, least: 0 })
  return {
    kind: 'planned',
    sites,
    gpus: sum(columns, (column, index) =>
      column.kind === 'cards' ? column.pool.cards.cost * (values[index] ?? 0) : 0
    ),
    cost: toMicros(cost * unit),
    bound: toMicros(bound * unit),
    gapRatio: cost === 0 ? 0 : (cost - bound) / cost,
    provedBy
  }
}

/**
 * The workloads that find no room, as the answer to a program with `mayLeave` says, and what proves that less cannot be. It is
 * asked after the solver said that not all find room; when nobody is left, it was wrong.
 */
export function readLeft({ program, columns }: FleetProgram, answer: FleetAnswer): NoFleetPlan {
  const values = wholeValues(program, answer.values)
  const broken = values === undefined ? ['whole numbers'] : brokenLimits(program, values)
  if (values === undefined || broken.length > 0) return { kind: 'wrong-answer', broken }
  const left = columns.flatMap((column, index) => {
    const count = values[index] ?? 0
    return column.kind === 'left' && count > 0 ? [{ workload: column.workload.id, count }] : []
  })
  if (left.length === 0) return { kind: 'wrong-answer', broken: ['infeasible'] }
  const { bound, provedBy } = proofOf(program, answer, { cost: costOf(program, values), least: 1 })
  return { kind: 'no-room', left, leftBound: bound, provedBy }
}

/** What an answer of this cost shows every answer to cost at least, up to what this one does. */
function proofOf(
  program: IntegerProgram,
  { bound, prices }: FleetAnswer,
  { cost, least }: { readonly cost: number; readonly least: number }
): Pick<FleetPlan, 'bound' | 'provedBy'> {
  const proved = boundByPrices(program, prices)
  const reached = Math.min(cost, Math.max(least, proved, Math.ceil(bound - TOLERANCE)))
  const bySolver = reached >= cost ? 'solver' : 'none'
  return { bound: reached, provedBy: proved >= cost ? 'prices' : bySolver }
}

function sum<T>(list: readonly T[], value: (entry: T, index: number) => number): number {
  return list.reduce((total, entry, index) => total + value(entry, index), 0)
}

/** Undefined when the slots of some site do not serve its workloads. */
function sitesOf(
  columns: readonly FleetColumn[],
  values: readonly number[]
): readonly FleetSite[] | undefined {
  const taken = columns.flatMap((column, index) => {
    const count = values[index] ?? 0
    return (column.kind === 'cards' || column.kind === 'workloads') && count > 0 ? [{ column, count }] : []
  })
  const tenant = ({ column }: (typeof taken)[number]): string | undefined =>
    column.kind === 'cards' ? column.tenant : column.workload.tenant
  const groups = Map.groupBy(taken, (entry) =>
    JSON.stringify([entry.column.pool.cards.id, tenant(entry) ?? null])
  )
  const sites: FleetSite[] = []
  for (const group of groups.values()) {
    const [first] = group
    const site = first && siteOf(first.column.pool, tenant(first), group)
    if (site === undefined) return undefined
    sites.push(site)
  }
  return sites
}

/** Unknowns of one pool and tenant with their values. */
type Taken = readonly {
  readonly column: Extract<FleetColumn, { readonly kind: 'cards' | 'workloads' }>
  readonly count: number
}[]

function siteOf(pool: Pool, tenant: string | undefined, taken: Taken): FleetSite | undefined {
  const { id } = pool.cards
  const cards = taken.flatMap(({ column, count }) =>
    column.kind === 'cards' ? [{ cardClass: id, pattern: column.pattern, cards: count }] : []
  )
  const running = taken.flatMap(({ column, count }) =>
    column.kind === 'workloads' ? [{ workload: column.workload, count }] : []
  )
  const uses = assignSlots({
    slots: slotsOf(cards),
    asks: asksIn(pool, running),
    mayServe: (slot, ask) => isSlotFor(pool, slot, ask)
  })
  const workloads = running.map(({ workload, count }) => ({ workload: workload.id, count }))
  return uses && { cardClass: id, tenant, cards, uses, workloads }
}

function asksIn(
  pool: Pool,
  running: readonly { readonly workload: WorkloadClass; readonly count: number }[]
): readonly Ask[] {
  return mergeAsks(
    running.flatMap(({ workload, count }) => {
      const slot = slotIn(workload, pool)
      return slot === undefined ? [] : [{ ...slot, count }]
    })
  )
}
