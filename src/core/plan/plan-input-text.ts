import { AppError } from '../errors.ts'
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
 * One text for all inputs of a plan: another one as soon as any value differs, and the same in whatever order fields come, and
 * lists of the state, of the target and of spares, which are sets in which things may be more than once. Lists in settings keep
 * their order. A field that is undefined is no field.
 * @throws AppError PLAN_INVALID where a number is not finite
 */
export function planInputText({ state, target, spares, settings }: PlanInputs): string {
  return objectOf([
    ['settings', textOf(settings, asTheyAre)],
    ['spares', textOf(spares, inOrder)],
    ['state', textOf(state, inOrder)],
    ['target', textOf(target, inOrder)]
  ])
}

type Arrange = (texts: readonly string[]) => readonly string[]

const inOrder: Arrange = (texts) => texts.toSorted()
const asTheyAre: Arrange = (texts) => texts

function textOf(value: unknown, arrange: Arrange): string {
  if (Array.isArray(value)) return `[${arrange(value.map((item) => textOf(item, arrange))).join(',')}]`
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new AppError('PLAN_INVALID', `a plan cannot be made with the number ${value}`)
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return objectOf(fields.map(([key, field]) => [key, textOf(field, arrange)]))
}

/** An object from its names and the texts of its values, by name. */
function objectOf(fields: readonly (readonly [key: string, text: string])[]): string {
  const texts = fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`)
  return `{${texts.toSorted().join(',')}}`
}
