import { isRecord } from '../json.ts'
import type { PlanState } from './plan-state.ts'
import type { Target } from './target.ts'

/** Everything that a plan depends on. */
export interface PlanInputs {
  readonly state: PlanState
  readonly target: Target
  /** Ids of cards that are kept for cycles. */
  readonly spares: readonly string[]
  /** What else the target was chosen by: values of JSON. */
  readonly settings: Readonly<Record<string, unknown>>
}

/**
 * One text for all inputs of a plan: the same in whatever order lists and fields come, another one as soon as any value
 * differs. A list is taken as a set in which things may be more than once; a field that is undefined is no field.
 */
export function planInputText({ state, target, spares, settings }: PlanInputs): string {
  return textOf({ state, target, spares, settings })
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).toSorted(compareTexts).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const texts = fields.map(([key, field]) => `${JSON.stringify(key)}:${textOf(field)}`)
  return `{${texts.toSorted(compareTexts).join(',')}}`
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
