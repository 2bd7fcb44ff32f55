import { type HeadroomRung, type LearntHeadroom, rungFor } from './learnt-headroom.ts'
import type { EstimatorSettings } from './settings.ts'

/** Where a headroom comes from: the policy, past decisions of the fleet, or the ladder for short histories. */
export type HeadroomBasis = 'policy' | 'learnt' | 'ladder'

/** What the peak is multiplied by, and why. */
export interface Headroom {
  /** Times the peak, 1 or more; from this on a share may shrink. */
  readonly factor: number
  /** Times the peak; a share smaller than this is stepped up. Short history asks for no larger share. */
  readonly raiseFactor: number
  readonly basis: HeadroomBasis
  /** Past decisions behind it. */
  readonly decisions: number
  /** Whether they stood on histories as long as this one, see `HeadroomRung`. */
  readonly isMatched: boolean
}

/** Factors while nothing is learnt: two days of history ask for 1.5 times the peak, five days for 1.3 times. */
const LADDER = [
  { belowBlocks: 3, factor: 1.5 },
  { belowBlocks: 7, factor: 1.3 }
] as const

/**
 * Headroom for a history of this length: what the fleet taught, at least the policy's; while the fleet has taught
 * nothing, the ladder. What was learnt on longer histories is a lower bound, so that less history never asks for less.
 * @example policy 0.2, learnt 1.34: 1.34; policy 0.2, learnt 1.1: 1.2; nothing learnt, 2 days: 1.5
 */
export function headroomFor(
  cleanBlocks: number,
  learnt: LearntHeadroom | undefined,
  { headroomRatio }: EstimatorSettings
): Headroom {
  const rungs = learnt?.rungs ?? []
  const rung = rungFor(rungs, cleanBlocks)
  const learntFactor = factorFrom(rung?.fromBlocks ?? 0, rungs)
  const raiseFactor = Math.max(1 + headroomRatio, learntFactor)
  const step = LADDER.find(({ belowBlocks }) => cleanBlocks < belowBlocks)
  const isTaught = rung?.factor !== undefined
  const factor = isTaught ? raiseFactor : Math.max(raiseFactor, step?.factor ?? 0)
  const { decisions, isMatched } = isTaught ? rung : untaught
  return { factor, raiseFactor, basis: basisOf(factor, raiseFactor, 1 + headroomRatio), decisions, isMatched }
}

const untaught = { decisions: 0, isMatched: false } as const

/** Largest factor of this rung and those above it; 0 where nothing is learnt. */
function factorFrom(fromBlocks: number, rungs: readonly HeadroomRung[]): number {
  return rungs.reduce(
    (most, rung) => (rung.fromBlocks >= fromBlocks ? Math.max(most, rung.factor ?? 0) : most),
    0
  )
}

function basisOf(factor: number, raiseFactor: number, policyFactor: number): HeadroomBasis {
  if (factor > raiseFactor) return 'ladder'
  return raiseFactor > policyFactor ? 'learnt' : 'policy'
}
