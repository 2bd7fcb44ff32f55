import type { GpuModel } from '../gpu/catalog.ts'
import type { Placement } from '../gpu/placement.ts'

/**
 * What has to stop when instances of a card change: `node`, everything with a GPU on the node, where the MIG manager drains it;
 * `card`, what runs on that card, where it is laid out anew from empty; `instance`, only what itself moves, where instances
 * are created and deleted one by one beside those that run.
 * @source https://github.com/NVIDIA/mig-parted (a card is cleared before it is laid out); DRA partitionable devices
 */
export type DisruptionUnit = 'node' | 'card' | 'instance'

/** GPUs of one model under one policy, among which pods may move. */
export interface PlanPool {
  readonly id: string
  readonly model: GpuModel
  /** Profiles that may be cut; other instances stay as they are for as long as somebody runs in them. */
  readonly profiles: readonly string[]
}

/** One node as it is. */
export interface PlanNode {
  readonly id: string
  readonly pool: string
  readonly unit: DisruptionUnit
  readonly cards: readonly PlanCard[]
  /** Of the whole node; undefined where it is not known. */
  readonly priceUsdPerHour?: number
  /** What pods may still take beside those that run; undefined where it does not bind. */
  readonly freeCpuMilli?: number
  readonly freeMemoryMiB?: number
  /** Why nothing on it changes: no pod leaves, none comes. */
  readonly stays?: string
  /** True where somebody cordoned it before: no pod comes to it, and it stays so. */
  readonly isCordoned?: boolean
}

/** One card as it is: cut into instances, or one pod has it uncut, or pods share it, or none of these and it is empty. */
export interface PlanCard {
  /** Unique among all cards, such as its UUID. */
  readonly id: string
  /** By start. */
  readonly instances: readonly LiveInstance[]
  /** The pod that has the card uncut. */
  readonly wholePod?: string
  /**
   * Ids of pods that have the card together (time-slicing, MPS), or that have more cards than this one and so are named on each.
   * They never move, and nothing on the card changes.
   */
  readonly sharedPods?: readonly string[]
  /** Why nothing on it changes. */
  readonly stays?: string
}

/** An instance that is there, and the pod in it; nobody where it is idle. */
export interface LiveInstance {
  readonly placement: Placement
  readonly pod?: string
}

/** One pod that has a slot or a card. */
export interface PlanPod {
  /** `namespace/name`; unique. */
  readonly id: string
  /** `namespace/Kind/name` of its owner. */
  readonly workload: string
  /**
   * Smallest slot that it fits, by id of the pool, `WHOLE_CARD` where it wants an uncut card; it may move to no other pool. A pod
   * of a workload that is spread over zones names pools of its own zone alone, so that a plan does not undo the spread.
   */
  readonly slots: Readonly<Record<string, string>>
  /** True where no larger slot will do. */
  readonly isExact?: boolean
  /** No card holds pods of two tenants; those without one may be together. */
  readonly tenant?: string
  /** From its end until its successor serves. */
  readonly restartSeconds: number
  /** Replicas that do not serve meanwhile: 1, or all pods of a job that start anew with it. */
  readonly replicasLost: number
  /** Why it may not be moved: a PodDisruptionBudget, an annotation, nobody who would make it anew. */
  readonly stays?: string
  /** What it takes of its node. */
  readonly cpuMilli?: number
  readonly memoryMiB?: number
}

/** How many of some pods may be down at one time, such as a PodDisruptionBudget says. */
export interface PlanBudget {
  /** Unique. */
  readonly id: string
  /** Ids of the pods that it counts; those that the state does not have do not matter. */
  readonly pods: readonly string[]
  /** How many of them may be stopped now, besides those that are down already; a whole number. */
  readonly disruptionsAllowed: number
}

/** By pod: the budgets that count it, each once, in their order. */
export function countingByPod<T extends Pick<PlanBudget, 'pods'>>(
  budgets: readonly T[]
): ReadonlyMap<string, readonly T[]> {
  const counted = budgets.flatMap((budget) => [...new Set(budget.pods)].map((pod) => ({ pod, budget })))
  const groups = Map.groupBy(counted, ({ pod }) => pod)
  return new Map([...groups].map(([pod, own]) => [pod, own.map(({ budget }) => budget)]))
}

/** GPUs and what runs on them at one moment. */
export interface PlanState {
  readonly pools: readonly PlanPool[]
  readonly nodes: readonly PlanNode[]
  readonly pods: readonly PlanPod[]
  /** None where nothing limits how many pods are down at one time. */
  readonly budgets?: readonly PlanBudget[]
}

/** What moving a pod costs, in seconds in which one replica does not serve. */
export function moveCostSeconds({ restartSeconds, replicasLost }: PlanPod): number {
  return restartSeconds * replicasLost
}
