import type { PlanDiff } from './diff-plans.ts'
import type { PlanTotals } from './plan.ts'
import { tellInstances, tellSeat } from './seat.ts'
import { tellAction } from './tell-action.ts'

const totalNames: readonly (readonly [keyof PlanTotals, string])[] = [
  ['steps', 'steps'],
  ['podsMoved', 'pods moved'],
  ['podStops', 'pods stopped'],
  ['podsWaiting', 'pods waiting'],
  ['costReplicaSeconds', 'replica-seconds'],
  ['gpusFreed', 'GPUs freed'],
  ['nodesFreed', 'nodes freed']
]

/** What differs from one plan to another, a line each; none where nothing does. */
export function tellDiff(diff: PlanDiff): readonly string[] {
  return [
    ...(diff.inputsDiffer ? ['the plans were made for different inputs'] : []),
    ...tellTotals(diff.totals),
    ...diff.added.map((step) => `+ ${tellAction(step)}`),
    ...diff.removed.map((step) => `- ${tellAction(step)}`),
    ...diff.destinations.map(
      ({ pod, before, after }) => `~ ${pod} ends in ${tellSeat(after)}, not ${tellSeat(before)}`
    ),
    ...diff.layouts.map(
      ({ node, card, before, after }) =>
        `~ ${node}/${card} ends as ${tellInstances(after)}, not ${tellInstances(before)}`
    ),
    ...diff.reordered.map((step) => `> at another time: ${tellAction(step)}`)
  ]
}

function tellTotals({ before, after }: PlanDiff['totals']): readonly string[] {
  return totalNames
    .filter(([key]) => before[key] !== after[key])
    .map(([key, name]) => `${name}: ${before[key]} before, ${after[key]} after`)
}
