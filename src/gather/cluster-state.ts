import type { ClaimTemplate } from '../core/cluster/devices/claim-template.ts'
import type { NodeView } from '../core/cluster/node-view.ts'
import type { Sibling } from '../core/decision/decision.ts'
import type { OwnerRef } from '../core/pod/pod-view.ts'
import type { WorkloadRef } from '../core/pod/workload.ts'
import type { PolicyRead } from '../core/policy/effective-policy.ts'
import type { Exemption } from '../core/policy/exemption.ts'
import type { LimitRange } from '../core/quota/limit-range.ts'
import type { NamespaceLimits } from '../core/quota/namespace-limits.ts'
import type { ResourceQuota } from '../core/quota/resource-quota.ts'
import type { Capacity } from '../core/sharing/capacity.ts'
import { indexNodes, type NodeIndex } from '../core/sharing/node-index.ts'
import { recordKey, type WorkloadRecord } from '../core/usage/read-gpu-workload.ts'
import type { WorkloadUsage } from '../core/usage/usage.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import type { GpuPod } from './gpu-pod.ts'
import { LimitsState } from './limits-state.ts'
import { Occupancy } from './occupancy.ts'
import { ownerIn, ownerMarkIn } from './owner-mark.ts'
import type { Answer } from './recent-answers.ts'

/** A namespace as decisions use it. */
export interface NamespaceView {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Since when it has its level for certain, ms since the epoch; absent where nobody noted it. */
  readonly optedInMs?: number | undefined
  /** Templates of ours for claims; absent: none. */
  readonly claimTemplates?: readonly ClaimTemplate[]
}

/** An object that owns pods and is owned itself: a ReplicaSet or a Job. */
export interface OwnerView {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly controller: OwnerRef | undefined
  /** Key by which Kueue is seen to hold it; absent where it is not. */
  readonly mark?: string
}

/** The stores that decisions read from, one a kind. */
export interface ClusterStores {
  readonly nodes: ObjectStore<NodeView>
  readonly namespaces: ObjectStore<NamespaceView>
  readonly policies: ObjectStore<PolicyRead>
  readonly workloads: ObjectStore<WorkloadRecord>
  readonly replicaSets: ObjectStore<OwnerView>
  readonly jobs: ObjectStore<OwnerView>
  readonly exemptions: ObjectStore<Exemption>
  readonly quotas: ObjectStore<ResourceQuota>
  readonly limitRanges: ObjectStore<LimitRange>
  readonly claimTemplates: ObjectStore<ClaimTemplate>
}

/** Where the index of nodes is made anew, off the path of a request. */
export type Defer = (task: () => void) => void

/**
 * What decisions read, kept ready: the index of nodes, the policies and the usage by workload are made when their
 * objects change and not when a pod arrives.
 */
export class ClusterState {
  readonly #stores: ClusterStores
  readonly #occupancy: Occupancy | undefined
  #nodeIndex: NodeIndex
  #policies: readonly PolicyRead[]
  #usage: ReadonlyMap<string, WorkloadUsage>
  #exemptions: ReadonlyMap<string, readonly Exemption[]>
  readonly #limits: LimitsState
  #templates: ReadonlyMap<string, readonly ClaimTemplate[]>
  readonly #unsubscribe: readonly (() => void)[]

