import type { CardClass } from './card-class.ts'
import type { ServingStep } from './serving.ts'

/** GPUs that are alike for a plan: one model, one price, one zone, one group of nodes. */
export interface Pool {
  readonly cards: CardClass & { readonly supply: number }
  /** Which slots of its cards may be used as which others. */
  readonly steps: readonly ServingStep[]
  /** Of one card, to a millionth of a dollar, 10,000 at most; undefined where it is not known. */
  readonly priceUsdPerHour?: number
  /** Domain that workloads are spread over. */
  readonly zone?: string
  /**
   * Of all nodes of the pool together, as far as pods may use them; undefined where they do not bind. Only the sum is checked:
   * a plan may still ask more of one node than it has.
   */
  readonly cpuMilli?: number
  readonly memoryMiB?: number
  /**
   * Of the node of the pool that has the most, as far as pods may use it; undefined where it does not bind. A workload that
   * needs more runs on no card of the pool.
   */
  readonly largestNodeCpuMilli?: number
  readonly largestNodeMemoryMiB?: number
}

/** Workloads that are alike for a plan. */
export interface WorkloadClass {
  readonly id: string
  readonly count: number
  /** The smallest slot that one of them fits, by id of the cards; they may run on no others. */
  readonly slots: Readonly<Record<string, string>>
  /** True for pinned ones: no larger slot will do. */
  readonly isExact?: boolean
  /** No card holds workloads of two tenants; those without a tenant may be together. */
  readonly tenant?: string
  /** Of one workload. */
  readonly cpuMilli?: number
  readonly memoryMiB?: number
  /**
   * Most by which the zones of the pools that `slots` names differ in how many of them they hold. A zone counts also where it
   * has no card left, or no node that is large enough.
   */
  readonly maxSkew?: number
}

/** What counts: cards taken into use, or what they cost. */
export type Objective = 'gpus' | 'price'

/** Workloads and the GPUs that they may run on. */
export interface Fleet {
  readonly pools: readonly Pool[]
  readonly workloads: readonly WorkloadClass[]
  readonly objective: Objective
}

/** Why a fleet is not planned. */
export type NoFleetPlan =
  | { readonly kind: 'bad-count'; readonly detail: string }
  | { readonly kind: 'bad-price'; readonly pool: string; readonly detail: string }
  /** Two pools or two classes of the same id. */
  | { readonly kind: 'twice'; readonly id: string }
  | { readonly kind: 'no-cards' }
  /** No slot of any card serves the workload. */
  | { readonly kind: 'no-slot'; readonly workload: string }
  /** Slots of some cards serve the workload, and none of these cards is on a node with so much CPU and memory. */
  | { readonly kind: 'no-node'; readonly workload: string }
  /**
   * Not all find room. `left` stay outside here, at least `leftBound` in every plan; where both are as many, these are the
   * fewest, and `provedBy` says what shows it: row prices that anybody can check, the search of the solver, or nothing.
   */
  | {
      readonly kind: 'no-room'
      readonly left: readonly { readonly workload: string; readonly count: number }[]
      readonly leftBound: number
      readonly provedBy: 'prices' | 'solver' | 'none'
    }
  /**
   * Not all find room, and time was up before it was found who stays outside: at least `leftBound`, by prices of rows or, where
   * they show nothing, by the word of the solver.
   */
  | {
      readonly kind: 'left-undecided'
      readonly leftBound: number
      readonly provedBy: 'prices' | 'solver'
    }
  /** Time was up before a plan was found; every plan costs at least `bound`. */
  | { readonly kind: 'undecided'; readonly bound: number }
  /** The answer of the solver breaks these conditions; `infeasible`: it said that not all find room, and they do. */
  | { readonly kind: 'wrong-answer'; readonly broken: readonly string[] }
