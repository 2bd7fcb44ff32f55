import { AppError } from '../errors.ts'
import { comparePlacements, type Placement } from '../gpu/placement.ts'
import { dealPlaces } from './deal-places.ts'
import type { CardChange, PlanStep, Undo } from './plan-step.ts'
import type { Condition } from './precondition.ts'
import { slotKey, tellInstances } from './seat.ts'
import { hasSameCounts } from './seat-by-counts.ts'
import type { Seat } from './target.ts'

/**
 * Steps for a card whose instances the driver put elsewhere than where they were wanted, as it does on nodes and cards that are
 * laid out from empty: each seat on it becomes one of the same profile where one is. Until the card is laid out again; what
 * comes after that is for its next instances.
 * @param steps those that are still to be taken, or undos of those that were, in the order in which they would be
 * @param wanted what the step that was taken says of the card
 * @param live its instances now
 * @throws AppError PLAN_INVALID where these are not as many of each profile as were wanted
 */
export function remapSeats(
  steps: readonly PlanStep[],
  wanted: Pick<CardChange, 'card' | 'after'>,
  live: readonly Placement[]
): readonly PlanStep[] {
  const places = placesOf(wanted, live)
  const again = steps.findIndex((step) => changesCard(step, wanted.card))
  const end = again === -1 ? steps.length : again
  const remapper = new Remapper(wanted.card, places)
  return steps.map((step, index) => (index > end ? step : remapper.step(step)))
}

/** By slot that was wanted and is not there: the one instead of it. */
function placesOf(
  { card, after }: Pick<CardChange, 'card' | 'after'>,
  live: readonly Placement[]
): ReadonlyMap<string, Placement> {
  if (!hasSameCounts(after, live)) {
    const [want, have] = [after, live].map((list) => tellInstances(list.toSorted(comparePlacements)))
    throw new AppError('PLAN_INVALID', `${card} was to hold ${want} and holds ${have}`)
  }
  const [wanted, there] = [after, live].map((list) => new Set(list.map(slotKey)))
  const lost = after.filter((one) => there?.has(slotKey(one)) !== true).toSorted(comparePlacements)
  const free = live.filter((one) => wanted?.has(slotKey(one)) !== true).toSorted(comparePlacements)
  const dealt = dealPlaces(free, lost, ({ profile }) => profile)
  return new Map(dealt.map(([placement, found]) => [slotKey(placement), found]))
}

function changesCard(step: PlanStep, card: string): boolean {
  return step.kind === 'lay-out' && step.cards.some((change) => change.card === card)
}

/** Puts the places of one card in the stead of others. */
class Remapper {
  readonly #card: string
  readonly #places: ReadonlyMap<string, Placement>

  constructor(card: string, places: ReadonlyMap<string, Placement>) {
    this.#card = card
    this.#places = places
  }

  step(step: PlanStep): PlanStep {
    const precondition = step.precondition.map((condition) => this.#condition(condition))
    const undo = changesCard(step, this.#card) ? this.#bringBack(step.undo) : this.#undo(step.undo)
    switch (step.kind) {
      case 'move':
        return { ...step, from: this.#seat(step.from), to: this.#seat(step.to), precondition, undo }
      case 'park':
        return { ...step, from: this.#seat(step.from), until: this.#seat(step.until), precondition, undo }
      case 'resume':
        return { ...step, to: this.#seat(step.to), precondition, undo }
      case 'lay-out':
        return { ...step, cards: this.#changes(step.cards, 'before'), precondition, undo }
      default:
        return { ...step, precondition, undo }
    }
  }

  #undo(undo: Undo): Undo {
    return undo.kind === 'none' ? undo : { ...undo, steps: undo.steps.map((step) => this.step(step)) }
  }

  /** What is laid out anew for the card and brought back has other places only where it is brought back. */
  #bringBack(undo: Undo): Undo {
    if (undo.kind === 'none') return undo
    const steps = undo.steps.map((step) =>
      step.kind === 'lay-out' ? { ...step, cards: this.#changes(step.cards, 'after') } : step
    )
    return { ...undo, steps }
  }

  #condition(condition: Condition): Condition {
    switch (condition.kind) {
      case 'pod-runs-in':
      case 'seat-is-free':
        return { ...condition, seat: this.#seat(condition.seat) }
      case 'card-holds':
        return condition.card === this.#card
          ? { ...condition, instances: this.#all(condition.instances) }
          : condition
      case 'slots-are-idle':
        return condition.card === this.#card
          ? { ...condition, placements: this.#all(condition.placements) }
          : condition
      default:
        return condition
    }
  }

  #changes(cards: readonly CardChange[], side: 'before' | 'after'): readonly CardChange[] {
    return cards.map((change) =>
      change.card === this.#card ? { ...change, [side]: this.#all(change[side]) } : change
    )
  }

  #seat(seat: Seat): Seat {
    if (seat.card !== this.#card || seat.placement === undefined) return seat
    return { ...seat, placement: this.#place(seat.placement) }
  }

  #all(placements: readonly Placement[]): readonly Placement[] {
    return placements.map((placement) => this.#place(placement)).toSorted(comparePlacements)
  }

  #place(placement: Placement): Placement {
    return this.#places.get(slotKey(placement)) ?? placement
  }
}
