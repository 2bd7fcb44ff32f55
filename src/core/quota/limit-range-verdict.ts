import type { LimitItem, LimitRange } from './limit-range.ts'

/** What the containers of a pod that change would ask for. */
export interface Asking {
  /** By resource: the most that one container asks for. */
  readonly most: Readonly<Record<string, number>>
  /** Resources that a container asks for no longer. */
  readonly gone: readonly string[]
}

/** Why a LimitRange would have the API server refuse the pod, as the end of a sentence; undefined where none would. */
export function limitRangeObjection(limitRanges: readonly LimitRange[], asking: Asking): string | undefined {
  for (const { name, items } of limitRanges) {
    for (const item of items) {
      const objection = objectionOf(item, asking)
      if (objection !== undefined) return `LimitRange ${name} ${objection}`
    }
  }
  return undefined
}

/** A bound on a resource also says that it has to be asked for. @source Kubernetes, plugin LimitRanger */
function objectionOf({ per, bounds }: LimitItem, { most, gone }: Asking): string | undefined {
  for (const [resource, { min, max }] of Object.entries(bounds)) {
    if (gone.includes(resource)) return `wants ${resource} in each ${per}`
    const count = Object.hasOwn(most, resource) ? most[resource] : undefined
    if (count === undefined) continue
    if (max !== undefined && count > max) return `allows ${max} of ${resource} in a ${per}`
    if (min !== undefined && count < min) return `wants ${min} of ${resource} in each ${per}`
  }
  return undefined
}

/** How many of `resource` all containers of a pod may ask for together; undefined where no LimitRange says. */
export function mostInPod(limitRanges: readonly LimitRange[], resource: string): number | undefined {
  const bounds = limitRanges.flatMap(({ items }) =>
    items.flatMap((item) => {
      const max = Object.hasOwn(item.bounds, resource) ? item.bounds[resource]?.max : undefined
      return item.per === 'pod' && max !== undefined ? [max] : []
    })
  )
  return bounds.length === 0 ? undefined : Math.min(...bounds)
}
