import type { OwnerRef } from '../core/pod/pod-view.ts'
import type { OwnerLookup } from '../core/pod/workload.ts'
import type { ObjectStore } from '../ports/object-store.ts'

/** What is known of an object that owns pods. */
interface Owner {
  readonly controller: OwnerRef | undefined
  readonly mark?: string
}

/** Where what owns pods is kept. */
interface OwnerStores {
  readonly replicaSets: ObjectStore<Owner>
  readonly jobs: ObjectStore<Owner>
}

/** An object that owns pods; undefined where it is of another kind, or not known. */
export function ownerIn(
  { replicaSets, jobs }: OwnerStores,
  namespace: string,
  { kind, name }: OwnerRef
): Owner | undefined {
  if (kind === 'ReplicaSet') return replicaSets.get(namespace, name)
  return kind === 'Job' ? jobs.get(namespace, name) : undefined
}

/** Controllers of ReplicaSets and Jobs, from memory. */
export function ownerLookup(stores: OwnerStores): OwnerLookup {
  return (namespace, owner) => ownerIn(stores, namespace, owner)?.controller
}

/** Key by which Kueue is seen to hold what made a pod, or what made that; undefined where it is not seen. */
export function ownerMarkIn(
  stores: OwnerStores,
  namespace: string,
  owner: OwnerRef | undefined
): string | undefined {
  const view = owner && ownerIn(stores, namespace, owner)
  const above = view?.controller && ownerIn(stores, namespace, view.controller)
  return view?.mark ?? above?.mark
}
