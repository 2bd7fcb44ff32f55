import { namespaceLabels } from '../api/names.ts'
import type { NodeView } from '../cluster/node-view.ts'
import { DRIVER_RESERVE_MIB } from './driver-reserve.ts'
import { gkeLabels } from './gke-labels.ts'
import { refuseReplica } from './listed-namespace.ts'
import { askForOne, type Offer, type SharingMethod } from './method.ts'
import { hasWholeDevices, isLayoutSettled, nodeLabels } from './node-labels.ts'
import { deviceReplicas, perReplica } from './replicas.ts'

/**
 * Memory that the MPS server takes of each GPU for its own CUDA context, MiB: the upper end of what one context is known to take.
 * The limits of the replicas add up to the whole card and leave nothing for it, nor for the driver, so both are taken off before
 * the card is divided: a quarter of 23,034 MiB counts as 5,275 and not as 5,758. The context of the pod's own program is no part of
 * this: the measured peak has it, and the limit counts it.
 * @source NVIDIA Multi-Process Service documentation, device memory limit; public measurements of bare CUDA contexts, 300 to 600 MiB
 */
const SERVER_CONTEXT_MIB = 600

/** Replicas of whole GPUs under MPS: each has an equal part of the memory as its limit, and of the threads. */
export const mps: SharingMethod = {
  name: 'mps',
  isolates: () =>
    'an MPS replica has a memory limit and its part of the threads, but a fault of one pod can end its neighbours',
  needs: `the namespace in mps.namespaces and its label ${namespaceLabels.isolation}=shared-ok`,
  offers: (node) =>
    isTrusted(node) ? Object.keys(node.allocatable).flatMap((name) => offerOf(node, name)) : [],
  refusal: (offer, context) => refuseReplica('mps', offer, context),
  ask: askForOne,
  ownPaths: []
}

/**
 * The device plugin gives no replicas of slices under MPS. Google's own plugin does MPS in another way, by which the pod would have to
 * be in the host's IPC namespace; its nodes carry its own label.
 */
function isTrusted(node: NodeView): boolean {
  const { labels } = node
  return (
    isLayoutSettled(node) &&
    hasWholeDevices(node) &&
    labels[nodeLabels.mpsCapable] !== 'false' &&
    labels[gkeLabels.sharingStrategy] === undefined
  )
}

function offerOf(node: NodeView, resource: string): readonly Offer[] {
  const found = deviceReplicas(node, resource, 'mps')
  if (found === undefined) return []
  const { replicas, count, memoryMiB, requires } = found
  const left = memoryMiB === undefined ? undefined : memoryMiB - DRIVER_RESERVE_MIB - SERVER_CONTEXT_MIB
  return [
    {
      method: 'mps',
      resource,
      share: 'shared',
      profile: undefined,
      usableMiB: perReplica(left, replicas),
      computeRatio: 1 / replicas,
      computeBasis: 'replicas',
      count,
      replicas,
      separation: 'memory-limit',
      requires
    }
  ]
}
