import type { PlanStep, WhyParked } from './plan-step.ts'

/** What a person should know before a plan is carried out. */
export interface PlanNotice {
  /** Why pods wait, or that they go to a spare card for a while. */
  readonly kind: Exclude<WhyParked, 'undo'> | 'spare'
  readonly node: string
  /** Pods that are stopped for it. */
  readonly pods: number
  /** What their restarts cost, waiting not counted, in seconds of a replica. */
  readonly replicaSeconds: number
  readonly sentence: string
}

/** What happens to one pod, and to several. */
const sentences: Readonly<Record<PlanNotice['kind'], readonly [string, string]>> = {
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

/** How many pods of which node wait, and why, and how many move twice; by node, then by kind. */
export function noticesOf(steps: readonly PlanStep[]): readonly PlanNotice[] {
  const stops = steps.flatMap((step) => {
    const kind = kindOf(step)
    return kind === undefined ? [] : [{ kind, node: step.node, step }]
  })
  const groups = Map.groupBy(stops, ({ kind, node }) => `${node} ${kind}`)
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, group]) => noticeOf(group))
}

function kindOf(step: PlanStep): PlanNotice['kind'] | undefined {
  if (step.kind === 'park' && step.why !== 'undo') return step.why
  return step.kind === 'move' && step.purpose === 'to-spare' ? 'spare' : undefined
}

type Stop = Pick<PlanNotice, 'kind' | 'node'> & { readonly step: PlanStep }

function noticeOf(group: readonly Stop[]): readonly PlanNotice[] {
  const pods = group.length
  const replicaSeconds = group.reduce((sum, { step }) => sum + step.cost.replicaSeconds, 0)
  return group.slice(0, 1).map(({ kind, node }) => {
    const [one, several] = sentences[kind]
    const sentence = pods === 1 ? `1 pod of ${node} ${one}` : `${pods} pods of ${node} ${several}`
    return { kind, node, pods, replicaSeconds, sentence }
  })
}
