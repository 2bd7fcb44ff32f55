import type { NodeView } from '../cluster/node-view.ts'
import { toleratesTaint } from '../cluster/reach.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { hasWholeGpus } from '../sharing/whole-gpus.ts'
import { assignWithin } from './assign-within.ts'
import type { DecisionInput, Finding } from './decision.ts'
import { type Choice, considered } from './fit.ts'
import { labelOf } from './marks.ts'
import { type Need, needOf } from './need.ts'
import { evidenceOf } from './outcome.ts'
import { type Placing, place } from './place.ts'
import { canaryRefusal, fallbackRefusal } from './trial.ts'
import type { GpuContainer } from './whom.ts'
import { whyNoneFits } from './why-none.ts'
import type { Wishes } from './wishes.ts'

/** A pod that a policy governs, as far as its size matters. */
export interface SizingScope {
  readonly input: DecisionInput
  readonly containers: readonly GpuContainer[]
  readonly reachable: readonly NodeClass[]
  readonly policy: EffectivePolicy
  /** Share that the pod carries as our earlier answer. */
  readonly held: string | undefined
}

/** What each container needs, or why its history, or what became of pods before it, is against a share. */
export function needsOf(
  { input, containers, policy }: SizingScope,
  wishes: Wishes
): readonly Need[] | Refusal {
  const fallback = fallbackRefusal(input)
  if (fallback !== undefined) return fallback
  const needs: Need[] = []
  for (const { container } of containers) {
    const need = needOf(container, { usage: input.usage, policy, wishes })
    if (need.kind === 'refusal') return need
    needs.push(need)
  }
  return needs
}

/** What is known when shares are chosen. */
interface Sized {
  readonly needs: readonly Need[]
  readonly choice: Choice
  /** The choice, narrowed by the bounds of the namespace. */
  readonly within: Choice
  readonly findings: readonly Finding[]
}

/** The shares that the pod gets now, or why it gets none. */
export function placeNow(
  { input, policy, reachable, held }: SizingScope,
  { needs, choice, within, findings }: Sized
): Extract<Placing, { kind: 'placed' }> | ({ readonly kind: 'refusal' } & Refusal) {
  const placing = place({
    demands: needs,
    permitted: within.permitted,
    policy,
    capacity: input.capacity,
    hasWhole: reachable.some(({ nodes: [node] }) => hasWholeGpus(node) && toleratesAll(input.pod, node)),
    siblings: input.siblings ?? [],
    held,
    snapshot: evidenceOf(input, policy, findings).snapshot
  })
  if (placing.kind === 'none-fits') return { ...whyNone(needs, choice, within), kind: 'refusal' }
  if (placing.kind === 'taken') return { ...placing, kind: 'refusal' }
  const onTrial =
    held === undefined
      ? canaryRefusal(input, policy, labelOf(placing.assignments.map(({ candidate }) => candidate.share)))
      : undefined
  return onTrial === undefined ? placing : { ...onTrial, kind: 'refusal' }
}

/** A bound of the namespace stands in the way of shares that fit, or none fits at all. */
function whyNone(needs: readonly Need[], choice: Choice, within: Choice): Refusal {
  const bound = assignWithin(needs, choice.permitted, within)
  return bound?.kind === 'refusal' ? bound : whyNoneFits(needs, choice)
}

/** A share may come with tolerations; a pod that keeps its request has its own alone. */
function toleratesAll({ tolerations }: DecisionInput['pod'], { taints }: NodeView): boolean {
  return taints.every((taint) => toleratesTaint(tolerations, taint))
}

/** What was found for one container, with everything that it was compared with. */
export function findingOf(
  need: Need,
  { choice, within, capacity }: Pick<Sized, 'choice' | 'within'> & Pick<DecisionInput, 'capacity'>
): Finding {
  const overLimit = within.refused.map(({ candidate }) => candidate)
  return {
    container: need.container.name,
    peakMiB: need.usage.peakMiB,
    neededMiB: need.neededMiB,
    headroomRatio: need.headroomRatio,
    coverageSeconds: need.usage.coverageSeconds,
    neededCompute: need.neededCompute,
    considered: considered(choice.permitted, need, { overLimit, capacity })
  }
}
