import { brokenLimits, wholeValues } from '../../pack/integer-program.ts'
import type { PlanPod, PlanState } from '../plan-state.ts'
import type { Target } from '../target.ts'
import { Cleared } from './cleared.ts'
import type { Counted } from './counted.ts'
import { filledSeats, keptSeats } from './open-seats.ts'
import { type DrainProgram, mostGain } from './program.ts'
import { seatPods } from './seat-pods.ts'
import type { StateClasses } from './state-classes.ts'
import { targetOf } from './target-of.ts'

/** An answer to the program of a state, with cards and pods by name, or what is wrong with it. */
export type ReadTarget =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'wrong-answer'; readonly broken: readonly string[] }
  /** All nodes of a pool together have the CPU and memory, but no way was found to give each pod one; this pod was left. */
  | { readonly kind: 'no-host'; readonly pod: string; readonly pool: string }

/** What an answer is read with. */
export interface ReadContext {
  readonly state: PlanState
  readonly classes: StateClasses
  readonly program: DrainProgram
}

/** Names cards and pods for the counts of an answer, which is checked against every condition first. */
export function readTarget(context: ReadContext, answer: readonly number[]): ReadTarget {
  const { state, classes } = context
  const counted = countsOf(context.program, answer)
  if ('kind' in counted) return counted
  const cleared = new Cleared(counted)
  const leaving = cleared.leaving(state)
  const seated = seatPods(state, {
    arrivals: arrivalsOf(counted, new Set(leaving.keys())),
    seats: [...keptSeats(counted, cleared), ...filledSeats(classes, counted, cleared)],
    leaving
  })
  if (seated.kind === 'no-host') return seated
  return { kind: 'target', target: targetOf(state, { leaving, taken: seated.seats }) }
}

function countsOf(
  program: DrainProgram,
  answer: readonly number[]
): Counted | Extract<ReadTarget, { readonly kind: 'wrong-answer' }> {
  const asked = mostGain(program)
  const values = wholeValues(asked, answer)
  const broken = values === undefined ? ['whole numbers'] : brokenLimits(asked, values)
  if (values === undefined || broken.length > 0) return { kind: 'wrong-answer', broken }
  return program.columns.flatMap((column, index) => {
    const count = values[index] ?? 0
    return count > 0 ? [{ column, count }] : []
  })
}

/** Pods that come to each pool: of those of a kind that leave, the next ones. */
function arrivalsOf(
  counted: Counted,
  leaving: ReadonlySet<string>
): readonly { readonly pool: string; readonly pod: PlanPod }[] {
  const used = new Map<string, number>()
  return counted.flatMap(({ column, count }) => {
    if (column.kind !== 'move') return []
    const { ask, pool } = column
    const from = used.get(ask.key) ?? 0
    used.set(ask.key, from + count)
    return ask.pods
      .filter(({ id }) => leaving.has(id))
      .slice(from, from + count)
      .map((pod) => ({ pool, pod }))
  })
}
