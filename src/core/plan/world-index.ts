import type { Placement } from '../gpu/placement.ts'
import {
  countingByPod,
  type LiveInstance,
  type PlanBudget,
  type PlanCard,
  type PlanNode,
  type PlanPod
} from './plan-state.ts'
import type { PlanWorld } from './plan-world.ts'
import { slotKey } from './seat.ts'
import type { Place, Seat } from './target.ts'

/**
 * A world in which everything is found by its id. What changes is made anew, one node at a time, so that the world that it
 * was made of stays as it is.
 */
export class WorldIndex {
  readonly #state: PlanWorld['state']
  readonly #nodes: Map<string, PlanNode>
  readonly #pods: ReadonlyMap<string, PlanPod>
  readonly #cordoned: Set<string>
  readonly #waiting: Set<string>
  readonly #budgets: Map<string, PlanBudget>
  readonly #budgetsOf: ReadonlyMap<string, readonly PlanBudget[]>

  constructor({ state, cordoned, waiting }: PlanWorld) {
    this.#state = state
    this.#nodes = new Map(state.nodes.map((node) => [node.id, node]))
    this.#pods = new Map(state.pods.map((pod) => [pod.id, pod]))
    this.#cordoned = new Set(cordoned)
    this.#waiting = new Set(waiting)
    const budgets = state.budgets ?? []
    this.#budgets = new Map(budgets.map((budget) => [budget.id, budget]))
    this.#budgetsOf = countingByPod(budgets)
  }

  /** The world as it is by now. */
  world(): PlanWorld {
    const nodes = [...this.#nodes.values()]
    const budgets = this.#budgets.size === 0 ? {} : { budgets: [...this.#budgets.values()] }
    return {
      state: { ...this.#state, nodes, ...budgets },
      cordoned: [...this.#cordoned].toSorted(),
      waiting: [...this.#waiting].toSorted()
    }
  }

  node(id: string): PlanNode | undefined {
    return this.#nodes.get(id)
  }

  /** A card, on the node where it should be. */
  card({ node, card }: Place): PlanCard | undefined {
    return this.#nodes.get(node)?.cards.find(({ id }) => id === card)
  }

  pod(id: string): PlanPod | undefined {
    return this.#pods.get(id)
  }

  isCordoned(node: string): boolean {
    return this.#cordoned.has(node)
  }

  isWaiting(pod: string): boolean {
    return this.#waiting.has(pod)
  }

  /** Who runs in a seat. */
  podIn(seat: Seat): string | undefined {
    const card = this.card(seat)
    if (seat.placement === undefined) return card?.wholePod
    const key = slotKey(seat.placement)
    return card?.instances.find(({ placement }) => slotKey(placement) === key)?.pod
  }

  /** How many more pods of a budget may be stopped. */
  allowedBy(budget: string): number | undefined {
    return this.#budgets.get(budget)?.disruptionsAllowed
  }

  setCordoned(node: string, isCordoned: boolean): void {
    if (isCordoned) this.#cordoned.add(node)
    else this.#cordoned.delete(node)
  }

  /** Says that a pod waits or no longer does; its budgets let one less be stopped meanwhile. */
  setWaiting(pod: string, isWaiting: boolean): void {
    if (isWaiting === this.#waiting.has(pod)) return
    if (isWaiting) this.#waiting.add(pod)
    else this.#waiting.delete(pod)
    for (const { id } of this.#budgetsOf.get(pod) ?? []) this.#changeBudget(id, isWaiting ? -1 : 1)
  }

  /** Puts a pod in a seat; what it takes of the node is no longer free. */
  seat(pod: string, seat: Seat): void {
    this.#changeCard(seat, (card) => {
      if (seat.placement === undefined) return { ...card, wholePod: pod }
      const key = slotKey(seat.placement)
      return {
        ...card,
        instances: card.instances.map((live) => (slotKey(live.placement) === key ? { ...live, pod } : live))
      }
    })
    this.#changeRoom(seat.node, { pod, sign: -1 })
  }

  /** Takes a pod from a seat; what it took of the node is free again. */
  unseat(pod: string, seat: Seat): void {
    this.#changeCard(seat, ({ wholePod, ...card }) => ({
      ...card,
      ...(wholePod === undefined || wholePod === pod ? {} : { wholePod }),
      instances: card.instances.map((live) => (live.pod === pod ? { placement: live.placement } : live))
    }))
    this.#changeRoom(seat.node, { pod, sign: 1 })
  }

  /** Makes a card hold these instances; who runs in one that was there stays in it. */
  layOut(place: Place, placements: readonly Placement[]): void {
    this.#changeCard(place, (card) => {
      const live = new Map(card.instances.map((instance) => [slotKey(instance.placement), instance]))
      const instances = placements.map(
        (placement): LiveInstance => live.get(slotKey(placement)) ?? { placement }
      )
      return { ...card, instances }
    })
  }

  #changeCard(place: Place, change: (card: PlanCard) => PlanCard): void {
    const node = this.#nodes.get(place.node)
    if (node === undefined) return
    const cards = node.cards.map((card) => (card.id === place.card ? change(card) : card))
    this.#nodes.set(node.id, { ...node, cards })
  }

  #changeBudget(id: string, change: number): void {
    const budget = this.#budgets.get(id)
    if (budget === undefined) return
    this.#budgets.set(id, { ...budget, disruptionsAllowed: budget.disruptionsAllowed + change })
  }

  #changeRoom(id: string, { pod, sign }: { readonly pod: string; readonly sign: 1 | -1 }): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    const { cpuMilli = 0, memoryMiB = 0 }: Partial<PlanPod> = this.#pods.get(pod) ?? {}
    const { freeCpuMilli, freeMemoryMiB, ...rest } = node
    this.#nodes.set(id, {
      ...rest,
      ...(freeCpuMilli === undefined ? {} : { freeCpuMilli: freeCpuMilli + sign * cpuMilli }),
      ...(freeMemoryMiB === undefined ? {} : { freeMemoryMiB: freeMemoryMiB + sign * memoryMiB })
    })
  }
}
