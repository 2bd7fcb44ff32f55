import { isRecord } from '../../src/core/json.ts'
import { fleet } from './fleet.ts'
import { type Collection, type Collections, gpuPods } from './store-fleet.ts'

/** How much there is in the cluster that is asked at a normal rate. */
export const busySize = { nodes: 1_000, pods: 10_000 }

const WORKLOAD = 'llm-inference'

/** The cluster that the benchmark's pod is created in, with as many other pods, all of which have GPUs. */
export function busyCluster(): Collections {
  const { nodes, namespaces, policies, workloads } = fleet(busySize.nodes)
  return {
    nodes: listed(nodes, 'nodes'),
    namespaces: listed(namespaces, 'namespaces'),
    gpupolicies: listed(policies, 'policies'),
    gpuworkloads: listed(workloads, 'workloads'),
    replicasets: listed([replicaSet], 'replicasets'),
    pods: gpuPods(busySize.pods)
  }
}

const replicaSet = {
  metadata: {
    namespace: 'bench',
    name: `${WORKLOAD}-5fd8ff8d86`,
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: WORKLOAD, uid: '1', controller: true }
    ]
  }
}

/** The objects as an API server lists them: each has a uid and a version. */
function listed(objects: readonly unknown[], kind: string): Collection {
  return {
    count: objects.length,
    object: (index) => {
      const object = objects[index]
      const given = isRecord(object) ? object : {}
      const metadata = isRecord(given.metadata) ? given.metadata : {}
      return {
        ...given,
        metadata: { uid: `${kind}-${index}`, resourceVersion: String(index + 1), ...metadata }
      }
    }
  }
}
