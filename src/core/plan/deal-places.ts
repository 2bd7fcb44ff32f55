import type { Placement } from '../gpu/placement.ts'

/** Who gets which place: in turn the first that is left of the profile that each asks for; who finds none is left out. */
export function dealPlaces<T>(
  free: readonly Placement[],
  asks: readonly T[],
  profileOf: (ask: T) => string | undefined
): readonly (readonly [ask: T, place: Placement])[] {
  const left = [...free]
  return asks.flatMap((ask) => {
    const asked = profileOf(ask)
    const index = left.findIndex(({ profile }) => profile === asked)
    return index === -1 ? [] : left.splice(index, 1).map((place) => [ask, place] as const)
  })
}
