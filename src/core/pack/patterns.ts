import { type CatalogProfile, findCatalogProfile, type GpuModel } from '../gpu/catalog.ts'
import type { Layout } from '../gpu/geometry.ts'
import { enumeratePlacedSets, type PlacedSet } from '../gpu/placed-sets.ts'
import { serves } from './serving.ts'

/** One way to cut a card: how many slots of each profile, and where each of them sits. */
export interface Pattern {
  readonly slots: Layout
  readonly placements: PlacedSet
}

/** The patterns of a model, or why there are none. */
export type Patterns =
  | {
      readonly kind: 'patterns'
      /** Those that no other replaces. */
      readonly patterns: readonly Pattern[]
      /** Those to which no slot can be added; they matter where workloads are pinned to slots of one profile. */
      readonly full: readonly Pattern[]
    }
  | { readonly kind: 'placements-unknown' | 'no-such-profile'; readonly reason: string }

/**
 * Every way to cut a card of the model into slots of these profiles that no other way replaces: one is replaced by
 * another when whatever runs in its slots runs in slots of the other; and every way to which no slot can be added. Sorted.
 * @param profiles names of profiles that may be cut; what the model does not have is left out
 * @param live instances that stay on the card; patterns are then what comes beside them, none when it is full
 * @example 11 patterns for the plain profiles of a card with seven compute slices, 4 for an A30
 */
export function findPatterns(model: GpuModel, profiles: readonly string[], live: PlacedSet = []): Patterns {
  const known = [...new Set(profiles)].flatMap((name) => findCatalogProfile(model, name) ?? [])
  const unplaced = known.find(({ placements }) => placements === undefined)
  if (model.placementGrid === undefined || model.profiles.length === 0 || unplaced !== undefined) {
    const what = unplaced?.name ?? 'a slice'
    return {
      kind: 'placements-unknown',
      reason: `it is unknown where ${what} may be placed on ${model.name}`
    }
  }
  if (known.length === 0)
    return { kind: 'no-such-profile', reason: `${model.name} has none of these profiles` }
  const names = known.map(({ name }) => name).toSorted()
  const full = fullPatterns([...distinct(enumeratePlacedSets(model, names, live)).values()])
  return { kind: 'patterns', patterns: undominated(full, known), full }
}

/** One pattern for each multiset of profiles, by its text. */
function distinct(sets: readonly PlacedSet[]): ReadonlyMap<string, Pattern> {
  const patterns = new Map<string, Pattern>()
  for (const placements of sets) {
    const slots = countSlots(placements)
    const text = printSlots(slots)
    if (!patterns.has(text)) patterns.set(text, { slots, placements })
  }
  return patterns
}

/** How many slots there are of each profile, by name. */
export function countSlots(placements: PlacedSet): Layout {
  const byProfile = Map.groupBy(placements, ({ profile }) => profile)
  const counts = [...byProfile].map(([profile, same]) => [profile, same.length] as const)
  return Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Text of a pattern, `2 x 1g.5gb + 1 x 3g.20gb`; the same for the same slots. */
export function printSlots(slots: Layout): string {
  return Object.entries(slots)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([profile, count]) => `${count} x ${profile}`)
    .join(' + ')
}

function fullPatterns(patterns: readonly Pattern[]): readonly Pattern[] {
  return patterns
    .filter(({ slots }) => !patterns.some((other) => isPart(slots, other.slots)))
    .toSorted((a, b) => (printSlots(a.slots) < printSlots(b.slots) ? -1 : 1))
}

function isPart(part: Layout, whole: Layout): boolean {
  return part !== whole && Object.entries(part).every(([profile, count]) => count <= (whole[profile] ?? 0))
}

/** Of patterns that replace each other the first stays. */
function undominated(patterns: readonly Pattern[], profiles: readonly CatalogProfile[]): readonly Pattern[] {
  const byName = new Map(profiles.map((profile) => [profile.name, profile]))
  const entries = patterns.map((pattern) => {
    return { pattern, slots: pattern.placements.flatMap(({ profile }) => byName.get(profile) ?? []) }
  })
  const isReplaced = ({ slots }: (typeof entries)[number], index: number): boolean =>
    entries.some(
      (other, place) =>
        place !== index && replaces(other.slots, slots) && (place < index || !replaces(slots, other.slots))
    )
  return entries.filter((entry, index) => !isReplaced(entry, index)).map(({ pattern }) => pattern)
}

/** True when each slot of `asked` finds a slot of its own in `offered` that serves it (a matching, by augmenting paths). */
function replaces(offered: readonly CatalogProfile[], asked: readonly CatalogProfile[]): boolean {
  if (offered.length < asked.length) return false
  const takenBy = new Map<number, CatalogProfile>()
  return asked.every((slot) => findSlot(slot, offered, { takenBy, seen: new Set() }))
}

interface Matching {
  readonly takenBy: Map<number, CatalogProfile>
  readonly seen: Set<number>
}

function findSlot(asked: CatalogProfile, offered: readonly CatalogProfile[], matching: Matching): boolean {
  const { takenBy, seen } = matching
  return offered.some((slot, index) => {
    if (seen.has(index) || !serves(slot, asked)) return false
    seen.add(index)
    const holder = takenBy.get(index)
    if (holder !== undefined && !findSlot(holder, offered, matching)) return false
    takenBy.set(index, asked)
    return true
  })
}
