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

/** Workloads that may be on one card of a pool together: those of one tenant, or all without a tenant. */
export interface Sharers {
  readonly pool: Pool
  readonly tenant: string | undefined
  /** Profiles to which some of them are pinned. */
  readonly pinned: ReadonlySet<string>
}

/** Who shares cards of the pool, by name of the tenant; those without one come last. */
export function sharersOf(pool: Pool, workloads: readonly WorkloadClass[]): readonly Sharers[] {
  const running = workloads.filter((workload) => slotIn(workload, pool) !== undefined)
  const tenants = [...Map.groupBy(running, ({ tenant }) => tenant)]
  return tenants
    .toSorted(([a], [b]) => compareTenants(a, b))
    .map(([tenant, own]) => {
      const pins = own.filter(({ isExact }) => isExact === true)
      return {
        pool,
        tenant,
        pinned: new Set(pins.flatMap((workload) => slotIn(workload, pool)?.profile ?? []))
      }
    })
}

function compareTenants(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a < b ? -1 : 1
}

/** The slot that a workload of the class asks for in the pool; undefined where it may not run, or no node holds one. */
export function slotIn(workload: WorkloadClass, pool: Pool): Slot | undefined {
  return isHeldByNode(workload, pool) ? namedSlot(workload, pool) : undefined
}

/** The slot that a workload of the class asks for in the pool, whether a node holds it or not. */
export function namedSlot({ slots, isExact = false }: WorkloadClass, pool: Pool): Slot | undefined {
  const profile = Object.hasOwn(slots, pool.cards.id) ? slots[pool.cards.id] : undefined
  return profile === undefined ? undefined : { profile, isExact }
}

function isHeldByNode(
  { cpuMilli = 0, memoryMiB = 0 }: WorkloadClass,
  { largestNodeCpuMilli = Infinity, largestNodeMemoryMiB = Infinity }: Pool
): boolean {
  return cpuMilli <= largestNodeCpuMilli && memoryMiB <= largestNodeMemoryMiB
}

/** True when a slot of this profile on a card of the pool may be given to one who asks for `asked`. */
export function isSlotFor(pool: Pool, profile: string, asked: Slot): boolean {
  return asked.isExact ? profile === asked.profile : reachBySteps(profile, pool.steps).has(asked.profile)
}

/** All unknowns, in a fixed order. */
export function fleetColumns({ pools, workloads }: Fleet): readonly FleetColumn[] {
  return [
    ...pools.flatMap((pool) => sharersOf(pool, workloads).flatMap(cardColumns)),
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

/** Ways to cut cards for those who share them, and slots that pinned ones among them may leave to others. */
function cardColumns({ pool, tenant, pinned }: Sharers): readonly FleetColumn[] {
  const patterns = pinned.size > 0 ? pool.cards.full : pool.cards.patterns
  return [
    ...patterns.map((pattern): FleetColumn => ({ kind: 'cards', pool, tenant, pattern })),
    ...[...pinned].toSorted().map((profile): FleetColumn => ({ kind: 'opened', pool, tenant, profile }))
  ]
}
