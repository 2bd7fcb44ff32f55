import type { GpuModel } from './catalog.ts'
import { comparePlacements, fitsBeside, legalPlacements, type Placement } from './placement.ts'

/** Instances that live on one card together, by start. */
export type PlacedSet = readonly Placement[]

/**
 * Every way to put one or more instances of these profiles on one card, each once; the same counts at other starts
 * are another set, for they leave different room. Empty when no placements are known.
 * @param profiles names of the model's profiles, each once
 * @param live instances that stay on the card; the sets hold only what comes beside them
 * @example 297 for the plain 1g, 2g, 3g, 4g and 7g of an A100
 */
export function enumeratePlacedSets(
  model: GpuModel,
  profiles: readonly string[],
  live: PlacedSet = []
): readonly PlacedSet[] {
  const candidates = profiles
    .flatMap((profile) => legalPlacements(model, profile))
    .toSorted(comparePlacements)
  return extend(model, candidates, live).map((set) => set.slice(live.length))
}

/** Index of the first instance that no card of the model can hold there beside those before it; -1 for a set that one can. */
export function firstMisplaced(model: GpuModel, set: PlacedSet): number {
  const isLegal = ({ profile, start, size }: Placement): boolean =>
    legalPlacements(model, profile).some((legal) => legal.start === start && legal.size === size)
  return set.findIndex((next, index) => !isLegal(next) || !fitsBeside(model, set.slice(0, index), next))
}

/** True when not one more instance of any of these profiles can be created beside the set. */
export function isMaximalPlacedSet(model: GpuModel, profiles: readonly string[], set: PlacedSet): boolean {
  const candidates = profiles.flatMap((profile) => legalPlacements(model, profile))
  return !candidates.some((candidate) => fitsBeside(model, set, candidate))
}

/** Adds candidates in ascending order only, so that no set comes up twice. */
function extend(model: GpuModel, candidates: readonly Placement[], set: PlacedSet): readonly PlacedSet[] {
  return candidates.flatMap((candidate, index) => {
    if (!fitsBeside(model, set, candidate)) return []
    const grown = [...set, candidate]
    return [grown, ...extend(model, candidates.slice(index + 1), grown)]
  })
}
