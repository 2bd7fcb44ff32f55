import { type CatalogProfile, findCatalogProfile, type GpuModel } from './catalog.ts'
import { comparePlacements, fitsBeside, legalPlacements, type Placement } from './placement.ts'

/** How many instances of each profile one card should hold. */
export type Layout = Readonly<Record<string, number>>

/** Why a layout is refused; `placements-unknown` means that nobody published what would be needed to say yes. */
export type LayoutRefusal = 'unknown-profile' | 'placements-unknown' | 'bad-count' | 'no-room'

/** Where each instance of a layout goes, or the profile that stands in the way and the most of it beside the rest. */
export type PlacedLayout =
  | { readonly fits: true; readonly placements: readonly Placement[] }
  | {
      readonly fits: false
      readonly kind: LayoutRefusal
      readonly profile: string
      readonly most: number
      readonly reason: string
    }

/** What else decides which names count. */
export interface PlacingOptions {
  /** Profiles that a node advertises; another driver's name for a profile (`7g.79gb`) counts only when it is here. */
  readonly advertised?: readonly string[]
}

/** One profile of a layout that the model really has. */
interface Wanted {
  readonly name: string
  readonly count: number
  readonly size: number
  readonly profile: CatalogProfile
}

type Refused = Extract<PlacedLayout, { readonly fits: false }>

/**
 * Finds placements for a layout on an empty card of the model, by exact search; the same layout always gives the
 * same placements. A refusal names one profile: of the names that cannot count the first, else the largest profile
 * that finds no room beside those larger than itself; `most` is how many of it fit beside all the rest.
 * @example { '3g.20gb': 2, '1g.5gb': 1 } on an A100-40: refused, 1g.5gb, most 0
 */
export function placeLayout(model: GpuModel, layout: Layout, options: PlacingOptions = {}): PlacedLayout {
  const wanted: Wanted[] = []
  for (const [name, count] of Object.entries(layout).toSorted(compareNames)) {
    if (count === 0) continue
    const entry = resolveEntry(model, { name, count }, options.advertised ?? [])
    if ('fits' in entry) return entry
    wanted.push(entry)
  }
  return placeWanted(model, wanted.toSorted(compareLargestFirst))
}

function resolveEntry(
  model: GpuModel,
  { name, count }: { readonly name: string; readonly count: number },
  advertised: readonly string[]
): Wanted | Refused {
  const refuse = (kind: LayoutRefusal, reason: string): Refused => {
    return { fits: false, kind, profile: name, most: 0, reason }
  }
  const profile = findCatalogProfile(model, name)
  if (profile === undefined) return refuse('unknown-profile', `${model.name} has no profile ${name}`)
  if (profile.name !== name && !advertised.includes(name)) {
    return refuse(
      'unknown-profile',
      `${model.name} has ${profile.name}, and no node advertises it as ${name}`
    )
  }
  if (!Number.isSafeInteger(count) || count < 0) {
    return refuse('bad-count', `the number of ${name} has to be a whole number, not ${count}`)
  }
  const size = profile.placements?.size
  if (size === undefined) {
    return refuse('placements-unknown', `it is unknown where ${name} may be placed on ${model.name}`)
  }
  return { name, count, size, profile }
}

function placeWanted(model: GpuModel, wanted: readonly Wanted[]): PlacedLayout {
  let placements: readonly Placement[] = []
  for (const [index, entry] of wanted.entries()) {
    const found = search(model, wanted.slice(0, index + 1))
    if (found === undefined) return refuseForRoom(model, wanted, entry)
    placements = found
  }
  return { fits: true, placements: placements.toSorted(comparePlacements) }
}

function refuseForRoom(model: GpuModel, wanted: readonly Wanted[], culprit: Wanted): Refused {
  const most = mostBeside(model, wanted, culprit)
  const reason = `${culprit.count} x ${culprit.name} asked for, at most ${most} fit on ${model.name} beside the rest`
  return { fits: false, kind: 'no-room', profile: culprit.name, most, reason }
}

/** The most of `culprit` that can be placed together with all other entries; 0 also when those alone do not fit. */
function mostBeside(model: GpuModel, wanted: readonly Wanted[], culprit: Wanted): number {
  const highest = Math.min(culprit.count - 1, culprit.profile.maxInstances)
  for (let count = highest; count > 0; count--) {
    const fewer = wanted.map((entry) => (entry === culprit ? { ...entry, count } : entry))
    if (search(model, fewer) !== undefined) return count
  }
  return 0
}

function search(model: GpuModel, wanted: readonly Wanted[]): readonly Placement[] | undefined {
  if (wanted.some((entry) => entry.count > entry.profile.maxInstances)) return undefined
  const names = wanted.flatMap((entry) => Array.from({ length: entry.count }, () => entry.name))
  return descend(model, names, [])
}

/** Depth-first over starts; instances of one profile take descending starts, so that no arrangement comes twice. */
function descend(
  model: GpuModel,
  names: readonly string[],
  placed: readonly Placement[]
): readonly Placement[] | undefined {
  const [name, ...rest] = names
  if (name === undefined) return placed
  const before = placed.at(-1)
  for (const next of legalPlacements(model, name)) {
    if (before?.profile === name && next.start > before.start) continue
    if (!fitsBeside(model, placed, next)) continue
    const all = descend(model, rest, [...placed, next])
    if (all !== undefined) return all
  }
  return undefined
}

function compareNames([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1
}

function compareLargestFirst(a: Wanted, b: Wanted): number {
  const bySize = b.size - a.size || b.profile.computeSlices - a.profile.computeSlices
  return bySize === 0 ? compareNames([a.name, a.count], [b.name, b.count]) : bySize
}
