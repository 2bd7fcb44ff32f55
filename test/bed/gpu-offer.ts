import { CARDS, type CardFacts, type GpuProduct, type MigInstance } from './gpu-products.ts'

/** How the cards of a node are cut up and offered. */
export type GpuLayout =
  | { readonly kind: 'whole'; readonly gpus: number }
  /** `profiles` counts MIG devices of the node; `whole` of the GPUs are not in MIG mode. */
  | {
      readonly kind: 'mig-mixed'
      readonly gpus: number
      readonly profiles: Readonly<Record<string, number>>
      readonly whole?: number
    }
  /** Every GPU is cut into as many instances of `profile` as fit. */
  | { readonly kind: 'mig-single'; readonly gpus: number; readonly profile: string }
  | {
      readonly kind: 'time-sliced' | 'mps'
      readonly gpus: number
      readonly replicas: number
      readonly renamed: boolean
    }
  /** As GKE has it: its own labels and none of feature discovery. Every GPU is cut, shared, or both. */
  | {
      readonly kind: 'gke'
      readonly gpus: number
      readonly partitionSize?: string
      readonly sharing?: { readonly strategy: 'time-sharing' | 'mps'; readonly clients: number }
    }

/** Layouts of nodes that NVIDIA's own plugin and feature discovery run on. */
type NvidiaLayout = Exclude<GpuLayout, { kind: 'gke' }>

/** Labels and resources that a layout adds to a node. */
type GpuOffer = {
  readonly labels: Readonly<Record<string, string>>
  readonly resources: Readonly<Record<string, string>>
}

const DRIVER = { full: '580.95.05', major: '580', minor: '95', revision: '05' }
const CUDA = { full: '13.0', major: '13', minor: '0' }

/**
 * What the layout adds to a node with this card.
 * @throws Error when the card does not know a profile, or has no MIG
 */
export function gpuOffer(product: GpuProduct, layout: GpuLayout): GpuOffer {
  if (layout.kind === 'gke') return gkeOffer(product, layout)
  const card = CARDS[product]
  const general = { ...driverLabels(), ...cardLabels(card), ...migManagerLabels(card, layout) }
  const special = offerOf(product, layout)
  return { labels: { ...general, ...special.labels }, resources: special.resources }
}

function driverLabels(): Record<string, string> {
  return {
    'nvidia.com/cuda.driver-version.full': DRIVER.full,
    'nvidia.com/cuda.driver-version.major': DRIVER.major,
    'nvidia.com/cuda.driver-version.minor': DRIVER.minor,
    'nvidia.com/cuda.driver-version.revision': DRIVER.revision,
    'nvidia.com/cuda.runtime-version.full': CUDA.full,
    'nvidia.com/cuda.runtime-version.major': CUDA.major,
    'nvidia.com/cuda.runtime-version.minor': CUDA.minor
  }
}

function cardLabels(card: CardFacts): Record<string, string> {
  const [major, minor] = card.computeCapability
  return {
    'nvidia.com/gpu.present': 'true',
    'nvidia.com/gpu.family': card.family,
    'nvidia.com/gpu.compute.major': `${major}`,
    'nvidia.com/gpu.compute.minor': `${minor}`,
    'nvidia.com/gpu.machine': 'bed',
    'nvidia.com/gpu.mode': 'compute',
    'nvidia.com/vgpu.present': 'false',
    'nvidia.com/gfd.timestamp': '1767225600',
    'nvidia.com/mig.capable': `${isMigCapable(card)}`
  }
}

function isMigCapable(card: CardFacts): boolean {
  return Object.keys(card.profiles).length > 0
}

/** The MIG manager runs on nodes with cards that have MIG, also while MIG is off. */
function migManagerLabels(card: CardFacts, layout: NvidiaLayout): Record<string, string> {
  if (!isMigCapable(card)) return {}
  return { 'nvidia.com/mig.config': migConfig(layout), 'nvidia.com/mig.config.state': 'success' }
}

function migConfig(layout: NvidiaLayout): string {
  switch (layout.kind) {
    case 'mig-single':
      return `all-${dotted(layout.profile)}`
    case 'mig-mixed':
      return 'custom-layout'
    default:
      return 'all-disabled'
  }
}

function offerOf(product: GpuProduct, layout: NvidiaLayout): GpuOffer {
  switch (layout.kind) {
    case 'whole':
      return wholeOffer(CARDS[product], layout.gpus)
    case 'mig-mixed':
      return mixedOffer(product, layout)
    case 'mig-single':
      return singleOffer(product, layout)
    case 'time-sliced':
    case 'mps':
      return sharedOffer(CARDS[product], layout)
  }
}

function wholeOffer(card: CardFacts, gpus: number): GpuOffer {
  const labels = gpuLabels({ product: card.productLabel, count: gpus, memoryMiB: card.totalMiB })
  return { labels, resources: { 'nvidia.com/gpu': `${gpus}` } }
}

/** The labels named gpu.* count every card; allocatable counts those that are not in MIG mode. */
function mixedOffer(product: GpuProduct, layout: Extract<GpuLayout, { kind: 'mig-mixed' }>): GpuOffer {
  const card = CARDS[product]
  const whole = layout.whole ?? 0
  const base = { product: card.productLabel, count: layout.gpus, memoryMiB: card.totalMiB }
  const labels = {
    ...gpuLabels({ ...base, replicas: whole > 0 ? 1 : 0 }),
    'nvidia.com/mig.strategy': 'mixed'
  }
  const resources: Record<string, string> = whole > 0 ? { 'nvidia.com/gpu': `${whole}` } : {}
  for (const [profile, count] of Object.entries(layout.profiles)) {
    const resource = `nvidia.com/mig-${dotted(profile)}`
    resources[resource] = `${count}`
    Object.assign(labels, instanceLabels(resource, instanceOn(product, profile)), {
      [`${resource}.product`]: `${card.productLabel}-MIG-${dotted(profile)}`,
      [`${resource}.count`]: `${count}`,
      [`${resource}.replicas`]: '1',
      [`${resource}.sharing-strategy`]: 'none'
    })
  }
  return { labels, resources }
}

