import type { MethodName } from '../api/method-names.ts'
import type { ReasonCode } from '../api/reasons.ts'
import type { NodeView } from '../cluster/node-view.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'

/** What a method keeps apart between two pods on one GPU. */
export type Separation = 'hardware' | 'memory-limit' | 'none'

/** Where the compute share of an offer comes from: SM counts of label or catalogue, slice counts, or replicas. */
export type ComputeBasis = 'sm-label' | 'sm-catalog' | 'slices' | 'replicas'

/** One kind of share that a node really has. */
export interface Offer {
  readonly method: MethodName
  /** Extended resource that the container asks for. */
  readonly resource: string
  /** Short name of the share for people and for pins: `mig-1g.10gb`, `shared`. */
  readonly share: string
  /** Canonical MIG profile, undefined for replicas of whole GPUs. */
  readonly profile: string | undefined
  /** Memory that a fit compares with, MiB; undefined where it is unknown, and then nothing fits. */
  readonly usableMiB: number | undefined
  /** Share of the whole GPU's compute, 0 to 1; undefined where it is unknown. */
  readonly computeRatio: number | undefined
  readonly computeBasis: ComputeBasis
  /** Allocatable on the node. */
  readonly count: number
  /** Pods that share one device: 1 for an isolated slice. */
  readonly replicas: number
  /** Node labels that the pod must select to get this share and no other; empty where the resource name says it all. */
  readonly requires: Readonly<Record<string, string>>
}

/** Why a method or an offer may not be used, with the sentence for people. */
export interface Refusal {
  readonly reason: ReasonCode
  readonly sentence: string
}

/** Whom a share is for. */
export interface ShareContext {
  readonly policy: EffectivePolicy
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
}

/** One way to share a GPU. The engine knows methods by this interface only. */
export interface SharingMethod {
  readonly name: MethodName
  readonly separation: Separation
  /** What is and what is not kept apart, in words, used by every message. */
  readonly isolates: string
  /** Everything that the node offers by this method; empty when it offers nothing or its labels cannot be trusted. */
  offers(node: NodeView): readonly Offer[]
  /** The first rule of namespace or policy that forbids the offer, undefined when it may be used. */
  refusal(offer: Offer, context: ShareContext): Refusal | undefined
  /** Paths of a pod that this method changes besides GPU resources, node selector and our own marks, as JSON pointers. */
  readonly ownPaths: readonly string[]
}
