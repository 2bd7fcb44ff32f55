import type { CatalogProfile, EngineCounts } from '../gpu/catalog.ts'
import { parseMigProfile } from '../gpu/profile.ts'

const engineKinds: readonly (keyof EngineCounts)[] = ['copy', 'decoder', 'encoder', 'jpeg', 'ofa']

/**
 * True when a workload that fits an instance of `asked` fits one of `slot` too: at least as much memory, compute, SMs
 * and engines. Where the engines of one of them are unknown, only the names tell: every attribute that was asked for
 * must be there. Graphics is there by name alone.
 * @example on an A100 a 2g.10gb serves a 1g.10gb, and no profile but 7g.40gb serves a 1g.5gb+me
 */
export function serves(slot: CatalogProfile, asked: CatalogProfile): boolean {
  if (slot.name === asked.name) return true
  return (
    slot.usableMiB >= asked.usableMiB &&
    slot.computeSlices >= asked.computeSlices &&
    isAtLeast(slot.smCount, asked.smCount) &&
    hasEngines(slot, asked)
  )
}

function hasEngines(slot: CatalogProfile, asked: CatalogProfile): boolean {
  const offered = attributesOf(slot)
  const wanted = attributesOf(asked)
  if (wanted.includes('+gfx') && !offered.includes('+gfx')) return false
  if (slot.engines === undefined || asked.engines === undefined) {
    const lacksMedia = offered.includes('-me') && !wanted.includes('-me')
    return !lacksMedia && wanted.every((attribute) => attribute === '-me' || offered.includes(attribute))
  }
  const { engines } = slot
  const { engines: needed } = asked
  return engineKinds.every((kind) => isAtLeast(engines[kind], needed[kind]))
}

/** Unknown counts compare with nothing, so they stand in nobody's way. */
function isAtLeast(offered: number | undefined, wanted: number | undefined): boolean {
  return offered === undefined || wanted === undefined || offered >= wanted
}

function attributesOf(profile: CatalogProfile): readonly string[] {
  return parseMigProfile(profile.name)?.attributes ?? []
}

/** A slot of profile `from` may be used as one of profile `to`. */
export interface ServingStep {
  readonly from: string
  readonly to: string
}

/**
 * The order of these profiles by what they serve, as its single steps: whatever one serves follows by one step or by
 * several. Sorted, so that the same profiles give the same steps.
 * @example 1g ← 1g double memory ← 2g ← 3g ← 4g ← 7g on every card with seven compute slices
 */
export function servingSteps(profiles: readonly CatalogProfile[]): readonly ServingStep[] {
  const sorted = profiles.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.flatMap((slot) =>
    sorted
      .filter((asked) => asked !== slot && serves(slot, asked) && !hasBetween(sorted, slot, asked))
      .map((asked) => ({ from: slot.name, to: asked.name }))
  )
}

function hasBetween(
  profiles: readonly CatalogProfile[],
  slot: CatalogProfile,
  asked: CatalogProfile
): boolean {
  return profiles.some(
    (middle) =>
      middle !== slot &&
      middle !== asked &&
      serves(slot, middle) &&
      serves(middle, asked) &&
      !(serves(middle, slot) && serves(asked, middle))
  )
}

/** Every profile as which a slot of `from` may be used, itself included. */
export function reachBySteps(from: string, steps: readonly ServingStep[]): ReadonlySet<string> {
  const reached = new Set([from])
  for (const profile of reached) for (const step of steps) if (step.from === profile) reached.add(step.to)
  return reached
}
