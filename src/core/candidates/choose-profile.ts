import { computeShareRatio, type GpuModel } from '../gpu/catalog.ts'
import { parseMigProfile } from '../gpu/profile.ts'
import type { ConsideredProfile, Fit, KnownNeed } from './candidate.ts'

/** A profile with what it was compared by. */
interface Sized extends ConsideredProfile {
  readonly isLarge: boolean
  readonly ratio: number
}

/**
 * The smallest plain profile of the model that holds a need: usable memory first, then compute, then name; and the ones before it
 * that do not. Profiles with attributes (media, graphics) are for those who ask for them.
 */
export function chooseProfile(
  model: GpuModel,
  need: Pick<KnownNeed, 'neededMiB' | 'neededCompute'>
): { readonly fit: Fit; readonly considered: readonly ConsideredProfile[] } {
  const sized = sizedProfiles(model, need)
  const best = sized.find(({ fits }) => fits)
  const end = best === undefined ? sized.length : sized.indexOf(best) + 1
  const considered = sized.slice(0, end).map(({ profile, usableMiB, fits }) => ({ profile, usableMiB, fits }))
  if (best !== undefined) {
    const { profile, usableMiB } = best
    return { fit: { kind: 'slice', profile, usableMiB }, considered }
  }
  const reason = sized.some(({ isLarge }) => isLarge) ? 'ComputeTooHigh' : 'PeakTooLarge'
  return { fit: { kind: 'none', reason }, considered }
}

/** Plain profiles that are less than the whole card, smallest first. */
function sizedProfiles(
  model: GpuModel,
  { neededMiB, neededCompute = 0 }: Pick<KnownNeed, 'neededMiB' | 'neededCompute'>
): readonly Sized[] {
  const whole = Math.max(...model.profiles.map(({ memorySlices }) => memorySlices))
  return model.profiles
    .filter(({ name, memorySlices }) => memorySlices < whole && isPlain(name))
    .map(({ name, usableMiB }) => {
      const ratio = computeShareRatio(model, name)?.ratio ?? 0
      const isLarge = usableMiB >= neededMiB
      return { profile: name, usableMiB, ratio, isLarge, fits: isLarge && ratio >= neededCompute }
    })
    .sort((a, b) => a.usableMiB - b.usableMiB || a.ratio - b.ratio || (a.profile < b.profile ? -1 : 1))
}

function isPlain(name: string): boolean {
  return parseMigProfile(name)?.attributes.length === 0
}
