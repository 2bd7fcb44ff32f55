import type { NodeView } from '../cluster/node-view.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import type { Offer } from './method.ts'
import { countLabel, nodeLabels, productOf } from './node-labels.ts'

/** What resource names of replicas end in, where replicas are renamed. */
export const SHARED_SUFFIX = '.shared'

/** Ways in which a device plugin shares a device, as nodes are labelled. */
export type SharingStrategy = 'time-slicing' | 'mps'

/** Replicas of the devices of a node under one resource name. */
export interface DeviceReplicas {
  readonly resource: string
  readonly replicas: number
  readonly count: number
  /** Memory of one device as its label tells it, MiB: a GPU or (single strategy) a slice. */
  readonly memoryMiB: number | undefined
  readonly requires: Offer['requires']
}

/**
 * The replicas of whole devices that the node has under this strategy and resource name; undefined where it has none, or where
 * labels and allocatable do not agree. Those that keep the name `nvidia.com/gpu` need the node's label.
 */
export function deviceReplicas(
  node: NodeView,
  resource: string,
  strategy: SharingStrategy
): DeviceReplicas | undefined {
  const naming = namingOf(resource)
  const count = node.allocatable[resource] ?? 0
  const replicas = countLabel(node, nodeLabels.replicas) ?? 0
  if (naming === undefined || count === 0 || replicas < 2) return undefined
  if (node.labels[nodeLabels.sharingStrategy] !== strategy || isLeftOver(node, naming)) return undefined
  if (exceeds(node, resource, { label: nodeLabels.count, replicas })) return undefined
  const requires = naming === 'renamed' ? {} : { [nodeLabels.sharingStrategy]: strategy }
  return { resource, replicas, count, memoryMiB: countLabel(node, nodeLabels.memory), requires }
}

type Naming = 'renamed' | 'kept'

/** How replicas of whole devices are called by this name; undefined for another resource. */
function namingOf(resource: string): Naming | undefined {
  const parsed = parseGpuResourceName(resource)
  if (parsed?.kind === 'whole') return 'kept'
  return parsed?.kind === 'shared' && parsed.of === 'gpu' ? 'renamed' : undefined
}

/** Whether the node's product label says that its replicas are called otherwise now. */
function isLeftOver(node: NodeView, naming: Naming): boolean {
  const keepsName = productOf(node)?.shared === true
  return naming === 'renamed' ? keepsName : !keepsName && hasRenamed(node)
}

function hasRenamed(node: NodeView): boolean {
  return (node.allocatable[`${WHOLE_GPU}${SHARED_SUFFIX}`] ?? 0) > 0
}

/** Whether more is allocatable than the devices of this count label give: then it is left over from an earlier layout. */
export function exceeds(
  node: NodeView,
  resource: string,
  { label, replicas }: { label: string; replicas: number }
): boolean {
  const devices = countLabel(node, label)
  return devices !== undefined && (node.allocatable[resource] ?? 0) > devices * replicas
}

/** The equal part of a device's memory that each replica has, MiB, rounded down. */
export function perReplica(memoryMiB: number | undefined, replicas: number): number | undefined {
  return memoryMiB === undefined || memoryMiB <= 0 ? undefined : Math.floor(memoryMiB / replicas)
}
