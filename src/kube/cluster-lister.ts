import { fieldOf } from '../core/json.ts'
import type { ClusterLister, ListedKind } from '../ports/cluster-lister.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'
import { listCollection } from './list-collection.ts'
import type { WatchedResource } from './watched-resource.ts'

const resources: Readonly<Record<ListedKind, WatchedResource & { readonly metadataOnly?: true }>> = {
  nodes: { path: '/api/v1/nodes', kind: 'Node' },
  namespaces: { path: '/api/v1/namespaces', kind: 'Namespace' },
  gpupolicies: { path: '/apis/rightslice.dev/v1alpha1/gpupolicies', kind: 'GpuPolicy' },
  gpuworkloads: { path: '/apis/rightslice.dev/v1alpha1/gpuworkloads', kind: 'GpuWorkload' },
  gpuexemptions: { path: '/apis/rightslice.dev/v1alpha1/gpuexemptions', kind: 'GpuExemption' },
  replicasets: { path: '/apis/apps/v1/replicasets', kind: 'ReplicaSet', metadataOnly: true },
  jobs: { path: '/apis/batch/v1/jobs', kind: 'Job', metadataOnly: true },
  pods: { path: '/api/v1/pods', kind: 'Pod' },
  resourcequotas: { path: '/api/v1/resourcequotas', kind: 'ResourceQuota' },
  limitranges: { path: '/api/v1/limitranges', kind: 'LimitRange' }
}

/** Nodes and pods are long: pages of 100 keep memory low. */
const PAGE_SIZE = 100

/** Answer of an API server that does not know a kind, as before an installation. */
const NOT_FOUND = 404

/** Reads collections of the cluster behind a connection. */
export function clusterLister(
  connection: Pick<KubeConnection, 'request'>,
  signal: AbortSignal
): ClusterLister {
  return {
    list: async (kind, onObject) => {
      const { metadataOnly = false, ...resource } = resources[kind]
      const withKind = (raw: unknown): void =>
        onObject({ ...Object(raw), kind: fieldOf(raw, 'kind') ?? resource.kind })
      try {
        await listCollection({ connection, resource, metadataOnly, pageSize: PAGE_SIZE, signal }, withKind)
      } catch (fault) {
        if (!(fault instanceof KubeError && fault.status === NOT_FOUND)) throw fault
      }
    }
  }
}
