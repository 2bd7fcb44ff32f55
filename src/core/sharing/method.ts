import type { MethodName } from '../api/method-names.ts'
import type { ReasonCode } from '../api/reasons.ts'
import type { ClaimTemplate } from '../cluster/devices/claim-template.ts'
import type { NodeView, Taint } from '../cluster/node-view.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'

/** What a share keeps apart between two pods on one GPU. */
export type Separation = (typeof separations)[number]

/** From what keeps most apart to what keeps nothing apart: the order in which shares are preferred where a policy names none. */
export const separations = ['hardware', 'memory-limit', 'software-limit', 'none'] as const

/** Where the compute share of an offer comes from: SM counts of label or catalogue, slice counts, or replicas. */
export type ComputeBasis = 'sm-label' | 'sm-catalog' | 'slices' | 'replicas'

/** One kind of share that a node really has. */
export interface Offer {
  readonly method: MethodName
  /** Extended resource that the container asks for; where it asks by a claim, the name of the template. */
  readonly resource: string
  /** Class of the device that a claim asks for; absent: the container asks by resources. */
  readonly deviceClass?: string
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
  readonly separation: Separation
  /** Node labels that the pod must select to get this share and no other; empty where the resource name says it all. */
  readonly requires: Readonly<Record<string, string>>
  /** Taints by which the node keeps away whoever does not want this very share; the pod is made to tolerate them. Absent: none. */
  readonly tolerates?: readonly Taint[]
  /** Whether it is cut as large as a container asks for: memory and compute are then the most that one can have. Absent: no. */
  readonly toMeasure?: boolean
  /** Memory of the node that is given away in parts cut to measure, MiB; `count` is then how many of them there may be. */
  readonly totalMiB?: number
}

/** How a container asks for its share in place of a whole GPU. */
export interface Ask {
  /** Count by extended resource; 0 means that it goes where it is. A whole GPU goes unless it is named here. */
  readonly resources: Readonly<Record<string, number>>
  /** ResourceClaimTemplate of the pod's namespace that the container's claim is made from; absent: no claim. */
  readonly claimTemplate?: string
}

/** What a container needs of a share, as far as an ask may depend on it. */
export interface Wanted {
  /** 0 where any size does, MiB. */
  readonly neededMiB: number
  /** Share of a whole GPU's compute, 0 to 1; undefined where it does not count. */
  readonly neededCompute: number | undefined
}

/** Why a method or an offer may not be used, with the sentence for people. */
export interface Refusal {
  readonly reason: ReasonCode
  readonly sentence: string
}

/** Whom a share is for. */
export interface ShareContext {
  readonly policy: EffectivePolicy
  readonly namespace: ShareNamespace
  /** Whether the pod uses the IPC namespace of its node; absent where no pod is looked at. */
  readonly hostIpc?: boolean
}

/** A namespace, as far as it matters for shares. */
export interface ShareNamespace {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Templates of ours for claims; absent: none. */
  readonly claimTemplates?: readonly ClaimTemplate[]
}

/** One way to share a GPU. The engine knows methods by this interface only. */
export interface SharingMethod {
  readonly name: MethodName
  /** What is and what is not kept apart by a share of this separation, in words, used by every message. */
  isolates(separation: Separation): string
  /** What has to be set before it is used, in words. */
  readonly needs: string
  /** Everything that the node offers by this method; empty when it offers nothing or its labels cannot be trusted. */
  offers(node: NodeView): readonly Offer[]
  /** The first rule of namespace or policy that forbids the offer, undefined when it may be used. */
  refusal(offer: Offer, context: ShareContext): Refusal | undefined
  /** How a container asks for the share. */
  ask(offer: Pick<Offer, 'resource' | 'deviceClass'>, wanted: Wanted): Ask
  /**
   * Whether one node can give all of these at one time, which are offers of its own; absent: as often as each resource is allocatable.
   */
  readonly holds?: (node: NodeView, offers: readonly Pick<Offer, 'resource' | 'profile'>[]) => boolean
  /** Scheduler that the pod must be placed by; absent: the one that it names. */
  readonly schedulerName?: string
  /** What this scheduler's own webhook leaves beside a whole GPU, by resource: a container with exactly this still asks for a whole one. */
  readonly besideWhole?: Readonly<Record<string, number>>
  /** Keys of labels and taints by which its shares are told, besides those that every method reads. */
  readonly ownKeys?: readonly string[]
  /**
   * Paths of a pod that this method changes besides GPU resources, node selector, tolerations and our own marks, as JSON pointers
   * in which `*` stands for any text without a slash; what is below them belongs to it too.
   */
  readonly ownPaths: readonly string[]
}

/** Asks for one of the share's resource, as most methods do. */
export function askForOne({ resource }: Pick<Offer, 'resource'>): Ask {
  return { resources: { [resource]: 1 } }
}
