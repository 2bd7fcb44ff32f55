import type { Pool, WorkloadClass } from './fleet.ts'
import { type FleetColumn, type Slot, slotFromCard, slotIn, tenantsOf } from './fleet-columns.ts'
import type { ProgramRow } from './integer-program.ts'
import { reachBySteps } from './serving.ts'

/** What one of a column adds to a kind of slots, or takes from it. */
interface Balance {
  readonly column: number
  readonly slot: Slot
  readonly count: number
}

/**
 * The slots of a pool are enough, for each tenant: of each profile for its pinned workloads; and for every group of
 * profiles together with all that serve them, as many slots as workloads that ask for them. When every group has enough,
 * every workload finds a slot of its own. On a chain of profiles the groups are one profile and all larger ones.
 * @source P. Hall, On Representatives of Subsets, 1935
 */
export function slotRows(
  pool: Pool,
  workloads: readonly WorkloadClass[],
  columns: readonly FleetColumn[]
): readonly ProgramRow[] {
  return tenantsOf(pool, workloads).flatMap((tenant) => {
    const name = `${pool.cards.id}${tenant === undefined ? '' : ` for ${tenant}`}`
    const balances = columns.flatMap((column, index) => {
      const isOwn = 'pool' in column && column.pool === pool && tenantOf(column) === tenant
      return isOwn ? balanceOf(column, workloads).map((entry) => ({ ...entry, column: index })) : []
    })
    const pinned = balances.filter(({ slot }) => slot.isExact)
    const open = balances.filter(({ slot }) => !slot.isExact)
    return [
      ...profilesOf(pinned).map((profile) =>
        rowOf(`pinned to ${profile} on ${name}`, new Set([profile]), pinned)
      ),
      ...groupsOf(pool, open).map((group) => rowOf(`${[...group].join(' or ')} on ${name}`, group, open))
    ]
  })
}

function tenantOf(column: Extract<FleetColumn, { readonly pool: Pool }>): string | undefined {
  return column.kind === 'workloads' ? column.workload.tenant : column.tenant
}

function balanceOf(
  column: Extract<FleetColumn, { readonly pool: Pool }>,
  workloads: readonly WorkloadClass[]
): readonly Omit<Balance, 'column'>[] {
  switch (column.kind) {
    case 'cards':
      return Object.entries(column.pattern.slots).map(([profile, count]) => {
        return { slot: slotFromCard(column, profile, workloads), count }
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
