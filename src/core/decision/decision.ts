import type { MarkHandling, ReasonCode } from '../api/reasons.ts'
import type { Taint } from '../cluster/node-view.ts'
import type { ContainerView, PodView } from '../pod/pod-view.ts'
import type { WorkloadRef } from '../pod/workload.ts'
import type { PolicyRead } from '../policy/effective-policy.ts'
import type { Exemption } from '../policy/exemption.ts'
import type { NamespaceLimits } from '../quota/namespace-limits.ts'
import type { Defeat } from '../rules/defeats.ts'
import type { Capacity, Fill } from '../sharing/capacity.ts'
import type { Ask, ShareNamespace, SharingMethod } from '../sharing/method.ts'
import type { NodeIndex } from '../sharing/node-index.ts'
import type { WorkloadUsage } from '../usage/usage.ts'

/** Everything that a decision looks at: one record, gathered from memory. */
export interface DecisionInput {
  /** Operation of the admission request, `CREATE` for a new pod. */
  readonly operation: string
  /** Subresource of the request, '' for the pod itself. */
  readonly subResource: string
  readonly pod: PodView
  /** By what the pod would step around a share; asked only once it would be given one. */
  readonly readDefeats: () => readonly Defeat[]
  readonly namespace: ShareNamespace
  readonly settings: DecisionSettings
  readonly policies: readonly PolicyRead[]
  readonly workload: WorkloadRef
  /** undefined when nothing is known of the workload. */
  readonly usage: WorkloadUsage | undefined
  readonly nodes: NodeIndex
  /** Exemptions of the namespace, those that ended too. */
  readonly exemptions: readonly Exemption[]
  /** What quotas and LimitRanges of the namespace say; absent: nothing. */
  readonly limits?: NamespaceLimits
  /** Key by which Kueue is seen to hold the object that made the pod; absent where it is not. */
  readonly ownerMark?: string | undefined
  /**
   * When the API server was last heard of about the kind of object that it has been silent about for longest, ms since the epoch;
   * absent where that does not count.
   */
  readonly heardMs?: number | undefined
  /** What is taken of what nodes offer; absent where it is not known. */
  readonly capacity?: Capacity | undefined
  /** Living pods of the same controller and template that we gave shares; absent: none. */
  readonly siblings?: readonly Sibling[]
  /** Answers to pods of that template that nobody has seen yet; absent: none. */
  readonly unseen?: number
  readonly nowMs: number
}

/** What a living pod of the same controller and template was given. */
export interface Sibling {
  /** Its label `rightslice.dev/slice`. */
  readonly share: string
  /** Version of the evidence at that time. */
  readonly snapshot: string
  /** How many of them there are. */
  readonly pods: number
}

/** What an operator sets for the whole installation. */
export interface DecisionSettings {
  /** Namespaces that are never touched; a name that ends in `*` stands for all that start so. */
  readonly systemNamespaces: readonly string[]
  /** Values of `schedulerName` whose pods may be changed. */
  readonly schedulers: readonly string[]
  /** Age of what is known of the cluster from which on nothing is rewritten, ms; absent: never. */
  readonly staleAfterMs?: number
}

/** How one candidate compared with what a container needs. */
export interface Considered {
  readonly share: string
  readonly resource: string
  /** Node labels by which the pod would ask for it. */
  readonly requires: Readonly<Record<string, string>>
  readonly usableMiB: number | undefined
  readonly computeRatio: number | undefined
  /** How many there are, and where they have gone; absent where it is not known. */
  readonly fill?: Fill
  readonly verdict:
    | 'fits'
    | 'too-small'
    | 'over-limit'
    | 'too-little-compute'
    | 'memory-unknown'
    | 'compute-unknown'
}

/** What was found for one GPU container. */
export interface Finding {
  readonly container: string
  readonly peakMiB: number
  readonly neededMiB: number
  readonly headroomRatio: number
  readonly coverageSeconds: number
  /** Least share of a GPU's compute that the container needs, 0 to 1; undefined when it does not count. */
  readonly neededCompute: number | undefined
  readonly considered: readonly Considered[]
}

/** What a decision rests on. */
export interface Evidence {
  readonly policy: string | undefined
  readonly workload: WorkloadRef
  /** Version of the inputs that matter: policy and its generation, workload and its version. */
  readonly snapshot: string
  readonly findings: readonly Finding[]
}

interface Told {
  readonly reason: ReasonCode
  /** One sentence for people, without the reason code. */
  readonly sentence: string
  /** Things that the pod's user should know besides, one sentence each. */
  readonly notices: readonly string[]
  readonly evidence: Evidence
}

/** The share that one container gets in place of its whole GPU. */
export interface ContainerChange {
  readonly container: ContainerView
  /** Resource by which the share is told apart from others. */
  readonly resource: string
  readonly share: string
  /** Node labels that the pod selects for it. */
  readonly requires: Readonly<Record<string, string>>
  readonly ask: Ask
  /** Name of its claim within the pod, where it asks by one; containers that run in one share have one claim. */
  readonly claim: string
}

/** The pod gets shares. */
export interface Rewrite extends Told {
  readonly kind: 'rewrite'
  readonly changes: readonly ContainerChange[]
  /** Labels that the pod must select besides its own. */
  readonly nodeSelector: Readonly<Record<string, string>>
  /** Taints of the shares that the pod does not tolerate by what it says already. */
  readonly tolerates: readonly Taint[]
  /** Scheduler that must place the pod; undefined: the one that it names. */
  readonly schedulerName: string | undefined
  /** Methods that the shares come from. */
  readonly methods: readonly SharingMethod[]
  /** true when the pod carries this very decision already. */
  readonly repeated: boolean
}

/** The pod stays as it is. */
export interface Keep extends Told {
  readonly kind: 'keep'
  /** What happens to our marks on the pod; where namespace or policy only warn, none are written. */
  readonly marks: MarkHandling
  /** What would be done if this were not only a proposal. */
  readonly proposed: Rewrite | undefined
}

/** What is to be done with a pod. */
export type Decision = Keep | Rewrite
