import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'
import { fieldOf, listOf, stringOf } from '../core/json.ts'
import type { KubeConnection } from './connection.ts'
import { acceptOf, narrowing, type WatchedResource } from './watched-resource.ts'

/** What to list. */
export interface ListRequest {
  readonly connection: Pick<KubeConnection, 'request'>
  readonly resource: WatchedResource
  readonly metadataOnly: boolean
  /** Objects per page. */
  readonly pageSize: number
  /** Lists the collection exactly as it was at this version; absent: as it is now. */
  readonly exactVersion?: string | undefined
  /** Only objects with these labels; absent: all. */
  readonly labelSelector?: string | undefined
  readonly signal: AbortSignal
}

/** Limit for one page, ms. */
const PAGE_TIMEOUT_MS = 60_000

/** Objects that are handed over in one turn of the event loop, so that a long list does not hold up an admission. */
const BATCH = 100

/** Some objects of a list, in its order. */
interface Page {
  readonly items: readonly unknown[]
  /** Version of the whole list. */
  readonly resourceVersion: string | undefined
}

/**
 * Lists a whole collection in pages, hands each object to `onObject` and returns the version to watch from.
 * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED, KUBE_EXPIRED (also when a page's token has run out)
 */
export async function listCollection(
  request: ListRequest,
  onObject: (raw: unknown) => void
): Promise<string> {
  let version: string | undefined
  for await (const { items, resourceVersion } of pagesOf(request)) {
    await handOver(items, onObject)
    version = resourceVersion
  }
  if (version !== undefined) return version
  throw new AppError('KUBE_REFUSED', `GET ${request.resource.path}: the list has no resourceVersion`)
}

/**
 * The pages of a collection; the next one is asked for when the last one is done with.
 * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED, KUBE_EXPIRED
 */
export async function* pagesOf(request: ListRequest): AsyncGenerator<Page> {
  let token: string | undefined
  do {
    const page = await readPage(request, token)
    const metadata = fieldOf(page, 'metadata')
    yield { items: listOf(page, 'items'), resourceVersion: stringOf(metadata, 'resourceVersion') }
    token = stringOf(metadata, 'continue')
  } while (token !== undefined)
}

async function readPage(request: ListRequest, token: string | undefined): Promise<unknown> {
  const { connection, resource, metadataOnly, pageSize, signal } = request
  const response = await connection.request({
    method: 'GET',
    path: resource.path,
    query: {
      limit: pageSize,
      ...narrowing(resource),
      ...(request.labelSelector === undefined ? {} : { labelSelector: request.labelSelector }),
      ...startOf(request, token)
    },
    headers: { accept: acceptOf(metadataOnly, 'list') },
    signal,
    timeoutMs: PAGE_TIMEOUT_MS
  })
  const page = await response.json()
  // Go writes an empty list as null, so `items` may be null; absent, it is no list.
  if (fieldOf(page, 'items') !== undefined) return page
  throw new AppError('KUBE_REFUSED', `GET ${resource.path}: the answer is not a list`)
}

function startOf(request: ListRequest, token: string | undefined): Record<string, string> {
  if (token !== undefined) return { continue: token }
  if (request.exactVersion === undefined) return {}
  return { resourceVersion: request.exactVersion, resourceVersionMatch: 'Exact' }
}

async function handOver(items: readonly unknown[], onObject: (raw: unknown) => void): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    await nextTurn()
    for (const item of items.slice(start, start + BATCH)) onObject(item)
  }
}
