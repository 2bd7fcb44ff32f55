import { computeShareRatio, type GpuModel } from '../gpu/catalog.ts'
import { parseMigProfile } from '../gpu/profile.ts'
import type { Fit, KnownNeed } from './candidate.ts'

/**
 * The smallest plain profile of the model that holds a need: usable memory first, then compute, then name.
 * Profiles with attributes (media, graphics) are for those who ask for them.
 */
export function smallestProfile(model: GpuModel, need: Pick<KnownNeed, 'neededMiB' | 'neededCompute'>): Fit {
  const plain = model.profiles.filter(({ name }) => parseMigProfile(name)?.attributes.length === 0)
  const large = plain.filter(({ usableMiB }) => usableMiB >= need.neededMiB)
  const whole = Math.max(...model.profiles.map(({ memorySlices }) => memorySlices))
  const smaller = large.filter(({ memorySlices }) => memorySlices < whole)
  if (smaller.length === 0) return { kind: 'none', reason: 'PeakTooLarge' }
  const ratioOf = (name: string): number => computeShareRatio(model, name)?.ratio ?? 0
  const fitting = smaller.filter(({ name }) => ratioOf(name) >= (need.neededCompute ?? 0))
  const [best] = fitting.sort(
    (a, b) => a.usableMiB - b.usableMiB || ratioOf(a.name) - ratioOf(b.name) || (a.name < b.name ? -1 : 1)
  )
  return best === undefined
    ? { kind: 'none', reason: 'ComputeTooHigh' }
    : { kind: 'slice', profile: best.name, usableMiB: best.usableMiB }
}
