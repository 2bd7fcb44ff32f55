import { computeShareRatio, findCatalogProfile, findModelByProductLabel } from '../../gpu/catalog.ts'
import { migResourceName, parseGpuResourceName, printGpuResourceName } from '../../gpu/resource-name.ts'
import type { DeviceLabels } from '../dialect-series.ts'
import type { KnownNode } from './known.ts'

/** Memory that is more than the device has by this much is no measurement: boards and drivers differ by less. */
const SIZE_TOLERANCE_RATIO = 0.02

/** What tells the size of a device. */
type SizedDevice = Pick<DeviceLabels, 'gpuInstanceId' | 'migProfile' | 'model'>

/** Resource without `.shared` that a device is handed out under, as far as its series tells. */
function resourceOfDevice({ gpuInstanceId, migProfile }: SizedDevice): string | undefined {
  if (gpuInstanceId === undefined) return 'nvidia.com/gpu'
  return migProfile === undefined ? undefined : migResourceName(migProfile)
}

/** The resource that is replicated under this name: `nvidia.com/gpu.shared` gives `nvidia.com/gpu`. */
export function withoutShared(resource: string): string {
  const parsed = parseGpuResourceName(resource)
  if (parsed?.kind !== 'shared') return resource
  return printGpuResourceName(
    parsed.of === 'gpu' ? { kind: 'whole' } : { kind: 'mig', profile: parsed.profile }
  )
}

/**
 * Memory of the GPU or slice, MiB: as the node's labels say, else the least that the catalogue has for it, so that a peak near the
 * ceiling is taken for one; undefined when nobody knows.
 */
export function deviceMiB(labels: SizedDevice, node: KnownNode | undefined): number | undefined {
  const sizes = sizesOf(labels, node)
  return sizes.length === 0 ? undefined : Math.min(...sizes)
}

/**
 * Memory of what a container gets under this resource name on a GPU model, MiB: that of the GPU or slice, and with MPS the equal part
 * that is each client's limit; undefined for foreign resources and when nobody knows.
 */
export function shareMiB(
  resource: string,
  { model, node }: { readonly model: string; readonly node: KnownNode | undefined }
): number | undefined {
  const device = deviceBehind(resource, model)
  const sizeMiB = device === undefined ? undefined : deviceMiB(device, node)
  const replicas = node?.mps === true ? (own(node.replicas, withoutShared(resource)) ?? 1) : 1
  return sizeMiB === undefined ? undefined : sizeMiB / Math.max(1, replicas)
}

function deviceBehind(resource: string, model: string): SizedDevice | undefined {
  const parsed = parseGpuResourceName(resource)
  if (parsed === undefined || parsed.kind === 'foreign') return undefined
  return 'profile' in parsed ? { model, gpuInstanceId: '', migProfile: parsed.profile } : { model }
}

/** The most that the GPU or slice may have, MiB, so that a ratio of it is never taken for too little. */
export function mostDeviceMiB(labels: DeviceLabels, node: KnownNode | undefined): number | undefined {
  const sizes = sizesOf(labels, node)
  return sizes.length === 0 ? undefined : Math.max(...sizes)
}

function sizesOf(labels: SizedDevice, node: KnownNode | undefined): readonly number[] {
  const resource = resourceOfDevice(labels)
  const labelled = resource === undefined ? undefined : own(node?.memoryMiB, resource)
  if (labelled !== undefined && labelled > 0) return [labelled]
  const model = findModelByProductLabel(labels.model)
  if (model === undefined) return []
  if (labels.gpuInstanceId === undefined)
    return [...model.totalMemoryVariantsMiB, model.totalMemoryMiB ?? []].flat()
  const profile = findCatalogProfile(model, labels.migProfile ?? '')
  return profile === undefined ? [] : [profile.usableMiB, ...profile.observedMiB.map(({ miB }) => miB)]
}

/**
 * Whether a value is more than the device can hold by its node's labels; the catalogue's figures are low ones, and the dialect has
 * compared with them already.
 */
export function exceedsDevice(valueMiB: number, labels: DeviceLabels, node: KnownNode | undefined): boolean {
  const resource = resourceOfDevice(labels)
  const slice = resource === undefined ? undefined : own(node?.memoryMiB, resource)
  const sizeMiB = slice ?? own(node?.memoryMiB, 'nvidia.com/gpu')
  return sizeMiB !== undefined && sizeMiB > 0 && valueMiB > sizeMiB * (1 + SIZE_TOLERANCE_RATIO)
}

/**
 * How many containers the node gives one such device to; undefined where it is not known.
 * @param asked resource that the container asks for, which under the single strategy is not that of the slice
 */
export function replicasOf(
  labels: DeviceLabels,
  asked: string | undefined,
  node: KnownNode | undefined
): number | undefined {
  const resource = asked === undefined ? resourceOfDevice(labels) : withoutShared(asked)
  return resource === undefined ? undefined : own(node?.replicas, resource)
}

/** Compute of the device as a part of the whole GPU, 0 to 1; undefined for a slice whose part nobody published. */
export function computePart({ gpuInstanceId, migProfile, model }: DeviceLabels): number | undefined {
  if (gpuInstanceId === undefined) return 1
  const known = findModelByProductLabel(model)
  return known === undefined || migProfile === undefined
    ? undefined
    : computeShareRatio(known, migProfile)?.ratio
}

function own(map: Readonly<Record<string, number>> | undefined, key: string): number | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
}
