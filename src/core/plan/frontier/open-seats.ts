import { AppError } from '../../errors.ts'
import { comparePlacements } from '../../gpu/placement.ts'
import type { Pattern } from '../../pack/patterns.ts'
import type { PlanCard } from '../plan-state.ts'
import { isSameLayout } from '../seat.ts'
import type { Cleared } from './cleared.ts'
import type { Counted } from './counted.ts'
import type { OpenSeat } from './seat-pods.ts'
import type { CardRef, KeptClass, StateClasses } from './state-classes.ts'

/** Seats of cards that stay in use: the next cards of a kind that are not cleared, for each way. */
export function keptSeats(counted: Counted, cleared: Cleared): readonly OpenSeat[] {
  const waiting = new Map<KeptClass, CardRef[]>()
  return counted.flatMap(({ column, count }) => {
    if (column.kind !== 'keep') return []
    const { kept, way, pool, tenant } = column
    const list = waiting.get(kept) ?? kept.cards.filter(({ card }) => !cleared.has(card))
    waiting.set(kept, list)
    const cards = list.splice(0, count)
    if (cards.length < count)
      throw new AppError('PLAN_INVALID', `${count} cards of ${kept.key} are not there`)
    return cards.flatMap((ref) => seatsIn(way, { ref, pool, tenant, kind: kept.gives }))
  })
}

/** Seats of empty cards: those that were empty before first, then those that become so. */
export function filledSeats(classes: StateClasses, counted: Counted, cleared: Cleared): readonly OpenSeat[] {
  const waiting = new Map<string, CardRef[]>()
  return counted.flatMap(({ column, count }) => {
    if (column.kind !== 'fill') return []
    const { pool, tenant, way } = column
    const list = waiting.get(pool) ?? [
      ...(classes.empty.get(pool) ?? []).filter(({ node }) => !cleared.isFreed(node)),
      ...cleared.returned(pool)
    ]
    const like = new Set(list.filter(({ card }) => isLike(card, way)).slice(0, count))
    const others = list.filter((ref) => !like.has(ref))
    const cards = [...like, ...others.slice(0, count - like.size)]
    waiting.set(pool, others.slice(count - like.size))
    if (cards.length < count)
      throw new AppError('PLAN_INVALID', `${count} empty cards of ${pool} are not there`)
    return cards.flatMap((ref) => seatsIn(way, { ref, pool, tenant, kind: 'fill' }))
  })
}

/** Whether a card is empty and laid out like this already. */
function isLike({ instances }: PlanCard, { placements }: Pattern): boolean {
  return (
    instances.every(({ pod }) => pod === undefined) &&
    isSameLayout(
      instances.map(({ placement }) => placement),
      placements.toSorted(comparePlacements)
    )
  )
}

function seatsIn(
  { slots, placements }: Pattern,
  at: Pick<OpenSeat, 'ref' | 'pool' | 'tenant' | 'kind'>
): readonly OpenSeat[] {
  return placements.length === 0
    ? Object.keys(slots).map((slot) => ({ ...at, slot, placement: undefined, layout: [] }))
    : placements.map((placement) => ({ ...at, slot: placement.profile, placement, layout: placements }))
}
