import { findCatalogProfile, type GpuModel } from '../gpu/catalog.ts'
import { placeLayout } from '../gpu/geometry.ts'
import { jointPeakMiB, replicasByTimeSlicing } from '../usage/estimator/joint-peak.ts'

/**
 * Cards of a model that hold all these slices: largest first, each on the first card with room for it. The true least
 * may be lower; it is never higher.
 */
export function packSlices(model: GpuModel, profiles: readonly string[]): number {
  const size = (profile: string): number => findCatalogProfile(model, profile)?.memorySlices ?? 0
  const cards: Record<string, number>[] = []
  for (const profile of [...profiles].sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1))) {
    const index = cards.findIndex((card) => placeLayout(model, withOneMore(card, profile)).fits)
    if (index < 0) cards.push({ [profile]: 1 })
    else cards[index] = withOneMore(cards[index] ?? {}, profile)
  }
  return cards.length
}

function withOneMore(card: Readonly<Record<string, number>>, profile: string): Record<string, number> {
  return { ...card, [profile]: (card[profile] ?? 0) + 1 }
}

/** How a group of pods shares cards of one size. */
export interface PackedReplicas {
  /** Pods on one card; below 2 nothing is shared. */
  readonly replicas: number
  readonly cards: number
  /** What the largest of them need together on one card, MiB. */
  readonly neededMiB: number
}

/** Needs hold the headroom, and measured use holds the contexts. */
const nothingMore = { headroomFactor: 1, contextMiB: 0 }

/**
 * The most pods that may share a card when any of the group may meet there: the sum of their largest needs must fit.
 * @param needsMiB needs of the pods, headroom included
 */
export function packReplicas(
  needsMiB: readonly number[],
  { cardMiB, most }: { readonly cardMiB: number; readonly most: number }
): PackedReplicas {
  const maxReplicas = Math.min(most, needsMiB.length)
  const replicas = replicasByTimeSlicing(needsMiB, { cardMiB, maxReplicas, ...nothingMore })
  return {
    replicas,
    cards: replicas === 0 ? 0 : Math.ceil(needsMiB.length / replicas),
    neededMiB: jointPeakMiB(needsMiB, replicas, nothingMore)
  }
}
