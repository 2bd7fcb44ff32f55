import { permittedCandidates } from '../../core/decision/fit.ts'
import { findModelByProductLabel, type GpuModel } from '../../core/gpu/catalog.ts'
import { parseMigProfile } from '../../core/gpu/profile.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import type { Candidate } from '../../core/sharing/candidates.ts'
import type { NodeClass, NodeIndex } from '../../core/sharing/node-index.ts'
import { countLabel, nodeLabels, productOf } from '../../core/sharing/node-labels.ts'
import type { ShareSize } from '../../core/usage/estimator/hysteresis.ts'

/** Whom sizes are for. */
export interface SizesFor {
  readonly policy: EffectivePolicy | undefined
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  /** Product label without layout; '' where it is not known. */
  readonly gpuModel: string
  readonly nodes: NodeIndex
}

/** Memory slots of a card whose model is not in the catalogue, so that its replicas can be compared. */
const USUAL_SLOTS = 8

/**
 * Sizes that a workload may get on one GPU model, smallest first, the whole GPU last: what nodes offer under its policy, and the MIG
 * profiles of the catalogue that the policy allows, so that a new layout of a node does not begin everything anew. Where a node
 * offers a profile, its own figure counts and not the catalogue's. Empty when the size of the whole GPU is not known.
 */
export function shareSizesFor(scope: SizesFor): readonly ShareSize[] {
  const model = findModelByProductLabel(scope.gpuModel)
  const classes = scope.nodes.classes.filter(({ nodes: [node] }) => productOf(node)?.model === scope.gpuModel)
  const wholeMiB = model?.totalMemoryMiB ?? labelledMemoryMiB(classes)
  if (wholeMiB === undefined) return []
  const slots = model?.memorySlices ?? USUAL_SLOTS
  const offered = offeredCandidates(scope, classes)
  const sizes = [
    ...offered.flatMap((candidate) => offeredSize(candidate, model, slots)),
    ...catalogSizes(model, scope.policy, new Set(offered.map(({ profile }) => profile)))
  ]
  const smaller = sizes.filter(({ usableMiB, memorySlots }) => usableMiB < wholeMiB && memorySlots < slots)
  return [...distinct(smaller), { usableMiB: wholeMiB, memorySlots: slots }]
}

function labelledMemoryMiB(classes: readonly NodeClass[]): number | undefined {
  const known = classes.flatMap(({ nodes: [node] }) => countLabel(node, nodeLabels.memory) ?? [])
  return known.length === 0 ? undefined : Math.min(...known)
}

function offeredCandidates(
  { policy, namespace, nodes }: SizesFor,
  classes: readonly NodeClass[]
): readonly Candidate[] {
  return policy === undefined ? [] : permittedCandidates({ policy, namespace }, nodes, classes).permitted
}

function offeredSize(candidate: Candidate, model: GpuModel | undefined, slots: number): readonly ShareSize[] {
  const { usableMiB, profile, replicas, toMeasure } = candidate
  if (usableMiB === undefined || toMeasure === true) return []
  const profileSlots = model?.profiles.find(({ name }) => name === profile)?.memorySlices
  return [{ usableMiB, memorySlots: (profileSlots ?? slots) / replicas }]
}

function catalogSizes(
  model: GpuModel | undefined,
  policy: EffectivePolicy | undefined,
  offered: ReadonlySet<string | undefined>
): readonly ShareSize[] {
  const allowed = policy?.allowedProfiles
  return (model?.profiles ?? [])
    .filter(
      ({ name }) => isPlain(name) && !offered.has(name) && (allowed === undefined || allowed.includes(name))
    )
    .map(({ usableMiB, memorySlices }) => ({ usableMiB, memorySlots: memorySlices }))
}

/** Profiles with media engines or without come on demand only, and are hardly another size. */
function isPlain(profile: string): boolean {
  return parseMigProfile(profile)?.attributes.length === 0
}

/** Ascending by memory; of several with the same memory the one that takes the fewest slots. */
function distinct(sizes: readonly ShareSize[]): readonly ShareSize[] {
  const sorted = sizes.toSorted((a, b) => a.usableMiB - b.usableMiB || a.memorySlots - b.memorySlots)
  return sorted.filter(({ usableMiB }, index) => sorted[index - 1]?.usableMiB !== usableMiB)
}
