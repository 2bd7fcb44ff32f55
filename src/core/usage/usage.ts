/** How far a peak may be trusted: `own` is provably the container's and not cut off by a ceiling. */
export type UsageEvidence = 'own' | 'censored' | 'self-sizing' | 'shared-device'

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
}

/** What is known of one workload; `version` changes whenever the content does. */
export interface WorkloadUsage {
  readonly version: string
  readonly containers: readonly ContainerUsage[]
}
