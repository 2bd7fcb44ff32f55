import type { Pool } from './fleet.ts'
import { type FleetColumn, type Sharers, type Slot, slotIn } from './fleet-columns.ts'
import type { ProgramRow } from './integer-program.ts'
import { reachBySteps } from './serving.ts'

/** What one of a column adds to a kind of slots, or takes from it. */
interface Balance {
  readonly column: number
  readonly slot: Slot
  readonly count: number
}

/** A column that is about one pool, and its place in the program. */
export interface PoolColumn {
  readonly column: Extract<FleetColumn, { readonly pool: Pool }>
  readonly index: number
}

/**
 * The slots of a pool are enough, for each tenant: of each profile for its pinned workloads; and for every group of
 * profiles together with all that serve them, as many slots as workloads that ask for them. When every group has enough,
 * every workload finds a slot of its own. On a chain of profiles the groups are one profile and all larger ones.
 * @source P. Hall, On Representatives of Subsets, 1935
 * @param columns those of the pool, each with its place in the program
 */
export function slotRows(sharers: readonly Sharers[], columns: readonly PoolColumn[]): readonly ProgramRow[] {
  const byTenant = Map.groupBy(columns, ({ column }) => tenantOf(column))
  return sharers.flatMap((own) => rowsOf(own, byTenant.get(own.tenant) ?? []))
}

function rowsOf({ pool, tenant, pinned }: Sharers, columns: readonly PoolColumn[]): readonly ProgramRow[] {
  const name = `${pool.cards.id}${tenant === undefined ? '' : ` for ${tenant}`}`
  const balances = columns.flatMap(({ column, index }) =>
    balanceOf(column, pinned).map((entry): Balance => ({ ...entry, column: index }))
  )
  const exact = balances.filter(({ slot }) => slot.isExact)
  const open = balances.filter(({ slot }) => !slot.isExact)
  return [
    ...profilesOf(exact).map((profile) =>
      rowOf(`pinned to ${profile} on ${name}`, new Set([profile]), exact)
    ),
    ...groupsOf(pool, open).map((group) => rowOf(`${[...group].join(' or ')} on ${name}`, group, open))
  ]
}

function tenantOf(column: PoolColumn['column']): string | undefined {
  return column.kind === 'workloads' ? column.workload.tenant : column.tenant
}

/** What one of the column gives or takes. A slot of a profile to which some are pinned comes from a card as theirs. */
function balanceOf(
  column: PoolColumn['column'],
  pinned: ReadonlySet<string>
): readonly Omit<Balance, 'column'>[] {
  switch (column.kind) {
    case 'cards':
      return Object.entries(column.pattern.slots).map(([profile, count]) => {
        return { slot: { profile, isExact: pinned.has(profile) }, count }
      })
    case 'opened':
      return [true, false].map((isExact) => {
        return { slot: { profile: column.profile, isExact }, count: isExact ? -1 : 1 }
      })
    case 'workloads': {
      const slot = slotIn(column.workload, column.pool)
      return slot === undefined ? [] : [{ slot, count: -1 }]
    }
  }
}

function profilesOf(balances: readonly Balance[]): readonly string[] {
  return [...new Set(balances.map(({ slot }) => slot.profile))].toSorted()
}

/** Every union of profiles that are asked for with all that serve them, each once. */
function groupsOf(pool: Pool, open: readonly Balance[]): readonly ReadonlySet<string>[] {
  const profiles = profilesOf(open)
  const groups = new Map<string, ReadonlySet<string>>()
  for (const asked of profilesOf(open.filter(({ count }) => count < 0))) {
    const serving = profiles.filter((profile) => reachBySteps(profile, pool.steps).has(asked))
    for (const group of [new Set<string>(), ...groups.values()]) {
      const union = new Set([...group, ...serving].toSorted())
      groups.set([...union].join(), union)
    }
  }
  return [...groups.values()]
}

function rowOf(name: string, group: ReadonlySet<string>, balances: readonly Balance[]): ProgramRow {
  const sums = new Map<number, number>()
  for (const { column, slot, count } of balances) {
    if (group.has(slot.profile)) sums.set(column, (sums.get(column) ?? 0) + count)
  }
  return { name, least: 0, terms: [...sums].filter(([, weight]) => weight !== 0) }
}
