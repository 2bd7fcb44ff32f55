import { compareText } from '../../compare-text.ts'
import type { Placement } from '../../gpu/placement.ts'
import { moveCostSeconds, type PlanCard, type PlanNode, type PlanPod, type PlanState } from '../plan-state.ts'
import { podsOnCard } from '../pods-on-card.ts'
import { slotKey } from '../seat.ts'
import { CardWays } from './card-ways.ts'
import type { AskClass, CardRef, ClearClass, KeptClass, Member, StateClasses } from './state-classes.ts'

/** What decides how cards are put into kinds. */
export interface ClassOptions {
  /** True where whole nodes are to be freed, false where cards are. */
  readonly freesNodes: boolean
  /** Cards that are kept empty for exchanges. */
  readonly spares: ReadonlySet<string>
  /** True where pods come only to nodes that have CPU and memory for the smallest of them as it is, whatever leaves. */
  readonly isCautious?: boolean
}

/** Puts pods, cards and nodes of a state, each sorted by id, into kinds. */
export function classesOf(state: PlanState, options: ClassOptions): StateClasses {
  return new Classifier(state, options).classes()
}

/** What is known of a card while its node is looked at. */
interface SeenCard {
  readonly card: PlanCard
  readonly pods: readonly PlanPod[]
  readonly kept?: string
  readonly cleared?: string
  readonly isEmpty: boolean
}

class Classifier {
  readonly #state: PlanState
  readonly #options: ClassOptions
  readonly #pods: ReadonlyMap<string, PlanPod>
  readonly #ways: ReadonlyMap<string, CardWays>
  readonly #askKeys = new Map<string, string>()
  readonly #kept = new Map<string, Omit<KeptClass, 'cards'> & { readonly cards: CardRef[] }>()
  readonly #clears = new Map<string, Omit<ClearClass, 'members'> & { readonly members: Member[] }>()
  readonly #empty = new Map<string, CardRef[]>()
  /** What a node has to have for any pod to come. */
  readonly #least: { readonly cpuMilli: number; readonly memoryMiB: number }

  constructor(state: PlanState, options: ClassOptions) {
    this.#state = state
    this.#options = options
    this.#pods = new Map(state.pods.map((pod) => [pod.id, pod]))
    const least = (need: 'cpuMilli' | 'memoryMiB'): number =>
      options.isCautious === true
        ? state.pods.reduce((smallest, pod) => Math.min(smallest, pod[need] ?? 0), Infinity)
        : 0
    this.#least = { cpuMilli: least('cpuMilli'), memoryMiB: least('memoryMiB') }
    this.#ways = waysByPool(state)
  }

