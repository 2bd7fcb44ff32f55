import { compareText } from '../compare-text.ts'
import type { BudgetNeed } from './budget-terms.ts'
import type { PlanStep, WhyParked } from './plan-step.ts'

/** What a person should know before a plan is carried out. */
export type PlanNotice = StopNotice | BudgetNotice

/** Pods that wait or move twice. */
interface StopNotice {
  /** Why pods wait, or that they go to a spare card for a while. */
  readonly kind: Exclude<WhyParked, 'undo'> | 'spare'
  readonly node: string
  /** Pods that are stopped for it. */
  readonly pods: number
  /** What their restarts cost, waiting not counted, in seconds of a replica. */
  readonly replicaSeconds: number
  readonly sentence: string
}

/** A budget that does not allow what has to be done: until it does, the plan stops before the step that needs it. */
interface BudgetNotice {
  readonly kind: 'budget'
  /** Of the first step by which more pods are down than allowed. */
  readonly node: string
  readonly budget: string
  /** Pods of the budget that are down at one time, and how many may be. */
  readonly pods: number
  readonly allowed: number
  readonly sentence: string
}

/** What happens to one pod, and to several. */
const sentences: Readonly<Record<StopNotice['kind'], readonly [string, string]>> = {
  'lay-out': [
    'waits without a GPU while cards are laid out anew in which it starts again',
    'wait without a GPU while cards are laid out anew in which they start again'
  ],
  'no-spare': [
    'waits without a GPU until its place is there, because cards wait for one another and no spare card is kept',
    'wait without a GPU until their places are there, because cards wait for one another and no spare card is kept'
  ],
  'no-spare-holds-it': [
    'waits without a GPU until its place is there, because cards wait for one another and no spare card holds it',
    'wait without a GPU until their places are there, because cards wait for one another and no spare card holds them'
  ],
  spare: [
    'goes to a spare card and moves twice, because cards wait for one another',
    'go to a spare card and move twice, because cards wait for one another'
  ]
}

/** Budgets that do not allow the plan, then how many pods of which node wait, and why, and how many move twice; by node, then by kind. */
export function noticesOf(steps: readonly PlanStep[], needs: readonly BudgetNeed[]): readonly PlanNotice[] {
  return [...needs.filter(({ needed, allowed }) => needed > allowed).map(budgetNotice), ...stopNotices(steps)]
}

function budgetNotice({ node, budget, needed, allowed }: BudgetNeed): BudgetNotice {
  const pods = needed === 1 ? '1 pod' : `${needed} pods`
  return {
    kind: 'budget',
    node,
    budget,
    pods: needed,
    allowed,
    sentence: `${pods} of ${budget} ${needed === 1 ? 'has' : 'have'} to be down at one time, and ${allowed} may be: the plan stops before that until the budget allows it`
  }
}

function stopNotices(steps: readonly PlanStep[]): readonly StopNotice[] {
  const stops = steps.flatMap((step) => {
    const kind = kindOf(step)
    return kind === undefined ? [] : [{ kind, node: step.node, step }]
  })
  const groups = Map.groupBy(stops, ({ kind, node }) => `${node} ${kind}`)
  return [...groups].toSorted(([a], [b]) => compareText(a, b)).flatMap(([, group]) => noticeOf(group))
}

function kindOf(step: PlanStep): StopNotice['kind'] | undefined {
  if (step.kind === 'park' && step.why !== 'undo') return step.why
  return step.kind === 'move' && step.purpose === 'to-spare' ? 'spare' : undefined
}

type Stop = Pick<StopNotice, 'kind' | 'node'> & { readonly step: PlanStep }

function noticeOf(group: readonly Stop[]): readonly StopNotice[] {
  const pods = group.length
  const replicaSeconds = group.reduce((sum, { step }) => sum + step.cost.replicaSeconds, 0)
  return group.slice(0, 1).map(({ kind, node }) => {
    const [one, several] = sentences[kind]
    const sentence = pods === 1 ? `1 pod of ${node} ${one}` : `${pods} pods of ${node} ${several}`
    return { kind, node, pods, replicaSeconds, sentence }
  })
}
