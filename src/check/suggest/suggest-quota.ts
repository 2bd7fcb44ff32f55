import type { JsonRecord } from '../../core/json.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import { requestsKey } from '../../core/quota/quota-key.ts'
import type { QuotaScope, ResourceQuota } from '../../core/quota/resource-quota.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import {
  type ChoosableShare,
  choosableShares,
  optedInNamespaces,
  type SuggestSight
} from './choosable-shares.ts'

const WHOLE = requestsKey(WHOLE_GPU)

/** A quota that counts whole GPUs, and the shares that it and its like leave uncounted. */
export interface UncountedShares {
  readonly quota: ResourceQuota
  readonly wholeGpus: number
  readonly shares: readonly ChoosableShare[]
}

/** Quotas of namespaces that opted in from which a share would escape, by namespace and name. */
export function uncountedShares(sight: SuggestSight): readonly UncountedShares[] {
  return optedInNamespaces(sight).flatMap((namespace) => uncountedIn(namespace, sight))
}

function uncountedIn(namespace: NamespaceView, sight: SuggestSight): readonly UncountedShares[] {
  const quotas = sight.quotas
    .filter((quota) => quota.namespace === namespace.name)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const counted = new Set(quotas.flatMap(({ limits }) => Object.keys(limits)))
  return quotas.flatMap((quota) => {
    const limit = quota.limits[WHOLE]
    if (limit === undefined) return []
    const shares = choosableShares(sight, namespace).filter(
      ({ resource }) => !counted.has(requestsKey(resource))
    )
    return shares.length === 0 ? [] : [{ quota, wholeGpus: limit.hard, shares }]
  })
}

/** ResourceQuotas that count the shares as the quotas that are there count whole GPUs: a limit of two is worth two GPUs of each share. */
export function suggestQuotas(sight: SuggestSight): readonly JsonRecord[] {
  return uncountedShares(sight).map(({ quota: { namespace, name, scopes }, wholeGpus, shares }) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: `${name.slice(0, MOST_NAME)}-shares`, namespace },
    spec: {
      hard: Object.fromEntries(
        shares.map(({ resource, perGpu }) => [requestsKey(resource), hardOf(wholeGpus, perGpu)])
      ),
      ...scopesOf(scopes)
    }
  }))
}

/** A name of Kubernetes has 253 characters at most. */
const MOST_NAME = 253 - '-shares'.length

function hardOf(wholeGpus: number, perGpu: number): string {
  return String(Math.min(wholeGpus * perGpu, Number.MAX_SAFE_INTEGER))
}

function scopesOf(scopes: readonly QuotaScope[]): JsonRecord {
  if (scopes.length === 0) return {}
  const matchExpressions = scopes.map(({ name, operator, values }) => ({
    scopeName: name,
    operator,
    ...(values.length === 0 ? {} : { values })
  }))
  return { scopeSelector: { matchExpressions } }
}
