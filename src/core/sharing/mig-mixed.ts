import type { NodeView } from '../cluster/node-view.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { askForOne, type Offer, type Refusal, type ShareContext, type SharingMethod } from './method.ts'
import {
  countLabel,
  hasInvalidLayout,
  hasSliceLabels,
  isLayoutSettled,
  isReplicated,
  nodeLabels,
  sliceCompute,
  sliceMemoryMiB
} from './node-labels.ts'

/** MIG slices under the mixed strategy: one extended resource per profile. */
export const migMixed: SharingMethod = {
  name: 'mig-mixed',
  isolates: () => 'memory, compute and faults are separated in hardware',
  needs: 'nodes whose GPUs are cut under the mixed strategy',
  offers: (node) =>
    isTrusted(node) ? Object.keys(node.allocatable).flatMap((name) => offerOf(node, name)) : [],
  refusal: refuseProfile,
  ask: askForOne,
  ownPaths: []
}

function isTrusted(node: NodeView): boolean {
  const strategy = node.labels[nodeLabels.migStrategy] ?? 'mixed'
  return strategy === 'mixed' && isLayoutSettled(node) && !hasInvalidLayout(node)
}

function offerOf(node: NodeView, resource: string): Offer[] {
  const parsed = parseGpuResourceName(resource)
  const count = node.allocatable[resource] ?? 0
  if (parsed?.kind !== 'mig' || count === 0 || !agreesWithLabels(node, resource, count)) return []
  const compute = sliceCompute(node, resource, parsed.profile)
  return [
    {
      method: 'mig-mixed',
      resource,
      share: `mig-${resource.slice('nvidia.com/mig-'.length)}`,
      profile: parsed.profile,
      usableMiB: sliceMemoryMiB(node, resource, parsed.profile),
      computeRatio: compute.ratio,
      computeBasis: compute.basis,
      count,
      replicas: 1,
      separation: 'hardware',
      requires: {}
    }
  ]
}

/**
 * The kubelet goes on listing resources of earlier layouts, while labels follow the real one: a slice counts only
 * where a label of its own exists, its count label is not below what is allocatable, and it is not replicated
 * (a replicated slice has the same name and no isolation).
 */
function agreesWithLabels(node: NodeView, resource: string, count: number): boolean {
  if (!hasSliceLabels(node, resource) || isReplicated(node, resource)) return false
  const labelled = countLabel(node, `${resource}.count`)
  return labelled === undefined || count <= labelled
}

/** Why the policy does not allow the profile of an offer. */
export function refuseProfile(offer: Offer, { policy }: ShareContext): Refusal | undefined {
  const allowed = policy.allowedProfiles
  if (allowed === undefined || (offer.profile !== undefined && allowed.includes(offer.profile)))
    return undefined
  const list = allowed.length === 0 ? 'none' : allowed.join(', ')
  return {
    reason: 'ProfileNotAllowed',
    sentence: `${offer.share} is not among the allowed profiles (${list})`
  }
}
