import { namespaceLabels } from '../core/api/names.ts'
import { fieldAt, fieldOf, listOf, stringOf } from '../core/json.ts'

/** Where the API server notes who set the label by which a namespace opts in. */
const optInPath = ['f:metadata', 'f:labels', `f:${namespaceLabels.rightsize}`]

/** Since when a namespace has its level for certain, ms since the epoch; undefined where nobody noted it. */
export function optedInSinceMs(raw: unknown): number | undefined {
  return managedSinceMs(raw, optInPath)
}

/** Since when a spec is as it is for certain, ms since the epoch; undefined where nobody noted it. */
export function specSinceMs(raw: unknown): number | undefined {
  return managedSinceMs(raw, ['f:spec'])
}

/**
 * The last time at which any manager of a field wrote something: the field has not changed since.
 * @source https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
function managedSinceMs(raw: unknown, path: readonly string[]): number | undefined {
  const times = listOf(fieldOf(raw, 'metadata'), 'managedFields').flatMap((entry) => {
    if (fieldAt(entry, 'fieldsV1', ...path) === undefined) return []
    return Date.parse(stringOf(entry, 'time') ?? '')
  })
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times)
}
