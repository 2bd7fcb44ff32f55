import type { NodeView } from '../../core/cluster/node-view.ts'
import { gkeLabels } from '../../core/sharing/gke-labels.ts'
import { countLabel, nodeLabels } from '../../core/sharing/node-labels.ts'
import { withoutShared } from '../../core/usage/attribution/device-size.ts'
import type { KnownNode } from '../../core/usage/attribution/known.ts'

const wholeGpu = 'nvidia.com/gpu'

/** What a node's labels say of its devices: how many containers may get one, and its memory, by resource. */
export function knownNodeOf(node: NodeView): KnownNode {
  const resources = new Set([wholeGpu, ...Object.keys(node.allocatable).map(withoutShared)])
  const replicas: Record<string, number> = {}
  const memoryMiB: Record<string, number> = {}
  for (const resource of [...resources].sort()) {
    const prefix = resource === wholeGpu ? undefined : resource
    const count = countLabel(node, prefix === undefined ? nodeLabels.replicas : `${prefix}.replicas`)
    const memory = countLabel(node, prefix === undefined ? nodeLabels.memory : `${prefix}.memory`)
    if (count !== undefined) replicas[resource] = Math.max(1, count)
    if (memory !== undefined) memoryMiB[resource] = memory
  }
  const clients = countLabel(node, gkeLabels.maxSharedClients)
  if (clients !== undefined) replicas[wholeGpu] = Math.max(1, clients)
  const strategies = [node.labels[nodeLabels.sharingStrategy], node.labels[gkeLabels.sharingStrategy]]
  return { name: node.name, replicas, memoryMiB, mps: strategies.includes('mps') }
}
