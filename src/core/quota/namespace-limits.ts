import type { LimitRange } from './limit-range.ts'
import type { ResourceQuota } from './resource-quota.ts'

/** What bounds the pods of one namespace. */
export interface NamespaceLimits {
  /** In order of their names. */
  readonly quotas: readonly ResourceQuota[]
  readonly limitRanges: readonly LimitRange[]
  /** By key of a quota: what was answered here lately and may not be counted as used yet. */
  readonly inFlight: Readonly<Record<string, number>>
}

/** A namespace without any bound. */
export const noLimits: NamespaceLimits = { quotas: [], limitRanges: [], inFlight: {} }
