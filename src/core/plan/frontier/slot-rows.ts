import type { ProgramRow } from '../../pack/integer-program.ts'
import type { Pattern } from '../../pack/patterns.ts'
import type { PlanPool } from '../plan-state.ts'
import { isSlotFor } from './card-ways.ts'
import { sortTenants } from './columns.ts'
import type { RowContext } from './rows.ts'
import { slotGroups } from './slot-groups.ts'

/** For each tenant the slots of a pool are enough for those who come. */
export function slotRows(context: RowContext): readonly ProgramRow[] {
  return context.state.pools.flatMap((pool) => {
    const moves = context.columns.filter((column) => column.kind === 'move' && column.pool === pool.id)
    return sortTenants(moves.map((column) => (column.kind === 'move' ? column.tenant : undefined))).flatMap(
      (tenant) => tenantRows(context, pool, tenant)
    )
  })
}

function tenantRows(context: RowContext, pool: PlanPool, tenant: string | undefined): readonly ProgramRow[] {
  const own = context.columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => column.kind !== 'clear' && column.pool === pool.id && column.tenant === tenant)
  const offered = [
    ...new Set(
      own.flatMap(({ column }) =>
        column.kind === 'keep' || column.kind === 'fill' ? Object.keys(column.way.slots) : []
      )
    )
  ]
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
      ...own.flatMap(({ column, index }) => {
        if (column.kind !== 'keep' && column.kind !== 'fill') return []
        const count = countIn(column.way, group)
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
