import type { NodeView } from '../cluster/node-view.ts'
import { toDottedProfile } from '../gpu/profile.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { refuseProfile } from './allowed-profiles.ts'
import { isGkeShare } from './gke-labels.ts'
import { askForOne, type Offer, type SharingMethod } from './method.ts'
import { migMixed } from './mig-mixed.ts'
import {
  countLabel,
  isLayoutSettled,
  nodeLabels,
  productOf,
  sliceCompute,
  sliceMemoryMiB
} from './node-labels.ts'

/**
 * MIG slices under the single strategy: every GPU of the node is cut into slices of one profile, and each is handed out as
 * `nvidia.com/gpu`. Which node a pod comes to decides what it gets, so it selects the product label, which names the profile.
 */
export const migSingle: SharingMethod = {
  name: 'mig-single',
  isolates: (separation) => migMixed.isolates(separation),
  needs: 'nodes whose GPUs are cut under the single strategy, with a product label that names the profile',
  offers: (node) => (isTrusted(node) ? offerOf(node) : []),
  refusal: refuseProfile,
  ask: askForOne,
  ownPaths: []
}

/** Replicas of slices are no slices, and GKE's own labels say more than those of feature discovery. */
function isTrusted(node: NodeView): boolean {
  return (
    node.labels[nodeLabels.migStrategy] === 'single' &&
    isLayoutSettled(node) &&
    !isReplicated(node) &&
    !isGkeShare(node)
  )
}

function isReplicated({ labels }: NodeView): boolean {
  const replicas = labels[nodeLabels.replicas] ?? '1'
  const strategy = labels[nodeLabels.sharingStrategy] ?? 'none'
  return replicas !== '1' || strategy !== 'none'
}

function offerOf(node: NodeView): readonly Offer[] {
  const product = productOf(node)
  const value = node.labels[nodeLabels.product]
  if (product?.layout.kind !== 'mig' || product.shared || value === undefined) return []
  const { profile } = product.layout
  const count = node.allocatable[WHOLE_GPU] ?? 0
  if (count === 0 || count > (countLabel(node, nodeLabels.count) ?? count)) return []
  const compute = sliceCompute(node, WHOLE_GPU, profile)
  return [
    {
      method: 'mig-single',
      resource: WHOLE_GPU,
      share: `mig-${toDottedProfile(profile)}`,
      profile,
      usableMiB: sliceMemoryMiB(node, WHOLE_GPU, profile),
      computeRatio: compute.ratio,
      computeBasis: compute.basis,
      count,
      replicas: 1,
      separation: 'hardware',
      requires: { [nodeLabels.product]: value }
    }
  ]
}
