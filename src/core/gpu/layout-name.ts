import { findCatalogProfile, type GpuModel } from './catalog.ts'
import type { Layout } from './geometry.ts'
import { fromDottedProfile } from './profile.ts'

/** The counts that a layout name means on one model, or why it means none. */
export type ResolvedLayout =
  | { readonly kind: 'layout'; readonly layout: Layout }
  | { readonly kind: 'unknown'; readonly profile?: string; readonly reason: string }

const prefix = 'all-'

/** Plain profiles by compute slices that `all-balanced` puts on a card of so many compute slices. */
const balanced: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  7: { 1: 2, 2: 1, 3: 1 },
  4: { 1: 2, 2: 1 }
}

/**
 * Gives the counts of a layout on one model: a record is taken as it is, `all-<profile>` of mig-parted means as many
 * as the model holds, `all-balanced` the operator's mixture. Counts differ by model: `all-1g.10gb` is 4 on an A100-40
 * and 7 on an A100-80.
 * @source NVIDIA/mig-parted deployments/systemd/config-default.yaml; NVIDIA/gpu-operator default MIG ConfigMap
 */
export function resolveLayout(model: GpuModel, wish: string | Layout): ResolvedLayout {
  if (typeof wish !== 'string') return { kind: 'layout', layout: wish }
  if (wish === 'all-balanced') return resolveBalanced(model)
  const profile = wish.startsWith(prefix) ? fromDottedProfile(wish.slice(prefix.length)) : undefined
  if (profile === undefined)
    return { kind: 'unknown', reason: `${wish} names no profile, so no layout follows from it` }
  const known = findCatalogProfile(model, profile)
  if (known === undefined)
    return { kind: 'unknown', profile, reason: `${model.name} has no profile ${profile}` }
  return { kind: 'layout', layout: { [profile]: known.maxInstances } }
}

function resolveBalanced(model: GpuModel): ResolvedLayout {
  const recipe = balanced[model.computeSlices ?? 0]
  const entries = Object.entries(recipe ?? {}).map(([slices, count]) => [
    plainProfile(model, Number(slices)),
    count
  ])
  const named = entries.filter(([name]) => name !== undefined)
  if (named.length === 0 || named.length < entries.length) {
    return { kind: 'unknown', reason: `no all-balanced layout is known for ${model.name}` }
  }
  return { kind: 'layout', layout: Object.fromEntries(named) }
}

/** The profile with this many compute slices, the least memory and no attribute. */
function plainProfile(model: GpuModel, computeSlices: number): string | undefined {
  return model.profiles
    .filter((profile) => profile.computeSlices === computeSlices && !/[+-]/.test(profile.name))
    .toSorted((a, b) => a.memorySlices - b.memorySlices)
    .at(0)?.name
}
