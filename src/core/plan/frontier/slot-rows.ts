import type { ProgramRow } from '../../pack/integer-program.ts'
import type { Pattern } from '../../pack/patterns.ts'
import type { PlanPool } from '../plan-state.ts'
import { isSlotFor } from './card-ways.ts'
import { type DrainColumn, sortTenants } from './columns.ts'
import type { RowContext } from './rows.ts'
import { slotGroups } from './slot-groups.ts'

/** A column of one pool and tenant, with its place. */
interface Own {
  readonly column: Exclude<DrainColumn, { readonly kind: 'clear' }>
  readonly index: number
}

/** For each tenant the slots of a pool are enough for those who come. */
export function slotRows({ state, columns }: RowContext): readonly ProgramRow[] {
  const all = columns.flatMap((column, index): readonly Own[] =>
    column.kind === 'clear' ? [] : [{ column, index }]
  )
  const byPool = Map.groupBy(all, ({ column }) => column.pool)
  return state.pools.flatMap((pool) => {
    const byTenant = Map.groupBy(byPool.get(pool.id) ?? [], ({ column }) => column.tenant)
    return sortTenants([...byTenant.keys()]).flatMap((tenant) =>
      tenantRows(byTenant.get(tenant) ?? [], pool, tenant)
    )
  })
}

function tenantRows(own: readonly Own[], pool: PlanPool, tenant: string | undefined): readonly ProgramRow[] {
  const ways = own.flatMap(({ column, index }) =>
    column.kind === 'move' ? [] : [{ index, way: column.way }]
  )
  const offered = [...new Set(ways.flatMap(({ way }) => Object.keys(way.slots)))]
  const reached = own.flatMap(({ column, index }) => {
    if (column.kind !== 'move') return []
    const { slots, isExact } = column.ask
    const asked = { profile: slots[pool.id] ?? '', isExact }
    return [{ index, slots: new Set(offered.filter((slot) => isSlotFor(pool.model, slot, asked))) }]
  })
  return slotGroups(reached.map(({ slots }) => slots)).map((group) => ({
    name: `${[...group].join(' or ')} of ${pool.id}${tenant === undefined ? '' : ` for ${tenant}`}`,
    least: 0,
    terms: [
      ...ways.flatMap(({ index, way }) => {
        const count = countIn(way, group)
        return count === 0 ? [] : [[index, count] as const]
      }),
      ...reached
        .filter(({ slots }) => [...slots].every((slot) => group.has(slot)))
        .map(({ index }) => [index, -1] as const)
    ]
  }))
}

function countIn({ slots }: Pattern, group: ReadonlySet<string>): number {
  return Object.entries(slots).reduce((sum, [profile, count]) => sum + (group.has(profile) ? count : 0), 0)
}
