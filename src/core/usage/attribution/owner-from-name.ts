import { type WorkloadRef, workloadKey } from '../../pod/workload.ts'
import type { AttributionInput } from './known.ts'
import { fitsName } from './name-patterns.ts'

/** Workloads that are known, by namespace and by name. */
export type OwnerIndex = ReadonlyMap<string, ReadonlyMap<string, readonly WorkloadRef[]>>

/** Whose a pod was that is gone. */
export type NamedOwner =
  | { readonly kind: 'one'; readonly workload: WorkloadRef }
  | { readonly kind: 'none' }
  | { readonly kind: 'several' }

/** Workloads of the pods and those given besides, each once. */
export function indexOwners({ pods, ownersOf }: Pick<AttributionInput, 'pods' | 'ownersOf'>): OwnerIndex {
  const index = new Map<string, Map<string, WorkloadRef[]>>()
  for (const { namespace, workload } of [...pods, ...ownersOf]) {
    const names = index.get(namespace) ?? new Map<string, WorkloadRef[]>()
    index.set(namespace, names)
    const same = names.get(workload.name) ?? []
    names.set(workload.name, same)
    if (!same.some((known) => workloadKey(known) === workloadKey(workload))) same.push(workload)
  }
  return index
}

/**
 * The known workload of this namespace that a pod was of, told by its name alone. A name that fits several is of none.
 * @example with Deployments `api` and `api-worker`, 'api-worker-7c9d8f6b5d-x2k4p' is of `api-worker`
 */
export function ownerFromName(index: OwnerIndex, namespace: string, podName: string): NamedOwner {
  const names = index.get(namespace)
  if (names === undefined) return { kind: 'none' }
  const fitting = beginnings(podName).flatMap((name) =>
    (names.get(name) ?? []).filter((workload) => fitsName(podName, workload))
  )
  const [workload, ...others] = fitting
  if (workload === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'one', workload } : { kind: 'several' }
}

/** The name itself, and what stands before each of its dashes. */
function beginnings(podName: string): readonly string[] {
  const found = [podName]
  for (let dash = podName.indexOf('-'); dash !== -1; dash = podName.indexOf('-', dash + 1)) {
    found.push(podName.slice(0, dash))
  }
  return found
}
