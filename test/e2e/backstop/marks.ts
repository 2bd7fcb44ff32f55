import { namespaceLabels, ownAnnotations, sliceLabel } from '../../../src/core/api/names.ts'
import { type JsonRecord, stringOf } from '../../../src/core/json.ts'
import { type Answer, bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import type { Carried } from './templates.ts'

/** Every key of a pod that is reserved, with the map that it stands in. */
export const reserved: readonly (readonly ['annotations' | 'labels', string])[] = [
  ...Object.values(ownAnnotations).map((key) => ['annotations', key] as const),
  ['labels', sliceLabel]
]

/** All of them on one object. */
export const marks: Carried = {
  annotations: Object.fromEntries(Object.values(ownAnnotations).map((key) => [key, 'ours'])),
  labels: { [sliceLabel]: 'ours' }
}

/** Namespaces of the tests: one of each level, and one of the system that is on `enforce` all the same. */
export const namespaces = ['strict', 'told', 'out', 'kube-system'] as const

/** Makes them, with the role `edit` for the tenant in those that are not of the system. */
export async function createNamespaces(bed: Bed): Promise<void> {
  const levels = { strict: 'enforce', told: 'warn', out: 'off' }
  for (const [name, level] of Object.entries(levels))
    await createNamespace(bed, name, { labels: { [namespaceLabels.rightsize]: level }, tenantRole: 'edit' })
  const patch = { metadata: { labels: { [namespaceLabels.rightsize]: 'enforce' } } }
  bodyOf(
    await bed.request('PATCH', '/api/v1/namespaces/kube-system', patch, MERGE_PATCH),
    'label kube-system'
  )
}

/** Creates an object as admin. */
export async function create(bed: Bed, path: string, object: JsonRecord): Promise<void> {
  bodyOf(await bed.request('POST', path, object), `create in ${path}`)
}

/** What the API server says of a request. */
export function messageOf({ body }: Answer): string {
  return stringOf(body, 'message') ?? JSON.stringify(body)
}
