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
  | 'resourceslices'
  | 'deviceclasses'
  | 'resourceclaimtemplates'

/** Reads whole collections once. */
export interface ClusterLister {
  /**
   * Every object of a collection, handed over one by one so that only what is kept takes memory.
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED; a kind that the cluster does not serve is an empty
   *   collection, and so is what drivers publish to somebody who may not read it
   */
  list(kind: ListedKind, onObject: (raw: unknown) => void): Promise<void>
}
