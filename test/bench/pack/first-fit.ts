import { findCatalogProfile, type GpuModel } from '../../../src/core/gpu/catalog.ts'
import { enumeratePlacedSets } from '../../../src/core/gpu/placed-sets.ts'

/** How a card is chosen for the next workload, and in what order they come. */
export type Greedy = 'first fit' | 'best fit' | 'first fit decreasing'

/**
 * Cards that a greedy opens for workloads, each in a slot of exactly its profile. It may rearrange a card at will, which
 * flatters it; cards are kept by what is on them, so that ten thousand of them are searched at once.
 */
export class GreedyCards {
  readonly #profiles: readonly string[]
  readonly #sizes: readonly number[]
  readonly #valid: ReadonlySet<string>
  /** Open cards by what is on them, each list ascending. */
  readonly #open = new Map<string, number[]>()
  #count = 0

  constructor(model: GpuModel, profiles: readonly string[]) {
    this.#profiles = profiles
    this.#sizes = profiles.map((name) => findCatalogProfile(model, name)?.memorySlices ?? 0)
    this.#valid = new Set(
      enumeratePlacedSets(model, profiles).map((set) =>
        profiles.map((name) => set.filter(({ profile }) => profile === name).length).join()
      )
    )
  }

  /** Cards that are open after all workloads are placed. */
  place(workloads: readonly string[], greedy: Greedy): number {
    const indices = workloads.map((name) => this.#profiles.indexOf(name))
    const order =
      greedy === 'first fit decreasing'
        ? indices.toSorted((a, b) => this.#sizeOf(b) - this.#sizeOf(a) || b - a)
        : indices
    for (const profile of order) this.#placeOne(profile, greedy)
    return this.#count
  }

  #placeOne(profile: number, greedy: Greedy): void {
    let best: { readonly state: string; readonly card: number; readonly rank: number } | undefined
    for (const [state, [card]] of this.#open) {
      if (card === undefined || !this.#valid.has(this.#with(state, profile))) continue
      const rank = greedy === 'best fit' ? card - 1e9 * this.#taken(state) : card
      if (best === undefined || rank < best.rank) best = { state, card, rank }
    }
    if (best === undefined) {
      this.#add(this.#with(this.#profiles.map(() => 0).join(), profile), this.#count)
      this.#count += 1
      return
    }
    this.#open.get(best.state)?.shift()
    this.#add(this.#with(best.state, profile), best.card)
  }

  #add(state: string, card: number): void {
    const cards = this.#open.get(state) ?? []
    let low = 0
    for (let high = cards.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((cards[middle] ?? 0) < card) low = middle + 1
      else high = middle
    }
    cards.splice(low, 0, card)
    this.#open.set(state, cards)
  }

  #with(state: string, profile: number): string {
    return state
      .split(',')
      .map((count, index) => Number(count) + Number(index === profile))
      .join()
  }

  #taken(state: string): number {
    return state.split(',').reduce((sum, count, index) => sum + Number(count) * this.#sizeOf(index), 0)
  }

  #sizeOf(profile: number): number {
    return this.#sizes[profile] ?? 0
  }
}
