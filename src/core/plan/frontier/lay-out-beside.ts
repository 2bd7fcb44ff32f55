import type { GpuModel } from '../../gpu/catalog.ts'
import { comparePlacements, fitsBeside, legalPlacements, type Placement } from '../../gpu/placement.ts'
import { dealPlaces } from '../deal-places.ts'
import type { PlanCard } from '../plan-state.ts'

/** Where new instances go on a card beside those that run. */
export interface BesideLayout {
  /** By place in the list of slots. */
  readonly seats: readonly Placement[]
  /** All instances of the card afterwards: those that run, the new ones, and idle ones that are not in the way. */
  readonly instances: readonly Placement[]
}

/** A card and the slots that it is to have besides what runs on it. */
export interface BesideAsk {
  readonly card: PlanCard
  readonly slots: readonly string[]
  /** Of the idle instances those that count more than all others: pods were in them that come back. */
  readonly wanted?: readonly Placement[]
}

/**
 * Places for these slots beside the instances that run, with as many idle instances as can be used as they are; idle ones that
 * are in the way go.
 * @returns undefined where the slots do not fit
 */
export function layOutBeside(
  model: GpuModel,
  { card, slots, wanted = [] }: BesideAsk
): BesideLayout | undefined {
  const running = card.instances.filter(({ pod }) => pod !== undefined).map(({ placement }) => placement)
  const idle = card.instances.filter(({ pod }) => pod === undefined).map(({ placement }) => placement)
  const found = bestPlaces(model, { running, idle, wanted, slots: slots.toSorted() })
  if (found === undefined) return undefined
  const seats = dealPlaces(found, slots, (slot) => slot).map(([, place]) => place)
  const kept = idle.reduce<readonly Placement[]>(
    (live, placement) =>
      isAmong(live, placement) || !fitsBeside(model, live, placement) ? live : [...live, placement],
    [...running, ...found]
  )
  return { seats, instances: kept.toSorted(comparePlacements) }
}

interface Search {
  readonly wanted: readonly Placement[]
  readonly running: readonly Placement[]
  readonly idle: readonly Placement[]
  readonly slots: readonly string[]
}

/** Of all ways to place the slots the first with the most wanted, and then the most idle instances in it. */
function bestPlaces(model: GpuModel, search: Search): readonly Placement[] | undefined {
  const among = (some: readonly Placement[], places: readonly Placement[]): number =>
    places.filter((place) => isAmong(some, place)).length
  const reusedIn = (places: readonly Placement[]): number =>
    among(search.wanted, places) * (search.idle.length + 1) + among(search.idle, places)
  return waysToPlace(model, search, []).reduce<readonly Placement[] | undefined>(
    (best, places) => (best === undefined || reusedIn(places) > reusedIn(best) ? places : best),
    undefined
  )
}

/** Every way to go on; slots of one profile by falling starts, so that no way comes twice. */
function waysToPlace(
  model: GpuModel,
  { running, slots }: Pick<Search, 'running' | 'slots'>,
  places: readonly Placement[]
): readonly (readonly Placement[])[] {
  const slot = slots[places.length]
  if (slot === undefined) return [places]
  const last = places.at(-1)
  return legalPlacements(model, slot)
    .filter((place) => last?.profile !== slot || place.start < last.start)
    .filter((place) => fitsBeside(model, [...running, ...places], place))
    .flatMap((place) => waysToPlace(model, { running, slots }, [...places, place]))
}

function isAmong(placements: readonly Placement[], { profile, start }: Placement): boolean {
  return placements.some((other) => other.profile === profile && other.start === start)
}
