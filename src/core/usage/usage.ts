/** How far a peak may be trusted: `own` is provably the container's and not cut off by a ceiling. */
export type UsageEvidence = 'own' | 'censored' | 'self-sizing' | 'shared-device'

/** Why a container may not get a smaller share for now, however low its use. */
export type UsageObstacle =
  | 'no-history'
  | 'self-sizing'
  | 'censored'
  | 'under-one-season'
  | 'ran-out-of-memory'

/** Highest compute use seen, with the metric that it was read from. */
export interface ComputePeak {
  /** 0 to 1 of the whole GPU. */
  readonly ratio: number
  readonly metric: string
}

/** What is known of one container of a workload, over the policy's lookback. */
export interface ContainerUsage {
  readonly container: string
  readonly peakMiB: number
  readonly peakCompute: ComputePeak | undefined
  /** Memory of the device that it ran on, MiB. */
  readonly deviceMiB: number | undefined
  readonly evidence: UsageEvidence
  /** Time that the samples cover, seconds. */
  readonly coverageSeconds: number
  /** What the estimator asks for, MiB: peak and learnt headroom; undefined where none has looked, as in files. */
  readonly neededMiB?: number | undefined
  /** Least memory of a share for now, MiB. */
  readonly sizeFloorMiB?: number | undefined
  readonly obstacle?: UsageObstacle | undefined
}

/** A share that pods waited for in vain. */
export interface Fallback {
  readonly share: string
  /** Until when pods keep whole GPUs, ms since the epoch. */
  readonly untilMs: number
}

/** A share that some pods try before the others follow. */
export interface CanaryState {
  readonly share: string
  readonly state: 'trial' | 'passed' | 'failed'
  /** Until when a failed share is not tried again, ms since the epoch; undefined where it has not failed. */
  readonly untilMs: number | undefined
  /** Why it failed, in a sentence. */
  readonly message: string | undefined
}

/** What is known of one workload; `version` changes whenever the content does. */
export interface WorkloadUsage {
  readonly version: string
  readonly containers: readonly ContainerUsage[]
  /** Set after pods waited for their share for too long. */
  readonly fallback?: Fallback | undefined
  /** How the first pods with a share do. */
  readonly canary?: CanaryState | undefined
}
