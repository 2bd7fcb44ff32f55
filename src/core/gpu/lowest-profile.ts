import { computeShareRatio, findCatalogProfile, gpuModels } from './catalog.ts'

/** Least memory and compute that a profile of this name has on any model of the catalogue. */
export interface LowestProfile {
  /** MiB; undefined when no model has such a profile. */
  readonly usableMiB: number | undefined
  /** Share of the whole GPU, 0 to 1. */
  readonly computeRatio: number | undefined
}

/**
 * What a slice of this profile holds at least, whatever the model: `1g.10gb` holds 9728 MiB on the smallest of its models.
 * For slices whose node does not exist yet.
 */
export function lowestProfile(profile: string): LowestProfile {
  const models = gpuModels.filter((model) => findCatalogProfile(model, profile) !== undefined)
  const memories = models.flatMap((model) => findCatalogProfile(model, profile)?.usableMiB ?? [])
  const ratios = models.flatMap((model) => computeShareRatio(model, profile)?.ratio ?? [])
  return { usableMiB: lowestOf(memories), computeRatio: lowestOf(ratios) }
}

function lowestOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values)
}
