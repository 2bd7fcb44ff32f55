import type { Outcome } from './replay.ts'
import { WHOLE_SLOTS } from './shares.ts'

/** What a rule did on the trace. */
export interface TraceResult {
  /** Share of (pod, hour) decisions whose later peak passed the estimate. */
  readonly passedRatio: number
  /** The same at the worst hour. */
  readonly worstHourRatio: number
  /** Share of decisions whose later peak passed the usable memory of the size in force. */
  readonly overSliceRatio: number
  /** Memory slots over those of whole cards. */
  readonly shareRatio: number
  /** Changes of size, per pod and day. */
  readonly changesPerPodDay: number
}

/** Sums up the outcomes of one rule on one card. */
export function summarize(outcomes: readonly Outcome[]): TraceResult {
  const passed = (some: readonly Outcome[]): number =>
    some.filter(({ laterMiB, estimateMiB }) => laterMiB > estimateMiB).length / some.length
  const byHour = [...Map.groupBy(outcomes, ({ hour }) => hour).values()]
  const over = outcomes.filter(({ laterMiB, size }) => laterMiB > size.usableMiB)
  const slots = outcomes.reduce((sum, { size }) => sum + size.memorySlots, 0)
  return {
    passedRatio: passed(outcomes),
    worstHourRatio: Math.max(...byHour.map(passed)),
    overSliceRatio: over.length / outcomes.length,
    shareRatio: slots / (WHOLE_SLOTS * outcomes.length),
    changesPerPodDay: changesOf(outcomes)
  }
}

function changesOf(outcomes: readonly Outcome[]): number {
  let changes = 0
  let hours = 0
  for (const same of Map.groupBy(outcomes, ({ pod }) => pod).values()) {
    hours += same.length - 1
    changes += same.filter(({ size }, index) => index > 0 && size !== same[index - 1]?.size).length
  }
  return hours === 0 ? 0 : (changes / hours) * 24
}
