import type { CardClass } from './card-class.ts'
import type { ServingStep } from './serving.ts'

/** GPUs that are alike for a plan: one model, one price, one zone, one group of nodes. */
export interface Pool {
  readonly cards: CardClass & { readonly supply: number }
  /** Which slots of its cards may be used as which others. */
  readonly steps: readonly ServingStep[]
  /** Of one card; undefined where it is not known. */
  readonly priceUsdPerHour?: number
  /** Domain that workloads are spread over. */
  readonly zone?: string
  /** Of all nodes of the pool together, as far as pods may use them; undefined where they do not bind. */
  readonly cpuMilli?: number
  readonly memoryMiB?: number
}

/** Workloads that are alike for a plan. */
export interface WorkloadClass {
  readonly id: string
  readonly count: number
  /** The smallest slot that one of them fits, by id of the cards; it may run on no others. */
  readonly slots: Readonly<Record<string, string>>
  /** True for pinned ones: no larger slot will do. */
  readonly isExact?: boolean
  /** No card holds workloads of two tenants; those without a tenant may be together. */
  readonly tenant?: string
  /** Of one workload. */
  readonly cpuMilli?: number
  readonly memoryMiB?: number
  /** Most by which the zones that they may run in differ in how many of them they hold. */
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
  /** Not all find room; these are the fewest that stay outside, or none where time was up before they were found. */
  | {
      readonly kind: 'no-room'
      readonly left: readonly { readonly workload: string; readonly count: number }[]
    }
  /** Time was up before a plan was found; every plan costs at least `bound`. */
  | { readonly kind: 'undecided'; readonly bound: number }
  /** The answer of the solver breaks these conditions. */
  | { readonly kind: 'wrong-answer'; readonly broken: readonly string[] }
