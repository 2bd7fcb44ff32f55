import type { Pattern } from '../../pack/patterns.ts'
import type { PlanState } from '../plan-state.ts'
import type { AskClass, ClearClass, KeptClass, StateClasses } from './state-classes.ts'

/** What an unknown of the program is about. */
export type DrainColumn =
  /** Cards or nodes of a kind whose pods leave. */
  | { readonly kind: 'clear'; readonly clear: ClearClass }
  /** Cards that stay in use and take further pods of a tenant in one way. */
  | {
      readonly kind: 'keep'
      readonly kept: KeptClass
      readonly pool: string
      readonly tenant: string | undefined
      readonly way: Pattern
    }
  /** Empty cards that are laid out in one way for a tenant. */
  | {
      readonly kind: 'fill'
      readonly pool: string
      readonly tenant: string | undefined
      readonly way: Pattern
    }
  /** Pods of a kind that move to a pool. */
  | {
      readonly kind: 'move'
      readonly ask: AskClass
      readonly pool: string
      readonly tenant: string | undefined
    }

/** All unknowns, in a fixed order. */
export function drainColumns(
  { pools }: PlanState,
  { asks, kept, clears, empty, ways }: StateClasses
): readonly DrainColumn[] {
  const leaving = new Set(clears.flatMap((clear) => [...clear.leaving.keys()]))
  const moving = [...asks.values()].filter(({ key }) => leaving.has(key))
  const tenantsIn = (pool: string): readonly (string | undefined)[] =>
    sortTenants(moving.filter(({ slots }) => Object.hasOwn(slots, pool)).map(({ tenant }) => tenant))
  const sorted = pools.map(({ id }) => id).toSorted()
  const mayBeEmpty = new Set([...empty.keys(), ...clears.map(({ pool }) => pool)])
  return [
    ...clears.map((clear): DrainColumn => ({ kind: 'clear', clear })),
    ...kept.flatMap((entry) => {
      const all = tenantsIn(entry.pool)
      const tenants = entry.isIdle ? all : all.filter((tenant) => tenant === entry.tenant)
      return tenants.flatMap((tenant) =>
        entry.ways.map((way): DrainColumn => ({ kind: 'keep', kept: entry, pool: entry.pool, tenant, way }))
      )
    }),
    ...sorted
      .filter((pool) => mayBeEmpty.has(pool))
      .flatMap((pool) =>
        tenantsIn(pool).flatMap((tenant) =>
          (ways.get(pool)?.ofEmpty() ?? []).map((way): DrainColumn => ({ kind: 'fill', pool, tenant, way }))
        )
      ),
    ...moving.flatMap((ask) =>
      sorted
        .filter((pool) => Object.hasOwn(ask.slots, pool))
        .map((pool): DrainColumn => ({ kind: 'move', ask, pool, tenant: ask.tenant }))
    )
  ]
}

/** Each once, by name; `undefined`, for pods without a tenant, comes last. */
export function sortTenants(tenants: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return [...new Set(tenants)].toSorted((a = '', b = '') => (a < b ? -1 : 1))
}

/** The most there can be of a column. */
export function mostOf(column: DrainColumn, { clears, empty }: StateClasses): number {
  switch (column.kind) {
    case 'clear':
      return column.clear.members.length
    case 'keep':
      return column.kept.cards.length
    case 'fill':
      return clears
        .filter(({ pool }) => pool === column.pool)
        .reduce(
          (sum, { members, returns }) => sum + members.length * returns,
          empty.get(column.pool)?.length ?? 0
        )
    case 'move':
      return column.ask.pods.length
  }
}
