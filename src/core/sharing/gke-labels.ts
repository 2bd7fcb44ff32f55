import type { NodeView } from '../cluster/node-view.ts'

/**
 * Labels by which GKE says how the GPUs of a node are cut and shared. Its plugin offers all of them under the one name
 * `nvidia.com/gpu`, so these labels alone tell what a pod gets.
 * @source https://docs.cloud.google.com/kubernetes-engine/docs/concepts/timesharing-gpus and how-to/gpus-multi
 */
export const gkeLabels = {
  accelerator: 'cloud.google.com/gke-accelerator',
  partitionSize: 'cloud.google.com/gke-gpu-partition-size',
  sharingStrategy: 'cloud.google.com/gke-gpu-sharing-strategy',
  maxSharedClients: 'cloud.google.com/gke-max-shared-clients-per-gpu'
} as const

/** Pool of nodes that are all alike; tells apart what the labels above cannot. */
export const gkePoolLabel = 'cloud.google.com/gke-nodepool'

const shareLabels = [gkeLabels.partitionSize, gkeLabels.sharingStrategy, gkeLabels.maxSharedClients] as const

/** Whether GKE cuts or shares the GPUs of this node: then its labels count, whatever feature discovery adds. */
export function isGkeShare({ labels }: Pick<NodeView, 'labels'>): boolean {
  return shareLabels.some((key) => Object.hasOwn(labels, key))
}
