import { namespaceLabels } from '../api/names.ts'
import type { NodeView } from '../cluster/node-view.ts'
import { GPU_MEMORY, WHOLE_GPU } from '../pod/gpu-request.ts'
import { DRIVER_RESERVE_MIB } from './driver-reserve.ts'
import { isSharedOk } from './listed-namespace.ts'
import type { Ask, Offer, Refusal, ShareContext, SharingMethod, Wanted } from './method.ts'
import { hasWholeDevices, isLayoutSettled, isReplicated, nodeLabels } from './node-labels.ts'

/** Compute of one GPU that a container may use, percent. */
const GPU_CORES = 'nvidia.com/gpucores'
/** What means the GPU alone to HAMi. */
const ALL_CORES = 100
/** Most compute of one GPU that is a part of it, percent: a need of 99.5 % keeps the whole GPU. */
const MOST_SHARED_CORES = ALL_CORES - 1

/**
 * A part of a GPU that HAMi cuts to measure: memory in MiB and compute in percent, on nodes where its plugin has registered GPUs. It has to
 * run with the names of resources and the unit of memory that it is shipped with.
 * @source Project-HAMi/HAMi pkg/device/nvidia/device.go, pkg/scheduler/webhook.go, charts/hami/values.yaml
 */
export const hami: SharingMethod = {
  name: 'hami',
  isolates: () =>
    'a library in the container limits its memory, and its compute where that is asked for; a program can step around it, and faults are not separated',
  needs: `hami among methods of the policy, and the namespace's label ${namespaceLabels.isolation}=shared-ok`,
  offers: offersOf,
  refusal: refuseNamespace,
  ask: askFor,
  schedulerName: 'hami-scheduler',
  besideWhole: { [GPU_CORES]: ALL_CORES },
  ownPaths: [
    '/spec/schedulerName',
    '/spec/containers/*/resources/*/nvidia.com~1gpumem',
    '/spec/containers/*/resources/*/nvidia.com~1gpucores'
  ]
}

function offersOf(node: NodeView): readonly Offer[] {
  const count = node.allocatable[WHOLE_GPU] ?? 0
  const { hami: devices } = node
  if (devices === undefined || devices.split < 2 || count === 0 || count > devices.slots) return []
  if (!isLayoutSettled(node) || !hasWholeDevices(node) || isOfOthers(node)) return []
  const usableMiB = devices.memoryMiB - DRIVER_RESERVE_MIB
  return [
    {
      method: 'hami',
      resource: GPU_MEMORY,
      share: 'gpumem',
      profile: undefined,
      usableMiB: usableMiB > 0 ? usableMiB : undefined,
      computeRatio: Math.min(devices.corePercent, MOST_SHARED_CORES) / ALL_CORES,
      computeBasis: 'replicas',
      count,
      replicas: devices.split,
      separation: 'software-limit',
      requires: {},
      toMeasure: true,
      totalMiB: Math.floor(devices.slots / devices.split) * devices.memoryMiB
    }
  ]
}

/** Another plugin's replicas under the name of the whole GPU are not HAMi's to give. */
function isOfOthers(node: NodeView): boolean {
  const strategy = node.labels[nodeLabels.sharingStrategy] ?? 'none'
  return strategy !== 'none' || isReplicated(node, WHOLE_GPU)
}

function askFor(_offer: Pick<Offer, 'resource'>, { neededMiB, neededCompute }: Wanted): Ask {
  return {
    resources: {
      [WHOLE_GPU]: 1,
      [GPU_MEMORY]: Math.max(1, Math.ceil(neededMiB)),
      [GPU_CORES]: neededCompute === undefined ? 0 : percentOf(neededCompute)
    }
  }
}

/** Rounded up, 1 at least; to a millionth first, so that 0.28 is 28 percent and not a little more. */
function percentOf(ratio: number): number {
  const percent = Math.ceil(Math.round(ratio * ALL_CORES * 1e6) / 1e6)
  return Math.min(MOST_SHARED_CORES, Math.max(1, percent))
}

/** Naming the method is the policy's yes; an absent list of methods is none. */
function refuseNamespace(_offer: Offer, { policy, namespace }: ShareContext): Refusal | undefined {
  if (policy.methods?.includes('hami') !== true)
    return { reason: 'HamiNotAllowed', sentence: 'methods of the policy does not name hami' }
  if (isSharedOk(namespace.labels)) return undefined
  return {
    reason: 'HamiNotAllowed',
    sentence: `namespace ${namespace.name} lacks the label ${namespaceLabels.isolation}=shared-ok`
  }
}
