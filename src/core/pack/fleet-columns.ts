import type { Fleet, Pool, WorkloadClass } from './fleet.ts'
import type { Pattern } from './patterns.ts'
import { reachBySteps } from './serving.ts'

/** What an unknown of the program of a fleet is about. */
export type FleetColumn =
  /** Cards of a pool that are cut in one way, for one tenant. */
  | {
      readonly kind: 'cards'
      readonly pool: Pool
      readonly tenant: string | undefined
      readonly pattern: Pattern
    }
  /** Workloads of a class that run in a pool. */
  | { readonly kind: 'workloads'; readonly pool: Pool; readonly workload: WorkloadClass }
  /** Slots that could be a pinned workload's and are open to others instead. */
  | {
      readonly kind: 'opened'
      readonly pool: Pool
      readonly tenant: string | undefined
      readonly profile: string
    }
  /** The least that a zone holds of a class that is spread. */
  | { readonly kind: 'least'; readonly workload: WorkloadClass }
  /** Workloads of a class that find no room. */
  | { readonly kind: 'left'; readonly workload: WorkloadClass }

/** A kind of slot, apart from it that for pinned workloads. */
export interface Slot {
  readonly profile: string
  readonly isExact: boolean
}

/** Who may be on a card of the pool together: one tenant each, and all without a tenant. */
export function tenantsOf(pool: Pool, workloads: readonly WorkloadClass[]): readonly (string | undefined)[] {
  const tenants = workloads
    .filter((workload) => slotIn(workload, pool) !== undefined)
    .map(({ tenant }) => tenant)
  return [...new Set(tenants)].toSorted((a = '', b = '') => (a < b ? -1 : 1))
}

/** The slot that a workload of the class asks for in the pool; undefined where it may not run. */
export function slotIn({ slots, isExact = false }: WorkloadClass, pool: Pool): Slot | undefined {
  const profile = Object.hasOwn(slots, pool.cards.id) ? slots[pool.cards.id] : undefined
  return profile === undefined ? undefined : { profile, isExact }
}

/** True when a slot of this profile on a card of the pool may be given to one who asks for `asked`. */
export function isSlotFor(pool: Pool, profile: string, asked: Slot): boolean {
  return asked.isExact ? profile === asked.profile : reachBySteps(profile, pool.steps).has(asked.profile)
}

/** Ways to cut the cards of a pool for a tenant. */
function patternsFor(
  pool: Pool,
  tenant: string | undefined,
  workloads: readonly WorkloadClass[]
): readonly Pattern[] {
  return pinnedIn(pool, tenant, workloads).size > 0 ? pool.cards.full : pool.cards.patterns
}

/** Profiles to which workloads of the tenant are pinned in the pool. */
function pinnedIn(
  pool: Pool,
  tenant: string | undefined,
  workloads: readonly WorkloadClass[]
): ReadonlySet<string> {
  const pinned = workloads.filter((workload) => workload.isExact === true && workload.tenant === tenant)
  return new Set(pinned.flatMap((workload) => slotIn(workload, pool)?.profile ?? []))
}

/** The slot as which a slot of this profile comes from a card: for pinned workloads first, where there are any. */
export function slotFromCard(
  { pool, tenant }: { readonly pool: Pool; readonly tenant: string | undefined },
  profile: string,
  workloads: readonly WorkloadClass[]
): Slot {
  return { profile, isExact: pinnedIn(pool, tenant, workloads).has(profile) }
}

/** All unknowns, in a fixed order. */
export function fleetColumns({ pools, workloads }: Fleet): readonly FleetColumn[] {
  return [
    ...pools.flatMap((pool) =>
      tenantsOf(pool, workloads).flatMap((tenant) => tenantColumns(pool, tenant, workloads))
    ),
    ...workloads.flatMap((workload) =>
      pools.flatMap((pool): readonly FleetColumn[] =>
        slotIn(workload, pool) === undefined ? [] : [{ kind: 'workloads', pool, workload }]
      )
    ),
    ...workloads
      .filter(({ maxSkew }) => maxSkew !== undefined)
      .map((workload): FleetColumn => ({ kind: 'least', workload }))
  ]
}

function tenantColumns(
  pool: Pool,
  tenant: string | undefined,
  workloads: readonly WorkloadClass[]
): readonly FleetColumn[] {
  return [
    ...patternsFor(pool, tenant, workloads).map(
      (pattern): FleetColumn => ({ kind: 'cards', pool, tenant, pattern })
    ),
    ...[...pinnedIn(pool, tenant, workloads)].toSorted().map((profile): FleetColumn => {
      return { kind: 'opened', pool, tenant, profile }
    })
  ]
}
