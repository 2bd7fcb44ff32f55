import { findCatalogProfile, type GpuModel } from '../../gpu/catalog.ts'
import type { Placement } from '../../gpu/placement.ts'
import { WHOLE_CARD } from '../../pack/card-class.ts'
import { mayServe } from '../../pack/pack-model.ts'
import { countSlots, findPatterns, type Pattern } from '../../pack/patterns.ts'
import type { PlanCard, PlanPool } from '../plan-state.ts'
import { slotKey } from '../seat.ts'

/** A kind of slot that a pod asks for. */
export interface AskedSlot {
  readonly profile: string
  readonly isExact: boolean
}

/** Whether a pod that asks for `asked` may run in a slot of this profile; a card that is given away uncut is one slot. */
export function isSlotFor(model: GpuModel, slot: string, asked: AskedSlot): boolean {
  if (slot === WHOLE_CARD || asked.profile === WHOLE_CARD) return slot === asked.profile
  return mayServe(model, slot, asked)
}

/**
 * The ways to use cards of one pool. Where some pod takes no larger slot than its own (`hasExact`), ways that another one
 * replaces count too.
 */
export class CardWays {
  readonly #pool: PlanPool
  readonly #hasExact: boolean
  readonly #byLive = new Map<string, readonly Pattern[]>()

  constructor(pool: PlanPool, hasExact: boolean) {
    this.#pool = pool
    this.#hasExact = hasExact
  }

  /** Ways to lay out an empty card, or to give it away uncut. */
  ofEmpty(): readonly Pattern[] {
    return [...this.beside([]), uncut]
  }

  /** What can be created beside these instances. */
  beside(live: readonly Placement[]): readonly Pattern[] {
    const key = live.map(slotKey).join()
    const known = this.#byLive.get(key)
    if (known !== undefined) return known
    const { model, profiles } = this.#pool
    const names = profiles.filter((name) => findCatalogProfile(model, name)?.placements !== undefined)
    const found = findPatterns(model, names, live)
    const ways = found.kind === 'patterns' ? found[this.#hasExact ? 'full' : 'patterns'] : []
    this.#byLive.set(key, ways)
    return ways
  }

  /** What a card gives away as it is: its idle instances, or itself where it is empty and uncut. */
  asItIs({ instances, wholePod }: PlanCard): readonly Pattern[] {
    if (instances.length === 0) return wholePod === undefined ? [uncut] : []
    const idle = instances.filter(({ pod }) => pod === undefined).map(({ placement }) => placement)
    return idle.length === 0 ? [] : [{ slots: countSlots(idle), placements: idle }]
  }
}

const uncut: Pattern = { slots: { [WHOLE_CARD]: 1 }, placements: [] }