  classes(): StateClasses {
    const asks = this.#asks()
    for (const node of this.#state.nodes) if (node.stays === undefined) this.#takeNode(node)
    return {
      asks,
      kept: byKey(this.#kept),
      clears: byKey(this.#clears),
      empty: this.#empty,
      ways: this.#ways
    }
  }

  /** What pods need of nodes tells them apart only where some node may run out of it. */
  #asks(): ReadonlyMap<string, AskClass> {
    const binds = (what: 'freeCpuMilli' | 'freeMemoryMiB'): boolean =>
      this.#state.nodes.some((node) => node[what] !== undefined)
    const [hasCpu, hasMemory] = [binds('freeCpuMilli'), binds('freeMemoryMiB')]
    const asks = new Map<string, Omit<AskClass, 'pods'> & { readonly pods: PlanPod[] }>()
    for (const pod of this.#state.pods) {
      const { slots, tenant, isExact = false, cpuMilli = 0, memoryMiB = 0 } = pod
      const needs = { isExact, cpuMilli: hasCpu ? cpuMilli : 0, memoryMiB: hasMemory ? memoryMiB : 0 }
      const key = JSON.stringify([sortEntries(Object.entries(slots)), tenant ?? null, needs])
      const ask = asks.get(key) ?? { key, slots, tenant, ...needs, pods: new Array<PlanPod>() }
      ask.pods.push(pod)
      asks.set(key, ask)
      this.#askKeys.set(pod.id, key)
    }
    return asks
  }

  #takeNode(node: PlanNode): void {
    const podsByCard = new Map(node.cards.map((card) => [card.id, this.#podsOn(card)]))
    const hasPods = [...podsByCard.values()].some((pods) => pods.length > 0)
    const isFree = node.unit !== 'node' || !hasPods
    const own = node.cards.filter(
      ({ id, stays, sharedPods = [] }) =>
        stays === undefined && sharedPods.length === 0 && !this.#options.spares.has(id)
    )
    if (!hasPods && this.#options.freesNodes) {
      if (own.length > 0 && !this.#isClosed(node))
        this.#clear({ node, cards: own }, 'opened', { ...nothing, pods: [], returns: own.length })
      return
    }
    const seen = own.map((card) => this.#takeCard({ node, card }, podsByCard.get(card.id) ?? [], isFree))
    if (!hasPods || seen.length < node.cards.length) return
    if (node.unit === 'node') this.#clearNode(node, seen, 'node')
    if (this.#options.freesNodes) this.#clearNode(node, seen, 'freed')
  }

  /** Nodes to which no pod comes. */
  #isClosed({ isCordoned = false, freeCpuMilli = Infinity, freeMemoryMiB = Infinity }: PlanNode): boolean {
    return isCordoned || freeCpuMilli < this.#least.cpuMilli || freeMemoryMiB < this.#least.memoryMiB
  }

  #podsOn(card: PlanCard): readonly PlanPod[] {
    return podsOnCard(card).flatMap((id) => this.#pods.get(id) ?? [])
  }

  /** @param isFree whether it can be laid out anew once it is empty, without anything else on the node */
  #takeCard(ref: CardRef, pods: readonly PlanPod[], isFree: boolean): SeenCard {
    const { node, card } = ref
    const isClosed = this.#isClosed(node)
    if (pods.length === 0 && isFree) {
      if (!isClosed) listAt(this.#empty, node.pool).push(ref)
      return { card, pods, isEmpty: !isClosed }
    }
    const kept = this.#keep(ref, pods)
    if (pods.length === 0 || node.unit === 'node' || !areMovable(pods))
      return { card, pods, kept, isEmpty: false }
    const cleared = this.#clear({ node, cards: [card] }, 'card', {
      pods,
      kept: new Map([[kept, 1]]),
      cleared: new Map(),
      empty: 0,
      returns: Number(!isClosed),
      inUse: 1
    })
    return { card, pods, kept, cleared, isEmpty: false }
  }

  #keep(ref: CardRef, pods: readonly PlanPod[]): string {
    const { pool } = ref.node
    const isIdle = pods.length === 0
    const [tenant, ...others] = new Set(pods.map((pod) => pod.tenant))
    const { gives, ways } = others.length > 0 || this.#isClosed(ref.node) ? closed : this.#offer(ref, isIdle)
    const live = gives === 'beside' ? liveOn(ref.card) : ways.flatMap(({ placements }) => placements)
    const places = live.map(slotKey)
    const key = JSON.stringify([pool, tenant ?? null, isIdle, gives, ways.length > 0, places])
    const entry = this.#kept.get(key) ?? { key, pool, tenant, ways, gives, isIdle, cards: [] }
    entry.cards.push(ref)
    this.#kept.set(key, entry)
    return key
  }

  #offer({ node, card }: CardRef, isIdle: boolean): Pick<KeptClass, 'gives' | 'ways'> {
    const finder = this.#ways.get(node.pool)
    if (finder === undefined) return closed
    return node.unit === 'instance' && card.wholePod === undefined && !isIdle
      ? { gives: 'beside', ways: finder.beside(liveOn(card)) }
      : { gives: 'as-is', ways: finder.asItIs(card) }
  }

  #clearNode(node: PlanNode, seen: readonly SeenCard[], scope: 'node' | 'freed'): void {
    const pods = seen.flatMap((card) => card.pods)
    if (!areMovable(pods)) return
    const count = (keys: readonly (string | undefined)[]): ReadonlyMap<string, number> =>
      countKeys(keys.filter((key) => key !== undefined))
    const empty = seen.filter(({ isEmpty }) => isEmpty).length
    const isReturned = scope === 'node' && !this.#isClosed(node)
    this.#clear({ node, cards: seen.map(({ card }) => card) }, scope, {
      pods,
      returns: isReturned ? seen.length - empty : 0,
      kept: count(seen.map(({ kept }) => kept)),
      cleared: count(seen.map(({ cleared }) => cleared)),
      empty,
      inUse: seen.filter((card) => card.pods.length > 0).length
    })
  }

  #clear(
    member: Member,
    scope: ClearClass['scope'],
    what: Pick<ClearClass, 'kept' | 'cleared' | 'empty' | 'returns' | 'inUse'> & {
      readonly pods: readonly PlanPod[]
    }
  ): string {
    const { pods, ...counts } = what
    const { pool, unit, isCordoned = false, priceUsdPerHour, freeCpuMilli, freeMemoryMiB } = member.node
    const leaving = countKeys(pods.map(({ id }) => this.#askKeys.get(id) ?? ''))
    const costSeconds = pods.reduce((sum, pod) => sum + moveCostSeconds(pod), 0)
    const own =
      scope === 'freed' || scope === 'opened'
        ? [unit, isCordoned, priceUsdPerHour ?? null, freeCpuMilli ?? null, freeMemoryMiB ?? null]
        : []
    const lists = [leaving, counts.kept, counts.cleared].map((map) => sortEntries([...map]))
    const key = JSON.stringify([
      pool,
      scope,
      lists,
      costSeconds,
      counts.empty,
      counts.returns,
      member.cards.length,
      own
    ])
    const entry = this.#clears.get(key) ?? { key, pool, scope, leaving, costSeconds, ...counts, members: [] }
    entry.members.push(member)
    this.#clears.set(key, entry)
    return key
  }
}

/** By id; pools that are alike, as where each node is one, look for ways together. */
function waysByPool({ pools, pods }: PlanState): ReadonlyMap<string, CardWays> {
  const pinned = new Set(pods.flatMap(({ slots, isExact }) => (isExact === true ? Object.keys(slots) : [])))
  const known = new Map<string, CardWays>()
  return new Map(
    pools.map((pool) => {
      const hasExact = pinned.has(pool.id)
      const key = JSON.stringify([pool.model.id, pool.profiles, hasExact])
      const ways = known.get(key) ?? new CardWays(pool, hasExact)
      known.set(key, ways)
      return [pool.id, ways] as const
    })
  )
}

/** Of a card that takes nobody. */
const closed: Pick<KeptClass, 'gives' | 'ways'> = { gives: 'as-is', ways: [] }

function liveOn({ instances }: PlanCard): readonly Placement[] {
  return instances.filter(({ pod }) => pod !== undefined).map(({ placement }) => placement)
}

/** Of a node on which nothing runs. */
const nothing = { kept: new Map<string, number>(), cleared: new Map<string, number>(), empty: 0, inUse: 0 }

function areMovable(pods: readonly PlanPod[]): boolean {
  return pods.every(({ stays }) => stays === undefined)
}

function countKeys(keys: readonly string[]): ReadonlyMap<string, number> {
  const groups = [...Map.groupBy(keys, (key) => key)].map(([key, same]) => [key, same.length] as const)
  return new Map(sortEntries(groups))
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

function byKey<T>(entries: ReadonlyMap<string, T>): readonly T[] {
  return sortEntries([...entries]).map(([, entry]) => entry)
}

function sortEntries<T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return entries.toSorted(([a], [b]) => compareText(a, b))
}
