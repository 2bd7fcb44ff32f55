import { fieldOf } from '../core/json.ts'
import type { PagedKind, PageReader, WantedPages } from '../ports/page-reader.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'
import { pagesOf } from './list-collection.ts'
import type { WatchedResource } from './watched-resource.ts'

const groups: Readonly<Record<PagedKind, { readonly api: string; readonly kind: string }>> = {
  namespaces: { api: '/api/v1', kind: 'Namespace' },
  nodes: { api: '/api/v1', kind: 'Node' },
  gpupolicies: { api: '/apis/rightslice.dev/v1alpha1', kind: 'GpuPolicy' },
  gpuworkloads: { api: '/apis/rightslice.dev/v1alpha1', kind: 'GpuWorkload' },
  gpuexemptions: { api: '/apis/rightslice.dev/v1alpha1', kind: 'GpuExemption' },
  pods: { api: '/api/v1', kind: 'Pod' },
  persistentvolumes: { api: '/api/v1', kind: 'PersistentVolume' }
}

/** Pods and nodes are long: pages of 100 keep memory low. */
const PAGE_SIZE = 100

/** Limit for one object, ms. */
const TIMEOUT_MS = 30_000

/** Answer of an API server that does not know a kind or an object. */
const NOT_FOUND = 404

/** Reads collections of the cluster behind a connection. */
export function pageReader(connection: Pick<KubeConnection, 'request'>): PageReader {
  return {
    read: async (wanted, onPage, signal) => {
      const resource = resourceOf(wanted)
      const withKind = (raw: unknown): unknown => ({
        ...Object(raw),
        kind: fieldOf(raw, 'kind') ?? resource.kind
      })
      for await (const objects of unlessMissing(pages(connection, { wanted, resource, signal }))) {
        await onPage(objects.map(withKind))
      }
    }
  }
}

function resourceOf({ kind, namespace, name }: WantedPages): WatchedResource {
  const { api, kind: objectKind } = groups[kind]
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  const own = name === undefined ? '' : `/${encodeURIComponent(name)}`
  return { path: `${api}${scope}/${kind}${own}`, kind: objectKind }
}

interface Reading {
  readonly wanted: WantedPages
  readonly resource: WatchedResource
  readonly signal: AbortSignal
}

async function* pages(
  connection: Pick<KubeConnection, 'request'>,
  { wanted, resource, signal }: Reading
): AsyncGenerator<readonly unknown[]> {
  if (wanted.name !== undefined) {
    const { path } = resource
    const answer = await connection.request({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS })
    yield [await answer.json()]
    return
  }
  const list = { connection, resource, metadataOnly: false, pageSize: PAGE_SIZE, signal }
  for await (const { items } of pagesOf(list)) yield items
}

/** Ends where the server says that there is no such thing; a fault of whoever takes the pages is none of this. */
async function* unlessMissing<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (fault) {
    if (!(fault instanceof KubeError && fault.status === NOT_FOUND)) throw fault
  }
}