/** The labels named gpu.* describe the MIG devices, and so does nvidia.com/gpu. */
function singleOffer(product: GpuProduct, layout: Extract<GpuLayout, { kind: 'mig-single' }>): GpuOffer {
  const instance = instanceOn(product, layout.profile)
  const devices = layout.gpus * instance.maxPerGpu
  const productLabel = `${CARDS[product].productLabel}-MIG-${dotted(layout.profile)}`
  const labels = {
    ...gpuLabels({ product: productLabel, count: devices, memoryMiB: instance.usableMiB }),
    ...instanceLabels('nvidia.com/gpu', instance),
    'nvidia.com/mig.strategy': 'single'
  }
  return { labels, resources: { 'nvidia.com/gpu': `${devices}` } }
}

/** Counts in labels are cards; allocatable counts replicas. Under a new name the old one stays listed with 0. */
function sharedOffer(card: CardFacts, layout: Extract<GpuLayout, { kind: 'time-sliced' | 'mps' }>): GpuOffer {
  const { gpus, replicas, renamed, kind } = layout
  const labels = gpuLabels({
    product: renamed ? card.productLabel : `${card.productLabel}-SHARED`,
    count: gpus,
    memoryMiB: card.totalMiB,
    replicas,
    strategy: kind === 'mps' ? 'mps' : 'time-slicing'
  })
  const total = `${gpus * replicas}`
  const resources: Record<string, string> = renamed
    ? { 'nvidia.com/gpu': '0', 'nvidia.com/gpu.shared': total }
    : { 'nvidia.com/gpu': total }
  return { labels, resources }
}

/** Values of GKE's accelerator label. @source GKE documentation, GPU models by machine type */
const ACCELERATORS: Readonly<Partial<Record<GpuProduct, string>>> = {
  'A100-40': 'nvidia-tesla-a100',
  'A100-80': 'nvidia-a100-80gb',
  'H100-80': 'nvidia-h100-80gb',
  'H200-141': 'nvidia-h200-141gb',
  L4: 'nvidia-l4'
}

/** The one resource counts slices, clients, or clients of slices. */
function gkeOffer(product: GpuProduct, layout: Extract<GpuLayout, { kind: 'gke' }>): GpuOffer {
  const { gpus, partitionSize, sharing } = layout
  const accelerator = ACCELERATORS[product]
  if (accelerator === undefined) throw new Error(`GKE has no ${product}`)
  const devices = gpus * (partitionSize === undefined ? 1 : instanceOn(product, partitionSize).maxPerGpu)
  const labels = {
    'cloud.google.com/gke-accelerator': accelerator,
    ...(partitionSize === undefined ? {} : { 'cloud.google.com/gke-gpu-partition-size': partitionSize }),
    ...(sharing === undefined
      ? {}
      : {
          'cloud.google.com/gke-gpu-sharing-strategy': sharing.strategy,
          'cloud.google.com/gke-max-shared-clients-per-gpu': `${sharing.clients}`
        })
  }
  return { labels, resources: { 'nvidia.com/gpu': `${devices * (sharing?.clients ?? 1)}` } }
}

type GpuLabels = {
  readonly product: string
  readonly count: number
  readonly memoryMiB: number
  readonly replicas?: number
  readonly strategy?: 'none' | 'time-slicing' | 'mps'
}

function gpuLabels({
  product,
  count,
  memoryMiB,
  replicas = 1,
  strategy = 'none'
}: GpuLabels): Record<string, string> {
  return {
    'nvidia.com/gpu.product': product,
    'nvidia.com/gpu.count': `${count}`,
    'nvidia.com/gpu.memory': `${memoryMiB}`,
    'nvidia.com/gpu.replicas': `${replicas}`,
    'nvidia.com/gpu.sharing-strategy': strategy,
    'nvidia.com/mps.capable': `${strategy === 'mps'}`
  }
}

function instanceLabels(resource: string, instance: MigInstance): Record<string, string> {
  return {
    [`${resource}.memory`]: `${instance.usableMiB}`,
    [`${resource}.multiprocessors`]: `${instance.multiprocessors}`,
    [`${resource}.slices.gi`]: `${instance.computeSlices}`,
    [`${resource}.slices.ci`]: `${instance.computeSlices}`,
    [`${resource}.engines.copy`]: `${instance.engines.copy}`,
    [`${resource}.engines.decoder`]: `${instance.engines.decoder}`,
    [`${resource}.engines.encoder`]: '0',
    [`${resource}.engines.jpeg`]: `${instance.engines.jpeg}`,
    [`${resource}.engines.ofa`]: `${instance.engines.ofa}`
  }
}

function instanceOn(product: GpuProduct, profile: string): MigInstance {
  const known = CARDS[product].profiles
  const instance = known[profile]
  if (instance !== undefined) return instance
  throw new Error(
    `${product} has no MIG profile ${profile}; it has ${Object.keys(known).join(', ') || 'no MIG'}`
  )
}

/** Resource and label keys say a dot where the profile says a plus: `1g.10gb+me` is `1g.10gb.me`. */
function dotted(profile: string): string {
  return profile.replaceAll('+', '.')
}
