import type { ReasonCode } from '../api/reasons.ts'
import type { WorkloadRef } from '../pod/workload.ts'

/** One GPU container of a running pod. */
export interface RunningContainer {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  readonly workload: WorkloadRef
  readonly container: string
  /** Whole GPUs that it holds. */
  readonly gpus: number
  /** Why it must keep them whatever it uses; undefined when its use may decide. */
  readonly keeps: ReasonCode | undefined
  /** The same for a share that is shared with other pods. */
  readonly keepsIfShared: ReasonCode | undefined
}

/** What is known of one container of a workload. */
export interface KnownNeed {
  readonly peakMiB: number
  /** Busy share of a GPU's compute at its highest, 0 to 1. */
  readonly peakCompute: number | undefined
  readonly neededMiB: number
  /** Share of a GPU's compute that it needs, 0 to 1; undefined when it does not count. */
  readonly neededCompute: number | undefined
  readonly coverageSeconds: number
}

/** The share that a workload would fit. */
export type Fit =
  | { readonly kind: 'slice'; readonly profile: string; readonly usableMiB: number }
  /** As many as `replicas` of the group share a card. */
  | { readonly kind: 'replica'; readonly replicas: number; readonly neededMiB: number }
  | { readonly kind: 'none'; readonly reason: ReasonCode }

/** A profile that was compared with a need. */
export interface ConsideredProfile {
  readonly profile: string
  readonly usableMiB: number
  readonly fits: boolean
}

/** The containers of one workload on one group of nodes. */
export interface CandidateRow {
  /** Nodes that its pods run on, by name. */
  readonly nodes: readonly string[]
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly container: string
  readonly pods: number
  /** Whole GPUs that one pod asks for; the most where they differ. */
  readonly requested: number
  /** Whole GPUs that all of them hold. */
  readonly gpus: number
  readonly need: KnownNeed | undefined
  /** Why it may not be given a share that is shared with other pods; undefined when it may. */
  readonly keepsIfShared: ReasonCode | undefined
  readonly fit: Fit
  /** Profiles of the card up to the one that fits, smallest first; empty where none were looked at. */
  readonly considered: readonly ConsideredProfile[]
}

/** Nodes that are judged together, with their workloads and what packing these would free. */
export interface CandidateGroup {
  readonly nodes: readonly string[]
  /** Product label of the model. */
  readonly model: string
  readonly rows: readonly CandidateRow[]
  /** GPUs held now by pods that fit a share, and after they are packed. */
  readonly gpusNow: number
  readonly gpusAfter: number
  /** Price of one GPU, USD per hour; undefined where it is not known. */
  readonly priceUsdPerHour: number | undefined
}
