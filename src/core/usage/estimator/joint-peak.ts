/** What several containers of one group need on one card. */
export interface SharedCard {
  /** Usable memory of the card, MiB. */
  readonly cardMiB: number
  /** Times the sum of the peaks, 1 or more. */
  readonly headroomFactor: number
  /** Memory of one CUDA context, MiB, where peaks count allocations alone; else 0. */
  readonly contextMiB: number
  readonly maxReplicas: number
}

/**
 * Memory that any `replicas` of the group may need together, MiB: the sum of their largest peaks, since any of them may
 * meet on one card and reach their peaks at once. Peaks of more replicas than there are count as the largest one.
 * @example peaks 5, 4 and 1 GiB, two replicas, factor 1.2, 0.5 GiB a context: 9 × 1.2 + 2 × 0.5 = 11.8 GiB
 */
export function jointPeakMiB(
  peaksMiB: readonly number[],
  replicas: number,
  { headroomFactor, contextMiB }: Pick<SharedCard, 'headroomFactor' | 'contextMiB'>
): number {
  const sorted = [...peaksMiB].sort((a, b) => b - a)
  const missing = Math.max(0, replicas - sorted.length) * (sorted[0] ?? 0)
  const sum = sorted.slice(0, replicas).reduce((total, peak) => total + peak, missing)
  return sum * headroomFactor + replicas * contextMiB
}

/** Most replicas of the group that may share a card by time-slicing; 0 when not even one fits or no peak is known. */
export function replicasByTimeSlicing(peaksMiB: readonly number[], card: SharedCard): number {
  let fitting = 0
  if (peaksMiB.length === 0) return fitting
  while (fitting < card.maxReplicas && jointPeakMiB(peaksMiB, fitting + 1, card) <= card.cardMiB) fitting += 1
  return fitting
}
