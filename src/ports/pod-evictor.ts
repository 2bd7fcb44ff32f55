/** One pod, by name and UID, so that no other one of its name is meant. */
export interface EvictedPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** What became of an eviction: the pod goes, is gone already, or a disruption budget keeps it for now. */
export type EvictionOutcome = 'evicted' | 'gone' | 'blocked'

/** Removes pods by the Eviction API. Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED. */
export interface PodEvictor {
  evict(pod: EvictedPod, signal: AbortSignal): Promise<EvictionOutcome>
  /** How many pods a Job may still lose before it fails; 0 when it is gone. A pod that is removed counts as lost. */
  jobTriesLeft(namespace: string, name: string, signal: AbortSignal): Promise<number>
}
