import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import type { Placement } from '../../../src/core/gpu/placement.ts'
import { moveCostSeconds, type PlanState } from '../../../src/core/plan/plan-state.ts'
import { slotKey } from '../../../src/core/plan/seat.ts'
import { freePlaces } from './busy-gpus.ts'

/** What it had cost when so many GPUs had been freed, a pod that moved twice counted twice. */
export interface DrainStep {
  readonly freed: number
  readonly movedPods: number
  readonly costSeconds: number
}

/** An instance with a pod, and what moving the pod costs. */
interface Running {
  readonly placement: Placement
  readonly costSeconds: number
}

/** One way to drain without a solver. */
export interface Drain {
  /** Which GPU is drained next: the one with the least memory in use, or the one whose pods cost least to move. */
  readonly next: 'least loaded' | 'cheapest'
  /** Where a pod of it goes: to the first other GPU in use that has room, to the fullest, or, spread, to the emptiest. */
  readonly fit: 'first fit' | 'best fit' | 'spread'
}

/**
 * What an operator does without a solver: again and again one GPU is drained, each of its pods, largest first, going to another GPU
 * that has room. A GPU whose pods find no room stays as it is.
 */
export function drainGreedily({ pools: [pool], nodes, pods }: PlanState, drain: Drain): readonly DrainStep[] {
  if (pool === undefined) return []
  const costs = new Map(pods.map((pod) => [pod.id, moveCostSeconds(pod)]))
  const live = nodes.flatMap((node) =>
    node.cards.map(({ instances }) =>
      instances.map(({ placement, pod = '' }): Running => ({ placement, costSeconds: costs.get(pod) ?? 0 }))
    )
  )
  const cards = new Cards(pool.model, live, drain)
  const steps: DrainStep[] = []
  let [movedPods, costSeconds] = [0, 0]
  for (let card = cards.next(); card !== undefined; card = cards.next()) {
    const moved = cards.drain(card)
    if (moved === undefined) continue
    movedPods += moved.length
    costSeconds += costOf(moved)
    steps.push({ freed: steps.length + 1, movedPods, costSeconds })
  }
  return steps
}

function loadOf(running: readonly Running[]): number {
  return running.reduce((sum, { placement }) => sum + placement.size, 0)
}

function costOf(running: readonly Running[]): number {
  return running.reduce((sum, { costSeconds }) => sum + costSeconds, 0)
}

/** Cards that are in use, by how much of their memory is. */
class Cards {
  readonly #model: GpuModel
  readonly #live: (readonly Running[])[]
  readonly #drain: Drain
  readonly #closed = new Set<number>()
  readonly #places = new Map<string, Placement | undefined>()

  constructor(model: GpuModel, live: readonly (readonly Running[])[], drain: Drain) {
    this.#model = model
    this.#drain = drain
    this.#live = live.filter((running) => running.length > 0)
  }

  /** The card to drain next, of those that were not tried yet. */
  next(): number | undefined {
    let best: { readonly card: number; readonly cost: number } | undefined
    for (const [card, live] of this.#live.entries()) {
      if (this.#closed.has(card) || live.length === 0) continue
      const cost = this.#drain.next === 'cheapest' ? costOf(live) : loadOf(live)
      if (best === undefined || cost < best.cost) best = { card, cost }
    }
    return best?.card
  }

  /** Moves all pods of a card, and tells which; undefined, and nothing moved, where one finds no room. */
  drain(card: number): readonly Running[] | undefined {
    this.#closed.add(card)
    const pods = (this.#live[card] ?? []).toSorted((a, b) => b.placement.size - a.placement.size)
    const before = new Map<number, readonly Running[]>()
    for (const { placement, costSeconds } of pods) {
      const found = this.#findFor(placement.profile, card)
      if (found === undefined) {
        for (const [index, live] of before) this.#live[index] = live
        return undefined
      }
      const live = this.#live[found.card] ?? []
      if (!before.has(found.card)) before.set(found.card, live)
      this.#live[found.card] = [...live, { placement: found.place, costSeconds }]
    }
    this.#live[card] = []
    return pods
  }

  #findFor(
    profile: string,
    except: number
  ): { readonly card: number; readonly place: Placement } | undefined {
    let best: { readonly card: number; readonly place: Placement; readonly used: number } | undefined
    for (const [card, live] of this.#live.entries()) {
      if (card === except || live.length === 0) continue
      const used = loadOf(live)
      if (best !== undefined && (this.#drain.fit === 'spread' ? used >= best.used : used <= best.used))
        continue
      const place = this.#placeOn(live, profile)
      if (place === undefined) continue
      if (this.#drain.fit === 'first fit') return { card, place }
      best = { card, place, used }
    }
    return best
  }

  #placeOn(running: readonly Running[], profile: string): Placement | undefined {
    const live = running.map(({ placement }) => placement)
    const key = `${profile} ${live.map(slotKey).toSorted().join()}`
    if (!this.#places.has(key)) this.#places.set(key, freePlaces(this.#model, live, profile)[0])
    return this.#places.get(key)
  }
}
