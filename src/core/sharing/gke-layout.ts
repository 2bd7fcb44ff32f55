import type { NodeView } from '../cluster/node-view.ts'
import { fromDottedProfile } from '../gpu/profile.ts'
import { gkeLabels } from './gke-labels.ts'
import { countLabel } from './node-labels.ts'

/** How GKE cuts and shares the GPUs of a node. */
export interface GkeLayout {
  /** Canonical MIG profile; undefined for whole GPUs. */
  readonly profile: string | undefined
  /** undefined where nobody shares. */
  readonly sharing: GkeSharing | undefined
}

/** How clients share each device, and how many may. */
export interface GkeSharing {
  readonly separation: 'none' | 'memory-limit'
  readonly clients: number
}

/**
 * What the labels of a node that GKE cuts or shares say; undefined where one of them says what nobody knows, or only half of it: then
 * nobody knows what a pod would get. MPS on slices is such a thing: nothing is published about it.
 */
export function gkeLayoutOf({ labels }: Pick<NodeView, 'labels'>): GkeLayout | undefined {
  const isCut = Object.hasOwn(labels, gkeLabels.partitionSize)
  const isShared = [gkeLabels.sharingStrategy, gkeLabels.maxSharedClients].some((key) =>
    Object.hasOwn(labels, key)
  )
  const profile = fromDottedProfile(labels[gkeLabels.partitionSize] ?? '')
  const sharing = sharingOf(labels)
  const isKnown = isCut === (profile !== undefined) && isShared === (sharing !== undefined)
  return !isKnown || (isCut && sharing?.separation === 'memory-limit') ? undefined : { profile, sharing }
}

const strategies: ReadonlyMap<string, GkeSharing['separation']> = new Map([
  ['time-sharing', 'none'],
  ['mps', 'memory-limit']
])

function sharingOf(labels: NodeView['labels']): GkeSharing | undefined {
  const separation = strategies.get(labels[gkeLabels.sharingStrategy] ?? '')
  const clients = countLabel({ labels }, gkeLabels.maxSharedClients) ?? 0
  return separation === undefined || clients < 2 ? undefined : { separation, clients }
}
