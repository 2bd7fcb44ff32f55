/** What an estimate aims at; every number has a default in `defaultSettings`. */
export interface EstimatorSettings {
  /** Length of one block of history, ms. A day; a benchmark over one day takes an hour. */
  readonly blockMs: number
  /** Blocks older than this count no more: 28 days back, a peak of day 1 is forgotten on day 29. */
  readonly lookbackBlocks: number
  /** Blocks of one season. Nothing shrinks before a whole one was seen: 1 for a daily rhythm, 7 for a weekly one. */
  readonly seasonBlocks: number
  /** Margin of the policy; a learnt factor may be larger, never smaller: 0.2 makes 10,000 MiB at least 12,000. */
  readonly headroomRatio: number
  /** Share of decisions whose later peak may pass the estimate within the horizon: 0.05 is one in twenty. */
  readonly riskRatio: number
  /** How far ahead a decision is judged, in blocks: 7 asks whether the next week stays below the estimate. */
  readonly horizonBlocks: number
  /** Checks in a row, one a block, at which a smaller size must have held: 7 means a week. */
  readonly checksToShrink: number
  /** Blocks without any change of size before the next shrink, and how long a step up is held. */
  readonly holdBlocks: number
  /** Memory of the CUDA context when the source counts allocations alone, MiB; 0 where it counts the device. */
  readonly contextMiB: number
}

/** The settings of a policy that says nothing. */
export const defaultSettings: EstimatorSettings = {
  blockMs: 86_400_000,
  lookbackBlocks: 28,
  seasonBlocks: 1,
  headroomRatio: 0.2,
  riskRatio: 0.05,
  horizonBlocks: 7,
  checksToShrink: 7,
  holdBlocks: 7,
  contextMiB: 0
}
