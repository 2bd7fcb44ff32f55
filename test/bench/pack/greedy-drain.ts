import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import type { Placement } from '../../../src/core/gpu/placement.ts'
import type { PlanState } from '../../../src/core/plan/plan-state.ts'
import { freePlaces } from './busy-gpus.ts'

/** How many pods were moved when so many GPUs had been freed, a pod that moved twice counted twice. */
export interface DrainStep {
  readonly freed: number
  readonly movedPods: number
}

/** Where a pod of a drained GPU goes: to the first other GPU in use that has room, to the fullest, or, spread, to the emptiest. */
export type DrainFit = 'first fit' | 'best fit' | 'spread'

/**
 * What an operator does without a solver: again and again the GPU with the fewest pods is drained, each of its pods, largest
 * first, going to another GPU that has room. A GPU whose pods find no room stays as it is.
 */
export function drainGreedily({ pools: [pool], nodes }: PlanState, fit: DrainFit): readonly DrainStep[] {
  if (pool === undefined) return []
  const cards = new Cards(
    pool.model,
    nodes.flatMap((node) => node.cards.map(({ instances }) => instances.map(({ placement }) => placement))),
    fit
  )
  const steps: DrainStep[] = []
  let movedPods = 0
  for (let card = cards.leastLoaded(); card !== undefined; card = cards.leastLoaded()) {
    const moved = cards.drain(card)
    if (moved === undefined) continue
    movedPods += moved
    steps.push({ freed: steps.length + 1, movedPods })
  }
  return steps
}

/** Cards that are in use, by how much of their memory is. */
class Cards {
  readonly #model: GpuModel
  readonly #live: (readonly Placement[])[]
  readonly #fit: DrainFit
  readonly #closed = new Set<number>()
  readonly #places = new Map<string, Placement | undefined>()

  constructor(model: GpuModel, live: readonly (readonly Placement[])[], fit: DrainFit) {
    this.#model = model
    this.#fit = fit
    this.#live = live.filter((placements) => placements.length > 0)
  }

  /** The card with the fewest pods that was not tried yet. */
  leastLoaded(): number | undefined {
    let best: number | undefined
    for (const [card, live] of this.#live.entries()) {
      if (this.#closed.has(card) || live.length === 0) continue
      if (best === undefined || live.length < (this.#live[best]?.length ?? 0)) best = card
    }
    return best
  }

  /** Moves all pods of a card; undefined, and nothing moved, where one finds no room. */
  drain(card: number): number | undefined {
    this.#closed.add(card)
    const pods = (this.#live[card] ?? []).toSorted((a, b) => b.size - a.size)
    const before = new Map<number, readonly Placement[]>()
    for (const { profile } of pods) {
      const found = this.#findFor(profile, card)
      if (found === undefined) {
        for (const [index, live] of before) this.#live[index] = live
        return undefined
      }
      const live = this.#live[found.card] ?? []
      if (!before.has(found.card)) before.set(found.card, live)
      this.#live[found.card] = [...live, found.place]
    }
    this.#live[card] = []
    return pods.length
  }

  #findFor(
    profile: string,
    except: number
  ): { readonly card: number; readonly place: Placement } | undefined {
    let best: { readonly card: number; readonly place: Placement; readonly used: number } | undefined
    for (const [card, live] of this.#live.entries()) {
      if (card === except || live.length === 0) continue
      const used = live.reduce((sum, { size }) => sum + size, 0)
      if (best !== undefined && (this.#fit === 'spread' ? used >= best.used : used <= best.used)) continue
      const place = this.#placeOn(live, profile)
      if (place === undefined) continue
      if (this.#fit === 'first fit') return { card, place }
      best = { card, place, used }
    }
    return best
  }

  #placeOn(live: readonly Placement[], profile: string): Placement | undefined {
    const key = `${profile} ${live
      .map((own) => `${own.profile}@${own.start}`)
      .toSorted()
      .join()}`
    if (!this.#places.has(key)) this.#places.set(key, freePlaces(this.#model, live, profile)[0])
    return this.#places.get(key)
  }
}
