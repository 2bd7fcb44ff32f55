import type { WorkloadRef } from '../pod/workload.ts'

/** What of a device a container had while it was measured. */
export type DeviceKind = 'whole' | 'mig' | 'process'

/** Highest use that one container of one pod showed on one day. */
export interface UsageBlock {
  /** Start of the day, UTC, ms since the epoch. */
  readonly dayMs: number
  /** Name of the pod; replicas of one workload have several. */
  readonly pod: string
  readonly peakMiB: number
  /** When the highest memory was seen, ms since the epoch; undefined where the source only tells the day. */
  readonly peakAtMs: number | undefined
  /** Highest busy share of the device's compute, 0 to 1 of a whole GPU; undefined where it was not measured. */
  readonly peakCompute: number | undefined
  /** Metric that `peakCompute` was read from. */
  readonly computeMetric?: string
  readonly samples: number
  /** Time that the samples cover, seconds. */
  readonly coverageSeconds: number
  /** Memory of the device, slice or MPS share that it ran in, MiB. */
  readonly limitMiB: number | undefined
  readonly device: DeviceKind
  /** Whether the container ended for want of GPU memory on this day. */
  readonly outOfMemory: boolean
}

/** Whose blocks belong together: a peak holds for one container of one workload, on one GPU model, of one image. */
export interface HistoryKey {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly container: string
  /** Product label without layout and sharing suffix, such as NVIDIA-A100-SXM4-40GB; '' where it is not known. */
  readonly gpuModel: string
  /** Image with tag or digest; '' where it is not known. */
  readonly image: string
}

/** Everything that is known of one key, in no promised order. */
export interface ContainerHistory {
  readonly key: HistoryKey
  readonly blocks: readonly UsageBlock[]
}
