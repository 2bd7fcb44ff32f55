import { quantityToCount } from '../api/quantity.ts'
import { type GpuResource, parseGpuResourceName } from '../gpu/resource-name.ts'
import type { ContainerView } from './pod-view.ts'

/** The one resource name that is ever rewritten. */
export const WHOLE_GPU = 'nvidia.com/gpu'

/** Resource by which HAMi limits how much memory of one GPU a container may use, MiB. */
export const GPU_MEMORY = 'nvidia.com/gpumem'

/** What one container asks for in GPUs. */
export type GpuRequest =
  | { readonly kind: 'none' }
  /** Whole GPUs, nothing else. */
  | { readonly kind: 'whole'; readonly count: number }
  /** Shares by name; `besideWhole` is true where whole GPUs are asked for as well. */
  | { readonly kind: 'share'; readonly resources: readonly string[]; readonly besideWhole: boolean }
  /** A resource of another sharing system. */
  | { readonly kind: 'foreign'; readonly resource: string }
  /** Something that the API server refuses: a bad quantity, or a request that differs from its limit. */
  | { readonly kind: 'invalid'; readonly resource: string }

/**
 * What `container` asks for, over limits and requests. Zero is no request.
 * @source Kubernetes: extended resources are whole numbers, limits are required, requests equal limits
 */
export function gpuRequestOf(container: ContainerView): GpuRequest {
  const asked = askedResources(container)
  const foreign = asked.find(({ resource }) => resource.kind === 'foreign')
  if (foreign !== undefined) return { kind: 'foreign', resource: foreign.name }
  const invalid = asked.find(({ count }) => count === undefined)
  if (invalid !== undefined) return { kind: 'invalid', resource: invalid.name }
  const wanted = asked.filter(({ count }) => count !== 0)
  const whole = wanted.find(({ resource }) => resource.kind === 'whole')
  const shares = wanted.filter(({ resource }) => resource.kind !== 'whole').map(({ name }) => name)
  if (shares.length > 0) return { kind: 'share', resources: shares, besideWhole: whole !== undefined }
  return whole?.count === undefined ? { kind: 'none' } : { kind: 'whole', count: whole.count }
}

/** The part of a container that says what it asks for. */
export type AskingContainer = Pick<ContainerView, 'limits' | 'requests'>

/** How much of each GPU resource `container` asks for; what the API server would refuse counts as nothing, like zero. */
export function gpuCountsOf(container: AskingContainer): readonly (readonly [name: string, count: number])[] {
  return askedResources(container).flatMap(({ name, count = 0 }) => (count === 0 ? [] : [[name, count]]))
}

/** Memory of its one GPU that the container is limited to by what it asks for, MiB; undefined where it asks for no such limit. */
export function gpuMemoryLimitMiB(container: AskingContainer): number | undefined {
  const counts = new Map(gpuCountsOf(container))
  return counts.get(WHOLE_GPU) === 1 ? counts.get(GPU_MEMORY) : undefined
}

interface AskedResource {
  readonly name: string
  readonly resource: GpuResource
  readonly count: number | undefined
}

function askedResources(container: AskingContainer): AskedResource[] {
  const names = new Set([...domainNames(container.limits), ...domainNames(container.requests)])
  return [...names].sort().flatMap((name) => {
    const resource = parseGpuResourceName(name)
    return resource === undefined ? [] : { name, resource, count: countOf(container, name) }
  })
}

/** Names with a domain: every extended resource has one, `cpu` and `memory` have none. */
function domainNames(map: ContainerView['limits']): readonly string[] {
  return map === undefined ? [] : Object.keys(map).filter((name) => name.includes('/'))
}

function countOf(container: AskingContainer, name: string): number | undefined {
  const limit = quantityIn(container.limits, name)
  const request = quantityIn(container.requests, name)
  if (request === 'absent') return limit === 'absent' ? 0 : limit
  return limit === request ? limit : undefined
}

function quantityIn(map: ContainerView['limits'], name: string): number | undefined | 'absent' {
  if (map === undefined || !Object.hasOwn(map, name)) return 'absent'
  return quantityToCount(map[name])
}
