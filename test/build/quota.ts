import type { JsonRecord } from '../../src/core/json.ts'
import { readLimitRange } from '../../src/core/quota/limit-range.ts'
import type { NamespaceLimits } from '../../src/core/quota/namespace-limits.ts'
import { readResourceQuota } from '../../src/core/quota/resource-quota.ts'

/** What a test says of a quota: hard and used by key, or the hard limit alone while nothing was counted yet. */
export interface QuotaSpec {
  readonly name?: string
  readonly namespace?: string
  readonly counts?: Readonly<Record<string, readonly [hard: string, used?: string]>>
  readonly scopes?: readonly string[]
  readonly selector?: readonly JsonRecord[]
}

/** A ResourceQuota as the API server sends it; by default two whole GPUs of which none is used. */
export function aRawQuota({
  name = 'gpu',
  namespace = 'team-a',
  counts = { 'requests.nvidia.com/gpu': ['2', '0'] },
  scopes,
  selector
}: QuotaSpec = {}): JsonRecord {
  const entries = Object.entries(counts)
  const hard = Object.fromEntries(entries.map(([key, [limit]]) => [key, limit]))
  const used = entries.flatMap(([key, [, count]]) => (count === undefined ? [] : [[key, count]]))
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace },
    spec: {
      hard,
      ...(scopes === undefined ? {} : { scopes }),
      ...(selector === undefined ? {} : { scopeSelector: { matchExpressions: selector } })
    },
    status: { hard, used: Object.fromEntries(used) }
  }
}

/** A LimitRange as the API server sends it. */
export function aRawLimitRange(limits: readonly JsonRecord[], name = 'defaults'): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name, namespace: 'team-a' },
    spec: { limits }
  }
}

/** What bounds a namespace with these quotas and limits of LimitRanges. */
export function someLimits({
  quotas = [],
  limitRanges = [],
  inFlight = {}
}: {
  readonly quotas?: readonly QuotaSpec[]
  readonly limitRanges?: readonly JsonRecord[]
  readonly inFlight?: NamespaceLimits['inFlight']
}): NamespaceLimits {
  return {
    quotas: quotas.flatMap((quota) => readResourceQuota(aRawQuota(quota)) ?? []),
    limitRanges: limitRanges.flatMap((item) => readLimitRange(aRawLimitRange([item])) ?? []),
    inFlight
  }
}
