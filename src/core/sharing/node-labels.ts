import type { NodeView } from '../cluster/node-view.ts'
import {
  computeShareRatio,
  findCatalogProfile,
  findModelByProductLabel,
  type GpuModel
} from '../gpu/catalog.ts'
import { type ProductLabel, parseProductLabel } from '../gpu/product-label.ts'
import { parseMigProfile } from '../gpu/profile.ts'
import type { ComputeBasis } from './method.ts'

/** Labels that GPU feature discovery and MIG manager put on nodes. @source NVIDIA k8s-device-plugin and gpu-operator documentation */
export const nodeLabels = {
  product: 'nvidia.com/gpu.product',
  count: 'nvidia.com/gpu.count',
  memory: 'nvidia.com/gpu.memory',
  replicas: 'nvidia.com/gpu.replicas',
  sharingStrategy: 'nvidia.com/gpu.sharing-strategy',
  mpsCapable: 'nvidia.com/mps.capable',
  migCapable: 'nvidia.com/mig.capable',
  migStrategy: 'nvidia.com/mig.strategy',
  migConfig: 'nvidia.com/mig.config',
  migConfigState: 'nvidia.com/mig.config.state'
} as const

/**
 * Whether the node's MIG layout is in place: where MIG manager is at work, only the state `success` counts.
 * A node that was partitioned by hand has neither label.
 */
export function isLayoutSettled(node: NodeView): boolean {
  const wish = node.labels[nodeLabels.migConfig]
  const state = node.labels[nodeLabels.migConfigState]
  return (wish === undefined && state === undefined) || state === 'success'
}

/** Whole number of a label, undefined when it is missing or no whole number. */
export function countLabel(node: Pick<NodeView, 'labels'>, label: string): number | undefined {
  const text = node.labels[label]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** What feature discovery says of a slice, each as a label that begins with the slice's resource name. */
const sliceLabelEnds = [
  'count',
  'memory',
  'product',
  'replicas',
  'sharing-strategy',
  'multiprocessors',
  'slices.gi',
  'slices.ci'
]

/** Whether the node has labels for slices of this resource name; those of `mig-1g.10gb.me` say nothing of `mig-1g.10gb`. */
export function hasSliceLabels(node: NodeView, resource: string): boolean {
  return sliceLabelEnds.some((end) => Object.hasOwn(node.labels, `${resource}.${end}`))
}

/** Whether several pods share each slice of this resource name on the node. */
export function isReplicated(node: NodeView, resource: string): boolean {
  return (countLabel(node, `${resource}.replicas`) ?? 1) > 1
}

/** GPU model of a node from its product label, undefined when it has none or it is not in the catalogue. */
export function modelOf(node: NodeView): GpuModel | undefined {
  const product = productOf(node)
  return product === undefined ? undefined : findModelByProductLabel(product.model)
}

/** The product label taken apart, undefined when the node has none. */
export function productOf(node: NodeView): ProductLabel | undefined {
  const product = node.labels[nodeLabels.product]
  return product === undefined ? undefined : parseProductLabel(product)
}

/** Whether `nvidia.com/gpu` and its replicas are of whole GPUs on the node, and not of slices under the name of one. */
export function hasWholeDevices(node: NodeView): boolean {
  const layout = productOf(node)?.layout.kind ?? 'whole'
  return layout === 'whole' && node.labels[nodeLabels.migStrategy] !== 'single'
}

/** Whether the product label says that feature discovery could not make sense of the layout. */
export function hasInvalidLayout(node: NodeView): boolean {
  return productOf(node)?.layout.kind === 'invalid'
}

/**
 * Usable memory of a slice, MiB: the node's own label first, then the catalogue; never from the name.
 * @param resource the slice's resource name, which is the label's prefix as well
 */
export function sliceMemoryMiB(node: NodeView, resource: string, profile: string): number | undefined {
  const label = countLabel(node, `${resource}.memory`)
  if (label !== undefined && label > 0) return label
  const model = modelOf(node)
  return model === undefined ? undefined : findCatalogProfile(model, profile)?.usableMiB
}

/** Compute slices of the largest parts; on smaller parts the result below is too low, so never too generous. */
const MOST_COMPUTE_SLICES = 7

/** Share of the whole GPU's compute, 0 to 1, and what it was found by. */
export interface SliceCompute {
  readonly ratio: number | undefined
  readonly basis: ComputeBasis
}

/** Compute of a slice by the labels of its node. */
export function sliceCompute(node: NodeView, resource: string, profile: string): SliceCompute {
  const multiprocessors = countLabel(node, `${resource}.multiprocessors`)
  return computeOfSlice({ profile, multiprocessors }, modelOf(node))
}

/** Compute of a slice: its SM count over the model's, else the catalogue, else compute slices of seven. */
export function computeOfSlice(
  { profile, multiprocessors }: { readonly profile: string; readonly multiprocessors: number | undefined },
  model: GpuModel | undefined
): SliceCompute {
  if (multiprocessors !== undefined && multiprocessors > 0 && model?.smTotal !== undefined) {
    return { ratio: Math.min(1, multiprocessors / model.smTotal), basis: 'sm-label' }
  }
  const known = model === undefined ? undefined : computeShareRatio(model, profile)
  if (known !== undefined)
    return { ratio: known.ratio, basis: known.basis === 'sm' ? 'sm-catalog' : 'slices' }
  const slices = parseMigProfile(profile)?.gpuSlices
  return {
    ratio: slices === undefined ? undefined : Math.min(1, slices / MOST_COMPUTE_SLICES),
    basis: 'slices'
  }
}
