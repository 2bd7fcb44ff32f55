import { gpuTotalOf } from '../pod/gpu-total.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { NamespaceLimits } from '../quota/namespace-limits.ts'
import { CLAIM_COUNT_KEY, requestsKey } from '../quota/quota-key.ts'
import { deviceClassKeys } from '../quota/room.ts'
import type { Ask } from '../sharing/method.ts'
import type { Rewrite } from './decision.ts'
import { takenBy } from './taken.ts'

/** How much quotas count, by their keys. */
export type QuotaCounts = Readonly<Record<string, number>>

/** What quotas count of one ask. */
export function quotaCountsOf({ resources, claimTemplate }: Ask, limits: NamespaceLimits): QuotaCounts {
  return { ...byRequests(resources), ...byClaims(claimTemplate === undefined ? 0 : 1, limits) }
}

/** What quotas count of a pod's GPUs and claims. */
export function quotaCountsOfPod(
  { containers }: Pick<PodView, 'containers'>,
  limits: NamespaceLimits
): QuotaCounts {
  const claims = containers.filter((container) => container.claims.length > 0).length
  return { ...byRequests(gpuTotalOf(containers)), ...byClaims(claims, limits) }
}

/** What quotas will count of a rewritten pod that they do not count of it as it came; zero for one that has its shares already. */
export function quotaCountsAdded(pod: PodView, rewrite: Rewrite, limits: NamespaceLimits): QuotaCounts {
  const before = quotaCountsOfPod(pod, limits)
  const claims = rewrite.changes.filter(({ ask }) => ask.claimTemplate !== undefined).length
  const after = { ...byRequests(takenBy(pod, rewrite)), ...byClaims(claims, limits) }
  const added = Object.entries(after).map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
  return Object.fromEntries(added.filter(([, count]) => count > 0))
}

function byRequests(resources: Readonly<Record<string, number>>): QuotaCounts {
  return Object.fromEntries(Object.entries(resources).map(([name, count]) => [requestsKey(name), count]))
}

/** Of which class a claim's device is is not known here, so it counts for every class that is limited. */
function byClaims(count: number, limits: NamespaceLimits): QuotaCounts {
  if (count === 0) return {}
  return Object.fromEntries([CLAIM_COUNT_KEY, ...deviceClassKeys(limits)].map((key) => [key, count]))
}
