import { type ResourceQuota, readResourceQuota } from '../core/quota/resource-quota.ts'
import type { Reflector } from '../kube/reflector.ts'
import { type MirrorMeans, mirror } from './cluster-reader.ts'

/** Mirror of the quotas; those that say nothing of GPUs take no memory. */
export function quotaMirror(means: MirrorMeans): Reflector<ResourceQuota> {
  return mirror(means, {
    resource: { path: '/api/v1/resourcequotas', kind: 'ResourceQuota' },
    project: readResourceQuota
  })
}
