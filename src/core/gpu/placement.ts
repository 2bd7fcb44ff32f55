import {
  type CatalogProfile,
  type EngineCounts,
  findCatalogProfile,
  type GpuModel,
  gpuModels
} from './catalog.ts'

/** One GPU instance on one card: positions `start` to `start + size - 1` of the model's placement grid. */
export type Placement = { readonly profile: string; readonly start: number; readonly size: number }

/** What instances take from the card besides positions. */
type Pool = 'computeSlices' | 'sms' | keyof EngineCounts

/** Amounts by pool; a pool that is absent is unknown and binds nothing. */
type Amounts = Readonly<Partial<Record<Pool, number>>>

const pools: readonly Pool[] = ['computeSlices', 'sms', 'copy', 'decoder', 'encoder', 'jpeg', 'ofa']

/**
 * Every place where one instance of the profile may sit on an empty card, the highest start first.
 * High starts first because that keeps position 0, the only start of the larger profiles, free for longest.
 * @returns none when the model lacks the profile or nobody published its placements
 * @source NVIDIA MIG User Guide, getting started (`nvidia-smi mig -lgipp`)
 */
export function legalPlacements(model: GpuModel, profileName: string): readonly Placement[] {
  const profile = findCatalogProfile(model, profileName)
  if (profile === undefined || model.placementGrid === undefined) return []
  const places = placesByProfile.get(profile) ?? readPlaces(profile)
  return profile.name === profileName ? places : places.map((place) => ({ ...place, profile: profileName }))
}

/**
 * True when `next` can be created beside `live`: no position twice; compute slices, SMs and each engine summed stay
 * within the card; no profile more often than its maximum. Says nothing of whether `next` sits at a legal start.
 * False when one of them is of a profile that the model does not have, for what that takes is unknown.
 * @source kubernetes/enhancements KEP-4815, counters of an A100
 */
export function fitsBeside(model: GpuModel, live: readonly Placement[], next: Placement): boolean {
  if (live.some((placement) => overlaps(placement, next))) return false
  const profiles = [...live, next].map((placement) => findCatalogProfile(model, placement.profile))
  const known = profiles.filter((profile) => profile !== undefined)
  const last = known.at(-1)
  if (known.length < profiles.length || last === undefined) return false
  if (known.filter((profile) => profile.name === last.name).length > last.maxInstances) return false
  const limits = limitsOf(model)
  const taken = known.map(amountsOf)
  return pools.every((pool) => staysWithin(pool, taken, limits))
}

/**
 * Starts at which one more instance of the profile can be created now, ascending, given the instances that live on
 * the card; none when the model lacks the profile or its placements are unknown.
 * @example A30 with 1g.6gb at 1 and 2: no start for 2g.12gb, though two positions are free
 */
export function freeStarts(
  model: GpuModel,
  profileName: string,
  live: readonly Placement[]
): readonly number[] {
  return legalPlacements(model, profileName)
    .filter((placement) => fitsBeside(model, live, placement))
    .map((placement) => placement.start)
    .toSorted((a, b) => a - b)
}

/** Total order of placements: start, then profile name. */
export function comparePlacements(a: Placement, b: Placement): number {
  if (a.start !== b.start) return a.start - b.start
  if (a.profile === b.profile) return 0
  return a.profile < b.profile ? -1 : 1
}

/** True when both take a position of the card. */
export function overlaps(a: Placement, b: Placement): boolean {
  return a.start < b.start + b.size && b.start < a.start + a.size
}

function staysWithin(pool: Pool, taken: readonly Amounts[], limits: Amounts): boolean {
  const limit = limits[pool]
  return limit === undefined || taken.reduce((sum, amounts) => sum + (amounts[pool] ?? 0), 0) <= limit
}

function readPlaces({ name, placements }: CatalogProfile): readonly Placement[] {
  if (placements === undefined) return []
  const { starts, size } = placements
  return starts.toSorted((a, b) => b - a).map((start) => ({ profile: name, start, size }))
}

function readAmounts({ computeSlices, instanceSmCount, engines }: CatalogProfile): Amounts {
  return { computeSlices, ...(instanceSmCount === undefined ? {} : { sms: instanceSmCount }), ...engines }
}

/** What the card has; where no engine totals are published, the profile that spans the card shows them. */
function readLimits(model: GpuModel): Amounts {
  const { computeSlices, smTotal } = model
  const whole = model.profiles.find((profile) => profile.computeSlices === computeSlices)
  return {
    ...(computeSlices === undefined ? {} : { computeSlices }),
    ...(smTotal === undefined ? {} : { sms: smTotal }),
    ...(model.engineTotals ?? whole?.engines)
  }
}

/** Of the catalogue, read once: layouts are searched by many thousand steps. */
const placesByProfile = new Map(
  gpuModels.flatMap(({ profiles }) => profiles.map((profile) => [profile, readPlaces(profile)] as const))
)
const amountsByProfile = new Map(
  gpuModels.flatMap(({ profiles }) => profiles.map((profile) => [profile, readAmounts(profile)] as const))
)
const limitsByModel = new Map(gpuModels.map((model) => [model, readLimits(model)]))

function amountsOf(profile: CatalogProfile): Amounts {
  return amountsByProfile.get(profile) ?? readAmounts(profile)
}

function limitsOf(model: GpuModel): Amounts {
  return limitsByModel.get(model) ?? readLimits(model)
}
