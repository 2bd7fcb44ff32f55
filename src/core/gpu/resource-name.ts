import { foreignSystemOf } from './foreign-resource.ts'
import { fromDottedProfile, toDottedProfile } from './profile.ts'

/** What an extended resource name of a container asks for, in terms of GPUs. */
export type GpuResource =
  | { readonly kind: 'whole' }
  | { readonly kind: 'mig'; readonly profile: string }
  | { readonly kind: 'shared'; readonly of: 'gpu' }
  | { readonly kind: 'shared'; readonly of: 'mig'; readonly profile: string }
  | { readonly kind: 'foreign'; readonly system: string }

/** A GPU resource that has exactly one name, so that it can be printed. */
export type NamedGpuResource = Exclude<GpuResource, { readonly kind: 'foreign' }>

const wholeGpu = 'nvidia.com/gpu'
const migPrefix = 'nvidia.com/mig-'
const sharedSuffix = '.shared'

const dottedProfile = '[1-9][0-9]?g[.][1-9][0-9]{0,3}gb(?:[.]gfx)?(?:[.]me[.]all|[.]me|-me)?'

/** Names of our own kinds of resources as regular expressions that RE2 reads too; compute instances are left out. */
export const gpuResourcePatterns = {
  whole: '^nvidia[.]com/gpu$',
  slice: `^nvidia[.]com/mig-${dottedProfile}$`,
  replica: `^nvidia[.]com/(?:gpu|mig-${dottedProfile})[.]shared$`
} as const

/**
 * Reads the exact name of an extended resource.
 * @returns `foreign` for GPU resources that other systems count, and for names of the vendor's domain that we do not
 *   know; undefined for what is no GPU (`cpu`, `rdma/hca`)
 * @source NVIDIA/k8s-device-plugin internal/rm/rm.go and its README on renameByDefault
 */
export function parseGpuResourceName(name: string): GpuResource | undefined {
  const shared = name.endsWith(sharedSuffix)
  const own = shared ? name.slice(0, -sharedSuffix.length) : name
  if (own === wholeGpu) return shared ? { kind: 'shared', of: 'gpu' } : { kind: 'whole' }
  const profile = own.startsWith(migPrefix) ? fromDottedProfile(own.slice(migPrefix.length)) : undefined
  if (profile !== undefined) return shared ? { kind: 'shared', of: 'mig', profile } : { kind: 'mig', profile }
  const system = foreignSystemOf(name)
  return system === undefined ? undefined : { kind: 'foreign', system }
}

/** Resource name of a canonical profile: `1g.10gb+me` gives `nvidia.com/mig-1g.10gb.me`. */
export function migResourceName(profile: string): string {
  return `${migPrefix}${toDottedProfile(profile)}`
}

/** The resource name that `parseGpuResourceName` reads as `resource`. */
export function printGpuResourceName(resource: NamedGpuResource): string {
  switch (resource.kind) {
    case 'whole':
      return wholeGpu
    case 'mig':
      return migResourceName(resource.profile)
    case 'shared':
      return `${resource.of === 'gpu' ? wholeGpu : migResourceName(resource.profile)}${sharedSuffix}`
  }
}
