import { namespaceLabels } from '../api/names.ts'
import type { NodeView } from '../cluster/node-view.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { refuseReplica } from './listed-namespace.ts'
import { askForOne, type Offer, type SharingMethod } from './method.ts'
import {
  countLabel,
  hasInvalidLayout,
  isLayoutSettled,
  nodeLabels,
  productOf,
  sliceCompute,
  sliceMemoryMiB
} from './node-labels.ts'
import { deviceReplicas, exceeds, perReplica, SHARED_SUFFIX } from './replicas.ts'

const STRATEGY = 'time-slicing'

/** Time-sliced replicas: of whole GPUs, of the slices of a single-strategy node, or of one MIG profile. */
export const timeSlicing: SharingMethod = {
  name: 'time-slicing',
  isolates: () => 'a time slice has no memory limit and no fault isolation',
  needs: `the namespace in timeSlicing.namespaces and its label ${namespaceLabels.isolation}=shared-ok`,
  offers: (node) =>
    isLayoutSettled(node) && !hasInvalidLayout(node)
      ? Object.keys(node.allocatable).flatMap((name) => offerOf(node, name))
      : [],
  refusal: (offer, context) => refuseReplica('timeSlicing', offer, context),
  ask: askForOne,
  ownPaths: []
}

function offerOf(node: NodeView, resource: string): readonly Offer[] {
  if ((node.allocatable[resource] ?? 0) === 0) return []
  const parsed = parseGpuResourceName(resource)
  switch (parsed?.kind) {
    case 'whole':
      return deviceOffer(node, resource)
    case 'mig':
      return sliceOffer(node, resource, { profile: parsed.profile, slice: resource, renamed: false })
    case 'shared': {
      if (parsed.of === 'gpu') return deviceOffer(node, resource)
      const slice = resource.slice(0, -SHARED_SUFFIX.length)
      return sliceOffer(node, resource, { profile: parsed.profile, slice, renamed: true })
    }
    default:
      return []
  }
}

/** Replicas of the node's devices, which under the single strategy are slices. */
function deviceOffer(node: NodeView, resource: string): readonly Offer[] {
  const found = deviceReplicas(node, resource, STRATEGY)
  if (found === undefined) return []
  const { replicas, memoryMiB, requires } = found
  const usableMiB = perReplica(memoryMiB, replicas)
  return [{ ...share(node, resource, replicas, deviceComputeRatio(node)), usableMiB, requires }]
}

/** Compute of one device as a share of the whole GPU: below 1 only on a node of the single strategy. */
function deviceComputeRatio(node: NodeView): number | undefined {
  const layout = productOf(node)?.layout
  if (layout?.kind === 'mig') return sliceCompute(node, WHOLE_GPU, layout.profile).ratio
  return layout === undefined && node.labels[nodeLabels.migStrategy] === 'single' ? undefined : 1
}

interface ReplicatedSlice {
  readonly profile: string
  /** Resource name of the slice itself, which is the prefix of its labels. */
  readonly slice: string
  readonly renamed: boolean
}

/** Replicas of one MIG profile under the mixed strategy; those that keep the slice's name need its sharing label. */
function sliceOffer(node: NodeView, resource: string, of: ReplicatedSlice): readonly Offer[] {
  const replicas = countLabel(node, `${of.slice}.replicas`) ?? 0
  const strategy = node.labels[`${of.slice}.sharing-strategy`] ?? (of.renamed ? STRATEGY : undefined)
  if (replicas < 2 || strategy !== STRATEGY) return []
  if (exceeds(node, resource, { label: `${of.slice}.count`, replicas })) return []
  return [
    {
      ...share(node, resource, replicas, sliceCompute(node, of.slice, of.profile).ratio),
      usableMiB: perReplica(sliceMemoryMiB(node, of.slice, of.profile), replicas),
      profile: of.profile,
      requires: of.renamed ? {} : { [`${of.slice}.sharing-strategy`]: STRATEGY }
    }
  ]
}

function share(node: NodeView, resource: string, replicas: number, deviceRatio: number | undefined): Offer {
  return {
    method: 'time-slicing',
    resource,
    share: 'shared',
    profile: undefined,
    usableMiB: undefined,
    computeRatio: deviceRatio === undefined ? undefined : deviceRatio / replicas,
    computeBasis: 'replicas',
    count: node.allocatable[resource] ?? 0,
    replicas,
    separation: 'none',
    requires: {}
  }
}
