import type { WorkloadRef } from '../../pod/workload.ts'
import type { DeviceSeries } from '../dialect-series.ts'

/** A container of a pod that is or was seen in the cluster. */
export interface KnownContainer {
  readonly name: string
  /** Image with tag or digest; '' where it is not known. */
  readonly image: string
  /** GPU resource of its limits, such as nvidia.com/gpu; undefined when it asks for none. */
  readonly gpuResource: string | undefined
  /** Memory that it may use of its GPU by its own limit, MiB; absent where only the device bounds it. */
  readonly limitMiB?: number
  /** When it ended for want of GPU memory, ms since the epoch. */
  readonly outOfMemoryMs?: readonly number[]
}

/** A pod that is or was seen in the cluster: all live ones, and those that ended as far as they are remembered. */
export interface KnownPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Node that it runs on; '' while it has none. */
  readonly node: string
  readonly workload: WorkloadRef
  readonly containers: readonly KnownContainer[]
  /** When its kubelet started it, ms since the epoch; undefined while it has not, or where that is not known. */
  readonly startMs: number | undefined
  /** When it ended, ms since the epoch; undefined while it lives. */
  readonly endMs: number | undefined
}

/** A workload that exists, or whose history is kept. */
export interface KnownWorkload {
  readonly namespace: string
  readonly workload: WorkloadRef
}

/** What a node's labels say about its devices. */
export interface KnownNode {
  readonly name: string
  /** How many containers may get one device, by resource without `.shared`; 1: nobody shares. Absent where it is not known. */
  readonly replicas: Readonly<Record<string, number>>
  /** Memory of one device or slice, MiB, by resource without `.shared`. */
  readonly memoryMiB: Readonly<Record<string, number>>
  /** Whether replicas are those of MPS, each with an equal part of the memory as its limit. */
  readonly mps?: boolean
}

/** Everything that attribution looks at. */
export interface AttributionInput {
  readonly series: readonly DeviceSeries[]
  readonly pods: readonly KnownPod[]
  /** Workloads that pods which are gone may have belonged to; those of `pods` need not be repeated. */
  readonly ownersOf: readonly KnownWorkload[]
  readonly nodes?: readonly KnownNode[]
  readonly nowMs: number
}

/** Length of the days that a source gives, ms. */
export const DAY_MS = 86_400_000

/** How far two clocks may differ, and how finely sources tell first and last times, ms. */
export const CLOCK_TOLERANCE_MS = 60_000

/** How long after its end a pod is still exported without that being a fault: one collection and one scrape, ms. */
export const EXPORT_LAG_MS = 120_000