  /**
   * @param defer runs a task soon; several changes in the meantime lead to one run
   * @param pods those that take GPUs; without them it is not known what is taken
   */
  constructor(stores: ClusterStores, defer: Defer, pods?: ObjectStore<GpuPod>) {
    this.#stores = stores
    this.#occupancy = pods === undefined ? undefined : new Occupancy(pods)
    this.#nodeIndex = this.#indexNodes()
    this.#policies = sortedPolicies(stores.policies)
    this.#usage = usageByKey(stores.workloads)
    this.#exemptions = byNamespace(stores.exemptions)
    this.#limits = new LimitsState(stores)
    this.#templates = byNamespace(stores.claimTemplates)
    this.#unsubscribe = [
      onChangeOnce(stores.nodes, defer, () => {
        this.#nodeIndex = this.#indexNodes()
      }),
      onChangeOnce(stores.policies, defer, () => {
        this.#policies = sortedPolicies(stores.policies)
      }),
      onChangeOnce(stores.workloads, defer, () => {
        this.#usage = usageByKey(stores.workloads)
      }),
      onChangeOnce(stores.exemptions, defer, () => {
        this.#exemptions = byNamespace(stores.exemptions)
      }),
      onChangeOnce(stores.claimTemplates, defer, () => {
        this.#templates = byNamespace(stores.claimTemplates)
      })
    ]
  }

  #indexNodes(): NodeIndex {
    const index = indexNodes(this.#stores.nodes.list())
    this.#occupancy?.useIndex(index)
    return index
  }

  /** What is taken of what nodes offer; undefined where it is not known. */
  capacity(): Capacity | undefined {
    return this.#occupancy?.capacity()
  }

  /** What living pods of the same controller and template were given by us. */
  siblings(group: string | undefined): readonly Sibling[] {
    return group === undefined ? [] : (this.#occupancy?.siblings(group) ?? [])
  }

  /** Answers to pods of the same controller and template that nobody has seen yet. */
  unseen(group: string | undefined): number {
    return group === undefined ? 0 : (this.#occupancy?.unseen(group) ?? 0)
  }

  /** Remembers that a pod was given shares, until it is seen. */
  answered(answer: Answer): void {
    this.#occupancy?.answered(answer)
  }

  nodeIndex(): NodeIndex {
    return this.#nodeIndex
  }

  policies(): readonly PolicyRead[] {
    return this.#policies
  }

  /** The namespace; one that is not known (yet) has no labels. */
  namespace(name: string): NamespaceView {
    const namespace = this.#stores.namespaces.get('', name) ?? { name, labels: {} }
    const claimTemplates = this.#templates.get(name)
    return claimTemplates === undefined ? namespace : { ...namespace, claimTemplates }
  }

  usage(namespace: string, workload: WorkloadRef): WorkloadUsage | undefined {
    return this.#usage.get(recordKey(namespace, workload))
  }

  /** Exemptions of a namespace, those that ended too. */
  exemptions(namespace: string): readonly Exemption[] {
    return this.#exemptions.get(namespace) ?? []
  }

  /** What quotas and LimitRanges of a namespace say, with what was answered there lately. */
  limits(namespace: string, nowMs: number): NamespaceLimits {
    return this.#limits.of(namespace, nowMs)
  }

  /** Notes an answer by the keys that quotas count, for as long as quotas may not show it. */
  noteInFlight(namespace: string, counts: Readonly<Record<string, number>>, nowMs: number): void {
    this.#limits.note(namespace, counts, nowMs)
  }

  /** Workloads of the namespace whose use has been measured. */
  workloadCount(namespace: string): number {
    return this.#stores.workloads
      .list()
      .filter((record) => record.namespace === namespace && record.usage.containers.length > 0).length
  }

  /** The controller of a ReplicaSet or Job. */
  controllerOf(namespace: string, owner: OwnerRef): OwnerRef | undefined {
    return ownerIn(this.#stores, namespace, owner)?.controller
  }

  /** Key by which Kueue is seen to hold what made a pod, or what made that; undefined where it is not seen. */
  ownerMarkOf(namespace: string, owner: OwnerRef | undefined): string | undefined {
    return ownerMarkIn(this.#stores, namespace, owner)
  }

  /** true once every store has read its first whole list. */
  synced(): boolean {
    return Object.values(this.#stores).every((store: ObjectStore<unknown>) => store.state().synced)
  }

  /** When the API server was last heard of about the kind that it has been silent about for longest, ms since the epoch. */
  heardMs(): number {
    return Math.min(
      ...Object.values(this.#stores).map((store: ObjectStore<unknown>) => store.state().lastHeardMs)
    )
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#occupancy?.close()
    this.#limits.close()
  }
}

function onChangeOnce(store: ObjectStore<unknown>, defer: Defer, rebuild: () => void): () => void {
  let waiting = false
  return store.onChange(() => {
    if (waiting) return
    waiting = true
    defer(() => {
      waiting = false
      rebuild()
    })
  })
}

function sortedPolicies(store: ObjectStore<PolicyRead>): readonly PolicyRead[] {
  const nameOf = (read: PolicyRead): string => (read.kind === 'valid' ? read.policy.name : read.name)
  return [...store.list()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** By workload; where two objects are about one workload, the one whose name comes first counts. */
function usageByKey(store: ObjectStore<WorkloadRecord>): ReadonlyMap<string, WorkloadUsage> {
  const records = [...store.list()].sort((a, b) =>
    `${a.namespace}/${a.name}` > `${b.namespace}/${b.name}` ? -1 : 1
  )
  return new Map(records.map((record) => [recordKey(record.namespace, record.workload), record.usage]))
}

function byNamespace<T extends { readonly namespace: string }>(
  store: ObjectStore<T>
): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(store.list(), ({ namespace }) => namespace)
}
