import { fieldOf, stringOf } from '../core/json.ts'

/** A collection of the API that can be listed and watched. */
export interface WatchedResource {
  /** Path of the collection, such as `/api/v1/nodes`. */
  readonly path: string
  /** Kind of its objects, for logs and metrics. */
  readonly kind: string
  /** Name of the one object to read of it; absent: all. Rights on that object alone are then enough. */
  readonly objectName?: string
  /** Only objects with these fields, such as `reason=FailedCreate`; default: all. */
  readonly fieldSelector?: string
  /** Only objects with these labels; default: all. */
  readonly labelSelector?: string
}

/** How an object is found in a store; `namespace` is '' for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace: string
  readonly name: string
}

/** Key from an object's metadata, undefined when it has no name. */
export function keyOfMetadata(raw: unknown): ObjectKey | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  return name === undefined ? undefined : { namespace: stringOf(metadata, 'namespace') ?? '', name }
}

/** The part of a query that narrows a list or a watch to the objects that are wanted. */
export function narrowing(resource: WatchedResource): Readonly<Record<string, string>> {
  const { objectName, labelSelector } = resource
  const fieldSelector = objectName === undefined ? resource.fieldSelector : `metadata.name=${objectName}`
  return {
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector })
  }
}

/**
 * Media type that asks for metadata only, of a list or of the single objects of a watch.
 * @source https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 */
export function acceptOf(metadataOnly: boolean, what: 'list' | 'watch'): string {
  if (!metadataOnly) return 'application/json'
  const kind = what === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata'
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`
}
