import { alignedTable } from '../../src/cli/table.ts'
import { isMet } from '../bench/report.ts'
import { figuresOf, type StepPlan, type StepResult } from './run-step.ts'

const head = [
  'step',
  's',
  'sent',
  'refused',
  'timed out',
  'not rewritten',
  'p50 ms',
  'p99 ms',
  'longest ms',
  'rewrite calls',
  'isolation calls',
  'goals'
] as const

/** One line a step; `refused` counts what the policy did not refuse. The last column names the goals that were missed. */
export function summaryOf(results: readonly StepResult[], plan: StepPlan): string {
  const rows = results.map((result) => rowOf(result, plan))
  return alignedTable(head, rows).join('\n')
}

function rowOf(result: StepResult, plan: StepPlan): readonly string[] {
  const { name, seconds, tally, calls } = result
  const refused = tally.refusedByRewriting + tally.refusedByIsolation + tally.refusedByOthers
  const missed = figuresOf(result, plan).filter((figure) => isMet(figure) === false)
  return [
    name,
    ...[seconds, tally.sent, refused, tally.timedOut, tally.notRewritten].map((value) => value.toFixed(0)),
    tally.p50Ms.toFixed(1),
    ...[tally.p99Ms, tally.longestMs, calls.rewriting, calls.isolation].map((value) => value.toFixed(0)),
    missed.length === 0 ? 'met' : `missed: ${missed.map((figure) => figure.name).join(', ')}`
  ]
}
