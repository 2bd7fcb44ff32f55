import { type WorkloadRef, workloadKey } from '../../pod/workload.ts'
import { type DeviceSeries, deviceKey } from '../dialect-series.ts'
import type { OwnedClaim } from './judge-claim.ts'
import type { AttributionReason } from './reasons.ts'

/** Most that one container of one pod can have used on devices that it shared, which is no evidence of its need. */
export interface SharedBound {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly container: string
  readonly pod: string
  readonly atMostMiB: number
  /** Time of the highest value, ms since the epoch; undefined where the source only tells the day. */
  readonly atMs: number | undefined
  /** Whether it comes from series that name the pod, or only from the total of the device, since those show nothing. */
  readonly basis: 'series' | 'device-total'
  readonly days: number
}

/** Collects upper bounds. */
export interface BoundCollection {
  /** Takes a claim that was discarded; only devices that others were on too give a bound. */
  add(claim: OwnedClaim, reason: AttributionReason, values: BoundValues): void
  /** Ordered by namespace, workload, container and pod. */
  bounds(): readonly SharedBound[]
}

/** What bounds a claim, MiB: the series that names the pod, and the total of its device on that day; 0 where there is none. */
export interface BoundValues {
  readonly seriesMiB: number
  readonly totalMiB: number
}

interface Entry extends Omit<SharedBound, 'days'> {
  readonly dayMs: ReadonlySet<number>
}

/** On such a device others were too, or nobody can see what is the pod's; a pod that was alone there needs no bound. */
const boundingReasons: readonly AttributionReason[] = ['shared-device', 'replicated-device', 'zero']

/** A collection with nothing in it. */
export function newBoundCollection(): BoundCollection {
  const all = new Map<string, Entry>()
  return {
    add(claim, reason, { seriesMiB, totalMiB }) {
      if (!boundingReasons.includes(reason)) return
      const { owner, day, series: own } = claim
      const atMostMiB = Math.max(seriesMiB, totalMiB)
      if (atMostMiB <= 0) return
      const { namespace, workload, container } = owner
      const { pod } = own.labels
      const key = [namespace, workloadKey(workload), container, pod].join('\u0000')
      const basis = seriesMiB > 0 ? 'series' : 'device-total'
      const next = { namespace, workload, container, pod, atMostMiB, atMs: day.maxAtMs, basis } as const
      all.set(key, joinBounds(all.get(key), { ...next, dayMs: new Set([day.dayMs]) }))
    },
    bounds: () =>
      [...all]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { dayMs, ...bound }]) => ({ ...bound, days: dayMs.size }))
  }
}

function joinBounds(known: Entry | undefined, next: Entry): Entry {
  if (known === undefined) return next
  return { ...(isAbove(next, known) ? next : known), dayMs: new Set([...known.dayMs, ...next.dayMs]) }
}

/** Highest memory of devices as a whole, from the series that name no pod, by `dayMs device`. */
export function totalsOf(series: readonly DeviceSeries[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const { labels, metric, days } of series) {
    if (labels.pod !== '' || metric !== 'memory') continue
    for (const { dayMs, max } of days) {
      const key = `${dayMs} ${deviceKey(labels)}`
      totals.set(key, Math.max(totals.get(key) ?? 0, max))
    }
  }
  return totals
}

type Found = Pick<SharedBound, 'atMostMiB' | 'atMs' | 'basis'>

function isAbove(one: Found, other: Found): boolean {
  if (one.atMostMiB !== other.atMostMiB) return one.atMostMiB > other.atMostMiB
  if (one.basis !== other.basis) return one.basis === 'series'
  return (one.atMs ?? Infinity) < (other.atMs ?? Infinity)
}
