import { z } from 'zod'
import catalogJson from './catalog.json' with { type: 'json' }

const count = z.int().nonnegative()

/** Engines by kind: copy, decoder (NVDEC), encoder (NVENC), JPEG, optical flow; absent where nobody published it. */
const enginesSchema = z
  .strictObject({
    copy: count.exactOptional(),
    decoder: count.exactOptional(),
    encoder: count.exactOptional(),
    jpeg: count.exactOptional(),
    ofa: count.exactOptional()
  })
  .readonly()

const profileSchema = z
  .strictObject({
    name: z.string(),
    resourceName: z.string(),
    computeSlices: count,
    memorySlices: count,
    /** Legal first positions on the model's grid, and how many positions an instance covers. */
    placements: z
      .strictObject({ starts: z.array(count).readonly(), size: count })
      .readonly()
      .exactOptional(),
    /** `observed` on a console, `assumed` from the family, or `undocumented` (then there are no placements). */
    placementStatus: z.enum(['observed', 'assumed', 'undocumented']),
    maxInstances: count,
    /** SMs that a pod gets: those of a compute instance that fills the GPU instance. */
    smCount: count.exactOptional(),
    /** SMs that the GPU instance takes from the card; more than `smCount` for some double-memory profiles. */
    instanceSmCount: count.exactOptional(),
    /** Memory to plan with where no node label says more; `usableBasis` says how far it can be trusted. */
    usableMiB: count,
    /** `measured` is the lowest value seen; the others stay at or under what is expected, or come from a twin. */
    usableBasis: z.enum(['measured', 'lower-bound', 'estimated', 'copied', 'inferred']),
    observedMiB: z.array(z.strictObject({ miB: count, source: z.string() }).readonly()).readonly(),
    engines: enginesSchema.exactOptional(),
    sources: z.array(z.string()).readonly()
  })
  .readonly()

const modelSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    architecture: z.enum(['ampere', 'hopper', 'blackwell', 'rubin']),
    /** Values of `nvidia.com/gpu.product`, `seen` on a node or `derived` by the naming rule. */
    productLabels: z
      .array(z.strictObject({ value: z.string(), evidence: z.enum(['seen', 'derived']) }).readonly())
      .readonly(),
    totalMemoryMiB: count.exactOptional(),
    totalMemoryVariantsMiB: z.array(count).readonly(),
    smTotal: count.exactOptional(),
    computeSlices: count.exactOptional(),
    memorySlices: count.exactOptional(),
    /** Positions of the placement grid: 8, 4 (A30) or 12 (RTX PRO 6000). */
    placementGrid: count.exactOptional(),
    family: z.string().exactOptional(),
    engineTotals: enginesSchema.exactOptional(),
    /** Names that some drivers give to a profile, to the name used here: `7g.79gb` to `7g.80gb`. */
    profileAliases: z.record(z.string(), z.string()).readonly().exactOptional(),
    /** Id of the model whose profile table holds here too (same die and memory). */
    profilesFrom: z.string().exactOptional(),
    /** False when the memory figures come from another model or from an estimate. */
    memoryMeasured: z.boolean(),
    sources: z.array(z.string()).readonly(),
    profiles: z.array(profileSchema).readonly()
  })
  .readonly()

const sourceSchema = z.strictObject({ what: z.string(), ref: z.string().exactOptional() }).readonly()

const catalogSchema = z.strictObject({
  sources: z.record(z.string(), sourceSchema).readonly(),
  models: z.array(modelSchema).readonly()
})

/** One GPU model and its MIG profiles; a field that is absent is unknown. */
export type GpuModel = z.infer<typeof modelSchema>

/** One MIG profile as one GPU model has it; a field that is absent is unknown. */
export type CatalogProfile = z.infer<typeof profileSchema>

/** Engines of an instance or of a whole card. */
export type EngineCounts = z.infer<typeof enginesSchema>

const catalog = catalogSchema.parse(catalogJson)

/** Every GPU model that can be cut by MIG, frozen; the sources of each entry are keys of `catalogSources`. */
export const gpuModels: readonly GpuModel[] = catalog.models

/** Where the facts come from: key to what it is and, where it is public under an address, where to read it. */
export const catalogSources: Readonly<Record<string, z.infer<typeof sourceSchema>>> = catalog.sources

const modelsByLabel: ReadonlyMap<string, GpuModel> = new Map(
  gpuModels.flatMap((model) => model.productLabels.map(({ value }) => [withoutVendor(value), model] as const))
)

/**
 * The model of a product label without layout and sharing suffix, see `parseProductLabel`; the spelling of old
 * drivers without the vendor (`A100-PCIE-40GB`) finds the same model.
 */
export function findModelByProductLabel(label: string): GpuModel | undefined {
  return modelsByLabel.get(withoutVendor(label))
}

/** The profile that a model knows under this canonical name or under another driver's name for it (`7g.79gb`). */
export function findCatalogProfile(model: GpuModel, profileName: string): CatalogProfile | undefined {
  const { profileAliases = {} } = model
  const name = Object.hasOwn(profileAliases, profileName) ? profileAliases[profileName] : profileName
  return model.profiles.find((profile) => profile.name === name)
}

/**
 * The part of the whole GPU's compute that a slice has: by SM counts, or, where one is unknown, by compute slices.
 * @returns undefined for a profile that the model does not have
 * @example 1g.10gb of an H100 SXM5: 16 of 132 SMs, `{ ratio: 0.121…, basis: 'sm' }`
 */
export function computeShareRatio(
  model: GpuModel,
  profileName: string
): { ratio: number; basis: 'sm' | 'slices' } | undefined {
  const profile = findCatalogProfile(model, profileName)
  if (profile === undefined || model.computeSlices === undefined) return undefined
  if (profile.smCount === undefined || model.smTotal === undefined) {
    return { ratio: profile.computeSlices / model.computeSlices, basis: 'slices' }
  }
  return { ratio: profile.smCount / model.smTotal, basis: 'sm' }
}

function withoutVendor(label: string): string {
  return label.startsWith('NVIDIA-') ? label.slice('NVIDIA-'.length) : label
}
