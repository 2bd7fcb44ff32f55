import { fieldOf, stringMapOf, stringOf } from '../core/json.ts'
import { kueueMarkOf } from '../core/pod/kueue-mark.ts'
import { readOwner } from '../core/pod/pod-view.ts'
import type { NamespaceView, OwnerView } from './cluster-state.ts'
import { optedInSinceMs } from './managed-since.ts'

/** Reads a Namespace; undefined when it has no name. */
export function readNamespace(raw: unknown): NamespaceView | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  const optedInMs = optedInSinceMs(raw)
  return { name, labels: stringMapOf(metadata, 'labels'), ...(optedInMs === undefined ? {} : { optedInMs }) }
}

/**
 * Reads an object that may stand between a pod and its workload, whole or as metadata only; undefined without a name.
 * @param kind kind of the collection, since metadata alone does not tell it
 */
export function readOwnerView(raw: unknown, kind: string | undefined): OwnerView | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (kind === undefined || name === undefined) return undefined
  const mark = kueueMarkOf(metadata)
  const view = {
    namespace: stringOf(metadata, 'namespace') ?? '',
    kind,
    name,
    controller: readOwner(metadata)
  }
  return mark === undefined ? view : { ...view, mark }
}
