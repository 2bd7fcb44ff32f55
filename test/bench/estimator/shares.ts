import { gpuModels } from '../../../src/core/gpu/catalog.ts'
import { type ShareSize, sizeFor } from '../../../src/core/usage/estimator/hysteresis.ts'

/** The cards of the benchmark, by id in the catalogue. */
export const CARDS = [
  { name: 'H200', id: 'h200-sxm-141gb' },
  { name: 'H100-80', id: 'h100-sxm5-80gb' },
  { name: 'A100-80', id: 'a100-sxm4-80gb' }
] as const

/** Memory slots of a whole card of the 8-slot family. */
export const WHOLE_SLOTS = 8

/** Sizes of a card, smallest first: of profiles with the same memory the one that takes the fewest slots. */
export function sizesOf(id: string): readonly ShareSize[] {
  const model = gpuModels.find((candidate) => candidate.id === id)
  if (model === undefined) throw new Error(`no GPU model ${id} in the catalogue`)
  const bySlots = new Map<number, ShareSize>()
  for (const { usableMiB, memorySlices: memorySlots } of model.profiles) {
    const known = bySlots.get(memorySlots)
    if (known === undefined || usableMiB < known.usableMiB)
      bySlots.set(memorySlots, { usableMiB, memorySlots })
  }
  return [...bySlots.values()].sort((a, b) => a.usableMiB - b.usableMiB)
}

/** Smallest size with this much memory; the whole card when none has. */
export function sizeAt(sizes: readonly ShareSize[], neededMiB: number): ShareSize {
  const size = sizeFor(sizes, neededMiB)
  if (size === undefined) throw new Error('a card without sizes')
  return size
}
