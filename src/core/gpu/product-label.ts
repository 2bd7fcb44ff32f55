import { fromDottedProfile, toDottedProfile } from './profile.ts'

/** How the GPUs behind a product label are cut: not, all into one profile, or in a way the plugin refuses. */
export type ProductLayout =
  | { readonly kind: 'whole' }
  | { readonly kind: 'mig'; readonly profile: string }
  | { readonly kind: 'invalid' }

/** The value of a node's `nvidia.com/gpu.product` label taken apart. */
export interface ProductLabel {
  /** Model as the catalogue's product labels spell it: `NVIDIA-H100-80GB-HBM3`. */
  readonly model: string
  readonly layout: ProductLayout
  /** True when the label says that several pods share each device; false does not exclude renamed sharing. */
  readonly shared: boolean
}

const sharedSuffix = '-SHARED'
const migMark = '-MIG-'

/**
 * Reads a product label; a MIG layout that is no known profile counts as `invalid`, as `-MIG-INVALID` does.
 * @source NVIDIA/k8s-device-plugin internal/lm/resource.go and internal/lm/mig-strategy.go
 */
export function parseProductLabel(value: string): ProductLabel {
  const shared = value.endsWith(sharedSuffix)
  const own = shared ? value.slice(0, -sharedSuffix.length) : value
  const mark = own.lastIndexOf(migMark)
  if (mark < 0) return { model: own, layout: { kind: 'whole' }, shared }
  const profile = fromDottedProfile(own.slice(mark + migMark.length))
  const layout: ProductLayout = profile === undefined ? { kind: 'invalid' } : { kind: 'mig', profile }
  return { model: own.slice(0, mark), layout, shared }
}

/** The label value that `parseProductLabel` reads as `label`: `NVIDIA-A30-MIG-1g.6gb.me-SHARED`. */
export function printProductLabel(label: ProductLabel): string {
  return `${label.model}${printLayout(label.layout)}${label.shared ? sharedSuffix : ''}`
}

function printLayout(layout: ProductLayout): string {
  switch (layout.kind) {
    case 'whole':
      return ''
    case 'mig':
      return `${migMark}${toDottedProfile(layout.profile)}`
    case 'invalid':
      return `${migMark}INVALID`
  }
}
