import { allCards, type CardByHand, holdsByHand, type PlacedByHand } from './card-by-hand.ts'

/** One workload. */
export interface AskByHand {
  readonly profile: string
  readonly isExact: boolean
  readonly tenant: string
}

/** Cards as brute force sees them. */
export interface CardsByHand {
  readonly id: string
  readonly cost: 0 | 1
  readonly supply: number
  /** The only tenant that may use them; undefined where any may. */
  readonly tenant?: string
  /** Slots that each way of using one of these cards gives. */
  readonly ways: readonly (readonly string[])[]
}

/** Ways to use a card, by profile names, without those that are part of others: slots may stay free. */
export function waysByHand(
  card: CardByHand,
  profiles: readonly string[],
  live: readonly PlacedByHand[] = []
): readonly (readonly string[])[] {
  const texts = new Set(
    allCards(card, profiles, live).map((placed) =>
      placed
        .map(({ profile }) => profile)
        .sort()
        .join()
    )
  )
  const ways = [...texts].filter((text) => text !== '').map((text) => text.split(','))
  return ways.filter((way) => !ways.some((other) => other.length > way.length && isPart(way, other)))
}

function isPart(way: readonly string[], other: readonly string[]): boolean {
  const count = (list: readonly string[], name: string): number =>
    list.filter((entry) => entry === name).length
  return way.every((name) => count(way, name) <= count(other, name))
}

/** The fewest cards by trying: workloads go on one card after the other in every way there is. For few workloads. */
export class FewestByHand {
  readonly #card: CardByHand
  readonly #cards: readonly CardsByHand[]
  readonly #known = new Map<string, number>()
  readonly #rests = new Map<string, readonly (readonly AskByHand[])[]>()

  constructor(card: CardByHand, cards: readonly CardsByHand[]) {
    this.#card = card
    this.#cards = cards
  }

  /** Infinity when no number of cards holds the workloads. */
  fewest(asks: readonly AskByHand[]): number {
    const sorted = asks.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    return this.#solve(
      sorted,
      this.#cards.map(({ supply }) => Math.min(supply, asks.length))
    )
  }

  #solve(left: readonly AskByHand[], supplies: readonly number[]): number {
    if (left.length === 0) return 0
    const key = `${left.map(textOf).join()} ${supplies.join()}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    let best = Infinity
    for (const [index, entry] of this.#cards.entries()) {
      if ((supplies[index] ?? 0) === 0) continue
      const fewer = supplies.map((supply, place) => (place === index ? supply - 1 : supply))
      for (const rest of this.#restsOf(entry, left))
        best = Math.min(best, entry.cost + this.#solve(rest, fewer))
    }
    this.#known.set(key, best)
    return best
  }

  /** What is left when one card runs some of the workloads, all of one tenant. */
  #restsOf({ id, tenant, ways }: CardsByHand, left: readonly AskByHand[]): readonly (readonly AskByHand[])[] {
    const key = `${id} ${left.map(textOf).join()}`
    const known = this.#rests.get(key)
    if (known !== undefined) return known
    const rests = new Map<string, readonly AskByHand[]>()
    for (const name of new Set(left.map((ask) => ask.tenant))) {
      if (tenant !== undefined && tenant !== name) continue
      const own = left.filter((ask) => ask.tenant === name)
      const others = left.filter((ask) => ask.tenant !== name)
      for (const way of ways) {
        for (const rest of this.#fills(way, own)) {
          if (rest.length === own.length) continue
          const all = [...others, ...rest].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
          rests.set(all.map(textOf).join(), all)
        }
      }
    }
    this.#rests.set(key, [...rests.values()])
    return [...rests.values()]
  }

  /** Everything that is left over after the slots are filled in any way; a slot may stay free. */
  #fills(
    [slot, ...others]: readonly string[],
    left: readonly AskByHand[]
  ): readonly (readonly AskByHand[])[] {
    if (slot === undefined) return [left]
    const seen = new Set<string>()
    const rests: (readonly AskByHand[])[] = [...this.#fills(others, left)]
    for (const [index, ask] of left.entries()) {
      if (seen.has(textOf(ask)) || !holdsByHand(this.#card, slot, ask)) continue
      seen.add(textOf(ask))
      rests.push(...this.#fills(others, left.toSpliced(index, 1)))
    }
    return rests
  }
}

function textOf({ profile, isExact, tenant }: AskByHand): string {
  return `${tenant} ${profile} ${isExact}`
}
