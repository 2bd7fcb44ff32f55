import type { Pattern } from '../../pack/patterns.ts'
import type { PlanCard, PlanNode, PlanPod } from '../plan-state.ts'
import type { CardWays } from './card-ways.ts'

/** Pods that are alike for a plan: the same slots, one tenant, the same needs of a node. */
export interface AskClass {
  readonly key: string
  readonly slots: PlanPod['slots']
  readonly tenant: string | undefined
  readonly isExact: boolean
  readonly cpuMilli: number
  readonly memoryMiB: number
  /** Pods of the class, in the order of their ids. */
  readonly pods: readonly PlanPod[]
}

/** A card and its node. */
export interface CardRef {
  readonly node: PlanNode
  readonly card: PlanCard
}

/** Cards that offer the same to pods that come while all that run on them stay. */
export interface KeptClass {
  readonly key: string
  readonly pool: string
  /** Whose pods it holds; undefined and not idle: pods without a tenant. */
  readonly tenant: string | undefined
  readonly ways: readonly Pattern[]
  readonly cards: readonly CardRef[]
  /** `beside`: more instances can be created beside those that run; `as-is`: only what is idle is given away. */
  readonly gives: 'as-is' | 'beside'
  /** True for cards without a pod that may not be laid out anew; the first pod on one takes it into use, whosever it is. */
  readonly isIdle: boolean
}

/** Cards or nodes that are alike when all their pods leave. */
export interface ClearClass {
  readonly key: string
  readonly pool: string
  /**
   * `card`, `node`: laid out anew for other pods, which then counts as use; `freed`: a node on which nothing runs any more;
   * `opened`: a node on which nothing runs yet, and whose cards others may have.
   */
  readonly scope: 'card' | 'node' | 'freed' | 'opened'
  readonly members: readonly Member[]
  /** By key of their class: pods that leave one of them. */
  readonly leaving: ReadonlyMap<string, number>
  /** In seconds in which one replica does not serve. */
  readonly costSeconds: number
  /** By key: cards of one of them that are no longer kept. */
  readonly kept: ReadonlyMap<string, number>
  /** By key: cards of one of them that can no longer be cleared by themselves; of freed nodes alone. */
  readonly cleared: ReadonlyMap<string, number>
  /** Cards of one of them that were empty, and could be laid out anew, before. */
  readonly empty: number
  /** Cards of one of them that others may have afterwards, beside those that were empty before. */
  readonly returns: number
  /** Cards with pods on one of them. */
  readonly inUse: number
}

/** The cards of one of them; a node's are all of its cards. */
export interface Member {
  readonly node: PlanNode
  readonly cards: readonly PlanCard[]
}

/** Everything that counts of a state, by kind. */
export interface StateClasses {
  readonly asks: ReadonlyMap<string, AskClass>
  readonly kept: readonly KeptClass[]
  readonly clears: readonly ClearClass[]
  /** By pool: cards that are empty and can be laid out anew. */
  readonly empty: ReadonlyMap<string, readonly CardRef[]>
  readonly ways: ReadonlyMap<string, CardWays>
}
