/** Collections of the Kubernetes API that a snapshot holds. */
export type ListedKind =
  | 'nodes'
  | 'namespaces'
  | 'gpupolicies'
  | 'gpuworkloads'
  | 'replicasets'
  | 'jobs'
  | 'pods'
  | 'gpuexemptions'
  | 'resourcequotas'
  | 'limitranges'

/** Reads whole collections once. */
export interface ClusterLister {
  /**
   * Every object of a collection, handed over one by one so that only what is kept takes memory.
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED; a kind that the cluster does not serve is an empty collection
   */
  list(kind: ListedKind, onObject: (raw: unknown) => void): Promise<void>
}
