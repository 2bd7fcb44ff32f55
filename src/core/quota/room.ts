import { compareText } from '../compare-text.ts'
import type { ScopeTraits } from '../pod/scope-traits.ts'
import type { NamespaceLimits } from './namespace-limits.ts'
import { isDeviceClassKey } from './quota-key.ts'
import { matchScopes, type ScopeMatch } from './scope-match.ts'

/** A quota that limits a key for a pod. */
export interface Room {
  readonly quota: string
  /** How many more may be asked for: zero where all is used, below where a limit was lowered. */
  readonly left: number
  /** Whether the quota counts the pod for certain, or only perhaps. */
  readonly match: Exclude<ScopeMatch, 'no'>
}

/**
 * Every quota that limits the key for the pod, the one that leaves least first. One that was never counted has no room: Kubernetes
 * refuses pods until it was.
 */
export function roomsFor(key: string, limits: NamespaceLimits, traits: ScopeTraits): readonly Room[] {
  const rooms = limits.quotas.flatMap((quota): readonly Room[] => {
    const limit = Object.hasOwn(quota.limits, key) ? quota.limits[key] : undefined
    const match = matchScopes(quota.scopes, traits)
    if (limit === undefined || match === 'no') return []
    const left = limit.used === undefined ? 0 : limit.hard - limit.used - countIn(limits.inFlight, key)
    return [{ quota: quota.name, left, match }]
  })
  return rooms.toSorted((a, b) => a.left - b.left || compareText(a.quota, b.quota))
}

/** The limits of a namespace while a pod is asked about that counts among what is in flight itself. */
export function withoutOwn(limits: NamespaceLimits, own: Readonly<Record<string, number>>): NamespaceLimits {
  return {
    ...limits,
    inFlight: Object.fromEntries(
      Object.entries(limits.inFlight).map(([key, count]) => [key, Math.max(0, count - countIn(own, key))])
    )
  }
}

/** Keys by which a namespace limits the devices of DeviceClasses. */
export function deviceClassKeys({ quotas }: NamespaceLimits): readonly string[] {
  const keys = quotas.flatMap(({ limits }) => Object.keys(limits).filter(isDeviceClassKey))
  return [...new Set(keys)].sort()
}

function countIn(counts: Readonly<Record<string, number>>, key: string): number {
  return Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0
}
