import { type LimitRange, readLimitRange } from '../core/quota/limit-range.ts'
import type { ResourceQuota } from '../core/quota/resource-quota.ts'
import type { Reflector } from '../kube/reflector.ts'
import { type MirrorMeans, mirror } from './cluster-reader.ts'
import { quotaMirror } from './quota-mirror.ts'

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
