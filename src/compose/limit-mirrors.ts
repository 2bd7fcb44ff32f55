import { type LimitRange, readLimitRange } from '../core/quota/limit-range.ts'
import { type ResourceQuota, readResourceQuota } from '../core/quota/resource-quota.ts'
import type { Reflector } from '../kube/reflector.ts'
import { type MirrorMeans, mirror } from './cluster-reader.ts'

/** Mirrors of what bounds the pods of namespaces, by the name of their store; those that say nothing of GPUs take no memory. */
export function limitMirrors(means: MirrorMeans): {
  readonly quotas: Reflector<ResourceQuota>
  readonly limitRanges: Reflector<LimitRange>
} {
  return {
    quotas: quotaMirror(means),
    limitRanges: mirror(means, {
      resource: { path: '/api/v1/limitranges', kind: 'LimitRange' },
      project: readLimitRange
    })
  }
}

/** Mirror of the quotas alone. */
export function quotaMirror(means: MirrorMeans): Reflector<ResourceQuota> {
  return mirror(means, {
    resource: { path: '/api/v1/resourcequotas', kind: 'ResourceQuota' },
    project: readResourceQuota
  })
}
