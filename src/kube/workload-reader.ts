import type { WorkloadReader } from '../ports/workload-reader.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'

const collections: Readonly<Record<string, { readonly path: string; readonly kind: string }>> = {
  pod: { path: '/api/v1', kind: 'Pod' },
  replicationcontroller: { path: '/api/v1', kind: 'ReplicationController' },
  deployment: { path: '/apis/apps/v1', kind: 'Deployment' },
  statefulset: { path: '/apis/apps/v1', kind: 'StatefulSet' },
  daemonset: { path: '/apis/apps/v1', kind: 'DaemonSet' },
  replicaset: { path: '/apis/apps/v1', kind: 'ReplicaSet' },
  job: { path: '/apis/batch/v1', kind: 'Job' },
  cronjob: { path: '/apis/batch/v1', kind: 'CronJob' }
}

/** Limit for one object, ms. */
const CALL_MS = 15_000

/** Statuses that say no more than that there is nothing to see. */
const unseen: ReadonlySet<number> = new Set([403, 404])

/** Reads the workloads that Kubernetes itself knows from the cluster behind a connection. */
export function workloadReader(
  connection: Pick<KubeConnection, 'request'>,
  signal: AbortSignal
): WorkloadReader {
  return {
    read: async (type, namespace, name) => {
      const collection = Object.hasOwn(collections, type) ? collections[type] : undefined
      if (collection === undefined) return undefined
      const own = `/namespaces/${encodeURIComponent(namespace)}/${type}s/${encodeURIComponent(name)}`
      try {
        const path = `${collection.path}${own}`
        const answer = await connection.request({ method: 'GET', path, signal, timeoutMs: CALL_MS })
        return { kind: collection.kind, ...Object(await answer.json()) }
      } catch (fault) {
        if (fault instanceof KubeError && unseen.has(fault.status)) return undefined
        throw fault
      }
    }
  }
}
