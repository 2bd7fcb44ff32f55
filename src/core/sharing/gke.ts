import type { NodeView, Taint } from '../cluster/node-view.ts'
import { computeShareRatio, findCatalogProfile } from '../gpu/catalog.ts'
import { findGkeGpu, type GkeGpu } from '../gpu/gke-accelerators.ts'
import { toDottedProfile } from '../gpu/profile.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { refuseProfile } from './allowed-profiles.ts'
import { gkeLabels, isGkeShare } from './gke-labels.ts'
import { type GkeSharing, gkeLayoutOf } from './gke-layout.ts'
import { refuseReplica } from './listed-namespace.ts'
import {
  askForOne,
  type Offer,
  type Refusal,
  type Separation,
  type ShareContext,
  type SharingMethod
} from './method.ts'
import { migMixed } from './mig-mixed.ts'
import { timeSlicing } from './time-slicing.ts'

const ownKeys: readonly string[] = Object.values(gkeLabels)

/**
 * Shares of nodes whose GPUs GKE itself cuts or shares: MIG slices, replicas by time-sharing or MPS, and replicas of slices. All are
 * `nvidia.com/gpu`; a pod selects the labels of the node that it wants.
 */
export const gke: SharingMethod = {
  name: 'gke',
  isolates: tellIsolation,
  needs:
    'nodes of GKE with a GPU partition size or a GPU sharing strategy; for replicas the same of policy and namespace as time-slicing and MPS',
  offers: offersOf,
  refusal: refuseShare,
  ask: askForOne,
  ownKeys,
  ownPaths: []
}

function tellIsolation(separation: Separation): string {
  switch (separation) {
    case 'hardware':
      return migMixed.isolates(separation)
    case 'memory-limit':
    case 'software-limit':
      return 'a client of MPS has a limit on its memory; a fault of one can end all that share the GPU'
    case 'none':
      return timeSlicing.isolates(separation)
  }
}

function offersOf(node: NodeView): readonly Offer[] {
  const gpu = findGkeGpu(node.labels[gkeLabels.accelerator] ?? '')
  const layout = isGkeShare(node) ? gkeLayoutOf(node) : undefined
  const count = node.allocatable[WHOLE_GPU] ?? 0
  if (layout === undefined || count === 0 || !Object.hasOwn(node.labels, gkeLabels.accelerator)) return []
  const device = layout.profile === undefined ? wholeOf(gpu) : sliceOf(gpu, layout.profile)
  const found = { method: 'gke', resource: WHOLE_GPU, count, profile: layout.profile } as const
  const ask = { requires: labelsOf(node), tolerates: node.taints.filter((taint) => isOwnTaint(node, taint)) }
  return [{ ...found, ...device, ...partOf(device, layout.sharing), ...ask }]
}

/** A device as a share has it; what nobody knows is undefined. */
type Device = Pick<Offer, 'usableMiB' | 'computeRatio' | 'computeBasis' | 'share' | 'replicas' | 'separation'>

/** A whole GPU, which counts as a share only where it is shared. */
function wholeOf(gpu: GkeGpu | undefined): Device {
  const size = { usableMiB: gpu?.memoryMiB, computeRatio: 1, computeBasis: 'replicas' } as const
  return { ...size, share: 'shared', replicas: 1, separation: 'none' }
}

function sliceOf(gpu: GkeGpu | undefined, profile: string): Device {
  const model = gpu?.model
  const compute = model && computeShareRatio(model, profile)
  return {
    usableMiB: model && findCatalogProfile(model, profile)?.usableMiB,
    computeRatio: compute?.ratio,
    computeBasis: compute?.basis === 'sm' ? 'sm-catalog' : 'slices',
    share: `mig-${toDottedProfile(profile)}`,
    replicas: 1,
    separation: 'hardware'
  }
}

/** The equal part of a device that each client has; nothing changes where nobody shares. */
function partOf({ usableMiB, computeRatio }: Device, sharing: GkeSharing | undefined): Partial<Device> {
  if (sharing === undefined) return {}
  const { clients, separation } = sharing
  return {
    usableMiB: usableMiB && Math.floor(usableMiB / clients),
    computeRatio: computeRatio && computeRatio / clients,
    computeBasis: 'replicas',
    share: 'shared',
    replicas: clients,
    separation
  }
}

/** All labels that tell this share from others of GKE. */
function labelsOf({ labels }: NodeView): Offer['requires'] {
  const own = Object.values(gkeLabels).flatMap((key) => {
    const value = labels[key]
    return value === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(own)
}

/** A taint that says the same as one of the labels: it keeps away who did not ask for this share. */
function isOwnTaint({ labels }: NodeView, { key, value }: Taint): boolean {
  return ownKeys.includes(key) && (value === '' || value === labels[key])
}

function refuseShare(offer: Offer, context: ShareContext): Refusal | undefined {
  switch (offer.separation) {
    case 'hardware':
      return refuseProfile(offer, context)
    case 'none':
      return refuseReplica('timeSlicing', offer, context)
    case 'memory-limit':
    case 'software-limit':
      return refuseReplica('mps', offer, context) ?? refuseWithoutHostIpc(context)
  }
}

/**
 * The MPS server of GKE is reached through the memory that processes of the node share; a pod without it does not start its work.
 * @source https://docs.cloud.google.com/kubernetes-engine/docs/how-to/nvidia-mps-gpus
 */
function refuseWithoutHostIpc({ hostIpc }: ShareContext): Refusal | undefined {
  if (hostIpc !== false) return undefined
  return {
    reason: 'NeedsHostIpc',
    sentence: 'MPS of GKE serves only pods with spec.hostIPC: true, and this one has it not'
  }
}
