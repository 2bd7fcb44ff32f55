import type { BlockPeak } from './block-peaks.ts'
import { type Estimate, type EstimatorScope, findNeed } from './find-need.ts'
import { type SizeState, settleSize, sizeFloorMiB } from './hysteresis.ts'
import type { EstimatorInput } from './input.ts'
import { allPeaksOf } from './past-decisions.ts'
import type { StepUp } from './step-up.ts'

/**
 * What is kept of one container between looks, as plain JSON: 7 checks and 4 step-ups at most, which is under 1 KiB beside
 * the names of the step-ups' images.
 */
export interface EstimatorState {
  readonly size: SizeState
  readonly stepUps: readonly StepUp[]
  /** End of the last block that was checked, ms since the epoch; undefined before the first one. */
  readonly checkedMs: number | undefined
}

/** State of a container that was never looked at: a whole GPU. */
export const emptyState: EstimatorState = {
  size: { heldMiB: undefined, changedMs: undefined, checks: [] },
  stepUps: [],
  checkedMs: undefined
}

/**
 * What the container needs, and the state to keep. Checks that were missed (a controller that was down, a first look at
 * weeks of history) are made up, one for each block that is over and has samples. Only such a check shrinks, and the
 * lookback ends with the last sample: a source that falls silent shrinks nothing. Total: no input makes it throw.
 */
export function estimate(
  input: EstimatorInput,
  state: EstimatorState,
  scope: EstimatorScope
): { readonly estimate: Estimate; readonly state: EstimatorState } {
  const peaks = allPeaksOf(input, scope)
  const image = input.current.key.image
  let { size } = state
  for (const dayMs of blocksToCheck(peaks, state, scope)) {
    const atMs = dayMs + scope.settings.blockMs
    const before = peaks.filter((peak) => peak.dayMs < atMs)
    const then = before.findLast((peak) => peak.dayMs === dayMs)?.image ?? image
    const { look } = findNeed(before, state.stepUps, { ...scope, nowMs: atMs, image: then })
    size = settleSize(size, { ...look, nowMs: atMs, dayMs }, scope)
  }
  const found = findNeed(peaks, state.stepUps, { ...scope, image })
  size = settleSize(size, { ...found.look, nowMs: scope.nowMs, dayMs: undefined }, scope)
  return {
    estimate: { ...found.estimate, sizeFloorMiB: sizeFloorMiB(size, scope.sizes) },
    state: { size, stepUps: state.stepUps, checkedMs: lastBlockEndMs(peaks, scope) ?? state.checkedMs }
  }
}

/** Blocks with samples that are over and not yet checked, oldest first. */
function blocksToCheck(
  peaks: readonly BlockPeak[],
  { checkedMs = Number.NEGATIVE_INFINITY }: EstimatorState,
  { nowMs, settings: { blockMs } }: EstimatorScope
): readonly number[] {
  return [...new Set(peaks.map(({ dayMs }) => dayMs))].filter(
    (dayMs) => dayMs + blockMs > checkedMs && dayMs + blockMs <= nowMs
  )
}

function lastBlockEndMs(
  peaks: readonly BlockPeak[],
  { nowMs, settings: { blockMs } }: EstimatorScope
): number | undefined {
  const last = peaks.findLast(({ dayMs }) => dayMs + blockMs <= nowMs)
  return last === undefined ? undefined : last.dayMs + blockMs
}
