import type { DeviceKind } from '../block.ts'
import type { Claim, Owner } from './claim.ts'
import { deviceMiB, exceedsDevice, mostDeviceMiB, replicasOf, withoutShared } from './device-size.ts'
import type { KnownContainer, KnownNode } from './known.ts'
import type { AttributionReason } from './reasons.ts'
import { isShared, type Presences } from './sharing.ts'

/** A claim of memory or compute whose owner is known. */
export type OwnedClaim = Claim & { readonly owner: Owner }

/** What becomes of a daily maximum. */
export type Ruling =
  | { readonly kind: 'own'; readonly device: DeviceKind; readonly limitMiB: number | undefined }
  | { readonly kind: 'discard'; readonly reason: AttributionReason }

/** Everything about devices that a claim is judged by. */
export interface Devices {
  readonly presences: Presences
  /** Devices and days, as `dayMs device`, on which values are proven to be of the pods' own processes. */
  readonly perProcess: ReadonlySet<string>
  readonly nodeOf: (claim: Claim) => KnownNode | undefined
  /** Whether a pod may have been on a device of the node without being named. */
  readonly hasUnmapped: (claim: Claim) => boolean
}

/** Whether a day's memory is provably the container's own, and what it had of the device. */
export function judgeMemory(claim: OwnedClaim, devices: Devices): Ruling {
  const ruling = judgeDevice(claim, devices)
  if (ruling.kind === 'discard' && ruling.reason !== 'shared-device') return ruling
  if (!(claim.day.max > 0)) return discard('zero')
  if (ruling.kind === 'own') return ruling
  const { labels, metric } = claim.series
  const isProven =
    labels.perProcess && metric === 'memory' && devices.perProcess.has(`${claim.day.dayMs} ${claim.device}`)
  return isProven
    ? { kind: 'own', device: 'process', limitMiB: limitOf(claim, devices.nodeOf(claim)) }
    : ruling
}

/** Whether the container had the whole device, GPU or slice, to itself; the busy share of a device is judged by this alone. */
export function judgeDevice(claim: OwnedClaim, devices: Devices): Ruling {
  if (claim.device === '') return discard('device-unknown')
  if (isShared(claim, devices.presences)) return discard('shared-device')
  const node = devices.nodeOf(claim)
  if (mayHideSharers(claim, node, devices)) return discard('replicated-device')
  const isSlice = claim.series.labels.gpuInstanceId !== undefined
  return { kind: 'own', device: isSlice ? 'mig' : 'whole', limitMiB: limitOf(claim, node) }
}

/** Memory of a claim, MiB, or why there is none. */
export function memoryOf(
  { series, day }: Claim,
  node: KnownNode | undefined
): { readonly miB: number } | { readonly reason: AttributionReason } {
  const { labels, metric } = series
  const sizeMiB = metric === 'memory-ratio' ? mostDeviceMiB(labels, node) : 1
  if (sizeMiB === undefined) return { reason: 'memory-unknown' }
  const miB = day.max * sizeMiB
  return miB === Infinity || exceedsDevice(miB, labels, node) ? { reason: 'above-device' } : { miB }
}

/**
 * Whether others may be on the device without being named: outside its sharing mode the exporter names one pod of a device. Its
 * sharing mode, told by the label of the replica, names all whom it can.
 */
function mayHideSharers(claim: OwnedClaim, node: KnownNode | undefined, devices: Devices): boolean {
  const { labels } = claim.series
  const resource = resourceOf(claim.owner)
  if (resource?.startsWith('nvidia.com/mig-') === true && labels.gpuInstanceId === undefined) return true
  const replicas = replicasOf(labels, resource, node)
  if (replicas === 1) return false
  const isReplicated = replicas !== undefined || isReplica(resource)
  return (isReplicated && labels.replica === undefined) || devices.hasUnmapped(claim)
}

function isReplica(resource: string | undefined): boolean {
  return resource !== undefined && withoutShared(resource) !== resource
}

function resourceOf(owner: Owner): string | undefined {
  return containerOf(owner)?.gpuResource
}

function containerOf({ pod, container }: Owner): KnownContainer | undefined {
  return pod?.containers.find(({ name }) => name === container)
}

function limitOf({ series, owner }: OwnedClaim, node: KnownNode | undefined): number | undefined {
  const sizeMiB = deviceMiB(series.labels, node)
  const replicas = node?.mps === true ? (replicasOf(series.labels, resourceOf(owner), node) ?? 1) : 1
  const deviceShareMiB = sizeMiB === undefined ? undefined : sizeMiB / Math.max(1, replicas)
  return containerOf(owner)?.limitMiB ?? deviceShareMiB
}

function discard(reason: AttributionReason): Ruling {
  return { kind: 'discard', reason }
}
