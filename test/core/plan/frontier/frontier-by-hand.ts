import type { DrainObjective } from '../../../../src/core/plan/frontier/gains.ts'
import type { PlanCard, PlanNode, PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { type CardByHand, cardByHand } from '../../pack/card-by-hand.ts'
import { type AskByHand, type CardsByHand, FewestByHand, waysByHand } from '../../pack/fewest-by-hand.ts'

/** What may be done at once with a node: nothing, or pods leave some cards or all, or it is taken into use. */
interface Choice {
  readonly node: PlanNode
  /** Cards whose pods leave. */
  readonly cleared: readonly PlanCard[]
  /** Cards that may be laid out anew. */
  readonly blank: number
  /** Cards that stay as they are, with those that pods may come to. */
  readonly kept: readonly PlanCard[]
  /** What the choice frees by itself. */
  readonly gain: number
}

/** Every way to choose what leaves, tried; for states of one pool with few cards and pods. */
export class FrontierByHand {
  readonly #state: PlanState
  readonly #objective: DrainObjective
  readonly #card: CardByHand
  readonly #pods: ReadonlyMap<string, PlanPod>
  /** Least cost by what is freed. */
  readonly #costs = new Map<number, number>()

  constructor(state: PlanState, objective: DrainObjective) {
    this.#state = state
    this.#objective = objective
    this.#card = cardByHand(state.pools[0]?.model.id ?? '')
    this.#pods = new Map(state.pods.map((pod) => [pod.id, pod]))
    const nodes = state.nodes.filter(({ stays }) => stays === undefined)
    this.#choose(nodes, [])
  }

  /** The most that can be freed. */
  most(): number {
    return Math.max(0, ...this.#costs.keys())
  }

  /** What freeing so much or more costs at least. */
  costOf(freed: number): number {
    return Math.min(...[...this.#costs].filter(([gain]) => gain >= freed).map(([, cost]) => cost))
  }

  #choose([node, ...others]: readonly PlanNode[], chosen: readonly Choice[]): void {
    if (node === undefined) return this.#try(chosen)
    for (const choice of this.#choicesOf(node)) this.#choose(others, [...chosen, choice])
  }

  #choicesOf(node: PlanNode): readonly Choice[] {
    const cards = node.cards.filter(({ stays }) => stays === undefined)
    const used = cards.filter((card) => this.#podsOn(card).length > 0)
    const worth = this.#objective === 'price' ? (node.priceUsdPerHour ?? 0) : 1
    const countsNodes = this.#objective !== 'gpus'
    if (!node.cards.some((card) => this.#podsOn(card).length > 0)) {
      const open: Choice = {
        node,
        cleared: [],
        blank: cards.length,
        kept: [],
        gain: countsNodes ? -worth : 0
      }
      return countsNodes ? [{ ...open, blank: 0, gain: 0 }, open] : [open]
    }
    const isClearable = cards.length === node.cards.length && used.every((card) => this.#isMovable(card))
    const inPlace = node.unit === 'node' ? this.#drains(node, cards, isClearable) : this.#clears(node, cards)
    const whole: Choice = { node, cleared: used, blank: 0, kept: [], gain: worth }
    return countsNodes && isClearable ? [...inPlace, whole] : inPlace
  }

  /** A node that is drained as a whole, or not at all. */
  #drains(node: PlanNode, cards: readonly PlanCard[], isClearable: boolean): readonly Choice[] {
    const used = cards.filter((card) => this.#podsOn(card).length > 0)
    const none: Choice = { node, cleared: [], blank: 0, kept: cards, gain: 0 }
    const gain = this.#objective === 'gpus' ? used.length : 0
    return isClearable ? [none, { node, cleared: used, blank: cards.length, kept: [], gain }] : [none]
  }

  /** A node whose cards are cleared one by one. */
  #clears(node: PlanNode, cards: readonly PlanCard[]): readonly Choice[] {
    const used = cards.filter((card) => this.#podsOn(card).length > 0)
    return subsets(used.filter((card) => this.#isMovable(card))).map((cleared) => ({
      node,
      cleared,
      blank: cards.length - used.length + cleared.length,
      kept: used.filter((card) => !cleared.includes(card)),
      gain: this.#objective === 'gpus' ? cleared.length : 0
    }))
  }

  #isMovable(card: PlanCard): boolean {
    return this.#podsOn(card).every(({ stays }) => stays === undefined)
  }

  #try(choices: readonly Choice[]): void {
    const leaving = choices.flatMap(({ cleared }) => cleared.flatMap((card) => this.#podsOn(card)))
    const taken = this.#fewest(choices, leaving)
    if (taken === Infinity) return
    const gain =
      choices.reduce((sum, choice) => sum + choice.gain, 0) - (this.#objective === 'gpus' ? taken : 0)
    const cost = leaving.reduce(
      (sum, { restartSeconds, replicasLost }) => sum + restartSeconds * replicasLost,
      0
    )
    if (cost < (this.#costs.get(gain) ?? Infinity)) this.#costs.set(gain, cost)
  }

  /** Cards taken into use when these pods find a place; Infinity where they do not. */
  #fewest(choices: readonly Choice[], leaving: readonly PlanPod[]): number {
    if (leaving.length === 0) return 0
    const { id, profiles } = this.#state.pools[0] ?? { id: '', profiles: [] }
    const supply = choices.reduce((sum, { blank }) => sum + blank, 0)
    const cards: CardsByHand[] = [
      { id: 'blank', cost: 1, supply, ways: waysByHand(this.#card, profiles) },
      ...choices.flatMap(({ node, kept }) => kept.flatMap((card) => this.#keptCards(node, card)))
    ]
    const asks = leaving.map(({ slots, isExact = false, tenant = '' }): AskByHand => {
      return { profile: slots[id] ?? '', isExact, tenant }
    })
    return new FewestByHand(this.#card, cards).fewest(asks)
  }

  #keptCards(node: PlanNode, card: PlanCard): readonly CardsByHand[] {
    const { profiles } = this.#state.pools[0] ?? { profiles: [] }
    const tenants = new Set(this.#podsOn(card).map(({ tenant = '' }) => tenant))
    if (tenants.size > 1) return []
    const [tenant] = tenants
    const live = card.instances.filter(({ pod }) => pod !== undefined).map(({ placement }) => placement)
    const idle = card.instances
      .filter(({ pod }) => pod === undefined)
      .map(({ placement }) => placement.profile)
    const isBeside = node.unit === 'instance' && live.length > 0
    const asItIs = idle.length === 0 ? [] : [idle]
    return [
      {
        id: card.id,
        cost: tenant === undefined ? 1 : 0,
        supply: 1,
        ...(tenant === undefined ? {} : { tenant }),
        ways: isBeside ? waysByHand(this.#card, profiles, live) : asItIs
      }
    ]
  }

  #podsOn({ instances, wholePod }: PlanCard): readonly PlanPod[] {
    return [...instances.map(({ pod }) => pod), wholePod].flatMap((id) => this.#pods.get(id ?? '') ?? [])
  }
}

function subsets<T>(list: readonly T[]): readonly (readonly T[])[] {
  return list.reduce<readonly (readonly T[])[]>(
    (sets, entry) => [...sets, ...sets.map((set) => [...set, entry])],
    [[]]
  )
}
