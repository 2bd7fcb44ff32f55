import type { OwnerRef } from '../pod/pod-view.ts'
import type { WorkloadRef } from '../pod/workload.ts'
import type { ExemptRule, Violation } from './violation.ts'

/** A pod by name and UID. */
export interface FoundPod {
  readonly name: string
  readonly uid: string
}

/** Pods of one template that have the same wrong with them. */
export interface Finding {
  readonly namespace: string
  readonly workload: WorkloadRef
  /** What pods of the template have in common; see `templateKeyOf`. */
  readonly template: string
  /** The object that a person looks at; undefined for bare pods. */
  readonly owner: OwnerRef | undefined
  readonly policy: string | undefined
  readonly podCount: number
  /** The first of the pods, in the order of the list. */
  readonly pods: readonly FoundPod[]
  readonly violations: readonly Violation[]
  readonly exempt: readonly ExemptRule[]
  readonly isUnreviewed: boolean
}

/** What a sweep found in one namespace. */
export interface NamespaceSweep {
  readonly namespace: string
  /** Whether everything was read; else more may be wrong than is said. */
  readonly isWhole: boolean
  /** Pods that were judged. */
  readonly podCount: number
  /** In a fixed order; at most so many as are kept. */
  readonly findings: readonly Finding[]
  /** Pods with something wrong that is in none of the findings kept. */
  readonly podsLeftOut: number
  /** Pods that break one rule or more, kept or not. */
  readonly violatingPods: number
  readonly unreviewedPods: number
  /** Pods that break a rule, kept or not, one entry a rule and level. */
  readonly counts: readonly ViolationCount[]
}

/** How many pods break a rule at a level. */
export interface ViolationCount extends Pick<Violation, 'rule' | 'level'> {
  readonly pods: number
}
