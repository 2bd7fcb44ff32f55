import type { Figure } from '../bench/report.ts'
import type { Stage } from './stage.ts'
import type { CallCounter } from './webhook-calls.ts'

/** What a step works with. */
export interface StepSite {
  readonly stage: Stage
  readonly calls: CallCounter
  /** How long the load lasts at least. */
  readonly seconds: number
}

/** What a step says of itself when its mischief is over. */
export interface StepSaid {
  /** Figures of its own; those with goals prove that the mischief took place. */
  readonly figures: readonly Figure[]
  /** Calls that may have failed, where a replica died with them; default 0. */
  readonly allowedFailures?: number
}

/** One kind of mischief. */
export interface Step {
  readonly name: string
  /** What is done, in one line. */
  readonly about: string
  /** Does it while pods are being created. */
  readonly act: (site: StepSite) => Promise<StepSaid>
}

/** A figure with a goal. */
export function atLeast(name: string, value: number, goal: number, unit = ''): Figure {
  return { name, value, unit, comparison: '>=', goal }
}

/** A figure with a goal. */
export function atMost(name: string, value: number, goal: number, unit = ''): Figure {
  return { name, value, unit, comparison: '<=', goal }
}
