import { sliceLabel } from '../core/api/names.ts'
import { fieldOf } from '../core/json.ts'
import type { ClusterLister, ListedKind } from '../ports/cluster-lister.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'
import { listCollection } from './list-collection.ts'
import type { WatchedResource } from './watched-resource.ts'

interface ListedResource extends WatchedResource {
  readonly metadataOnly?: true
  /** Whether it is as good as not there to somebody who may not read it. */
  readonly optional?: true
}

const resources: Readonly<Record<ListedKind, ListedResource>> = {
  nodes: { path: '/api/v1/nodes', kind: 'Node' },
  namespaces: { path: '/api/v1/namespaces', kind: 'Namespace' },
  gpupolicies: { path: '/apis/rightslice.dev/v1alpha1/gpupolicies', kind: 'GpuPolicy' },
  gpuworkloads: { path: '/apis/rightslice.dev/v1alpha1/gpuworkloads', kind: 'GpuWorkload' },
  gpuexemptions: { path: '/apis/rightslice.dev/v1alpha1/gpuexemptions', kind: 'GpuExemption' },
  replicasets: { path: '/apis/apps/v1/replicasets', kind: 'ReplicaSet', metadataOnly: true },
  jobs: { path: '/apis/batch/v1/jobs', kind: 'Job', metadataOnly: true },
  pods: { path: '/api/v1/pods', kind: 'Pod' },
  resourcequotas: { path: '/api/v1/resourcequotas', kind: 'ResourceQuota' },
  limitranges: { path: '/api/v1/limitranges', kind: 'LimitRange' },
  resourceslices: {
    path: '/apis/resource.k8s.io/v1/resourceslices',
    kind: 'ResourceSlice',
    optional: true
  },
  deviceclasses: { path: '/apis/resource.k8s.io/v1/deviceclasses', kind: 'DeviceClass', optional: true },
  resourceclaimtemplates: {
    path: '/apis/resource.k8s.io/v1/resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    labelSelector: sliceLabel,
    optional: true
  }
}

/** Nodes and pods are long: pages of 100 keep memory low. */
const PAGE_SIZE = 100

/** Answer of an API server that does not know a kind, as before an installation. */
const NOT_FOUND = 404

/** Answer to somebody who may not read a kind. */
const FORBIDDEN = 403

/** Reads collections of the cluster behind a connection. */
export function clusterLister(
  connection: Pick<KubeConnection, 'request'>,
  signal: AbortSignal
): ClusterLister {
  return {
    list: async (kind, onObject) => {
      const { metadataOnly = false, optional = false, ...resource } = resources[kind]
      const withKind = (raw: unknown): void =>
        onObject({ ...Object(raw), kind: fieldOf(raw, 'kind') ?? resource.kind })
      try {
        await listCollection({ connection, resource, metadataOnly, pageSize: PAGE_SIZE, signal }, withKind)
      } catch (fault) {
        const isAbsent =
          fault instanceof KubeError &&
          (fault.status === NOT_FOUND || (optional && fault.status === FORBIDDEN))
        if (!isAbsent) throw fault
      }
    }
  }
}
