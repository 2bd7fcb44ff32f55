import type { NodeView } from '../../core/cluster/node-view.ts'
import { GPU_MEMORY, WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import { gkeLabels } from '../../core/sharing/gke-labels.ts'
import { countLabel, nodeLabels } from '../../core/sharing/node-labels.ts'
import { withoutShared } from '../../core/usage/attribution/device-size.ts'
import type { KnownNode } from '../../core/usage/attribution/known.ts'

/** What a node's labels, and HAMi's registration, say of its devices: how many containers may get one, and its memory, by resource. */
export function knownNodeOf(node: NodeView): KnownNode {
  const resources = new Set([WHOLE_GPU, ...Object.keys(node.allocatable).map(withoutShared)])
  const replicas: Record<string, number> = {}
  const memoryMiB: Record<string, number> = {}
  for (const resource of [...resources].sort()) {
    const prefix = resource === WHOLE_GPU ? undefined : resource
    const count = countLabel(node, prefix === undefined ? nodeLabels.replicas : `${prefix}.replicas`)
    const memory = countLabel(node, prefix === undefined ? nodeLabels.memory : `${prefix}.memory`)
    if (count !== undefined) replicas[resource] = Math.max(1, count)
    if (memory !== undefined) memoryMiB[resource] = memory
  }
  if (node.hami !== undefined) replicas[WHOLE_GPU] = replicas[GPU_MEMORY] = node.hami.split
  const clients = countLabel(node, gkeLabels.maxSharedClients)
  if (clients !== undefined) replicas[WHOLE_GPU] = Math.max(1, clients)
  const strategies = [node.labels[nodeLabels.sharingStrategy], node.labels[gkeLabels.sharingStrategy]]
  return { name: node.name, replicas, memoryMiB, mps: strategies.includes('mps') }
}
