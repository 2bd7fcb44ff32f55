import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { firstDefeat } from '../rules/defeats.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import type { DecisionInput } from './decision.ts'
import { type Choice, permittedCandidates } from './fit.ts'
import { isApart, narrowByPod, narrowBySharing, onlyApart } from './narrow.ts'
import type { GpuContainer } from './whom.ts'
import type { Wishes } from './wishes.ts'

/** Whom a choice is for. */
export interface ChoiceScope {
  readonly input: DecisionInput
  readonly containers: readonly GpuContainer[]
  readonly policy: EffectivePolicy
  readonly reachable: readonly NodeClass[]
}

/** What the pod may be given; looked up only once its history has turned out to be evidence. */
export function choiceFor({ input, containers, policy, reachable }: ChoiceScope, wishes: Wishes): Choice {
  const context = { policy, namespace: input.namespace, hostIpc: input.pod.hostIpc }
  const permitted = permittedCandidates(context, input.nodes, reachable)
  const suitable = narrowByPod(permitted, input, containers)
  return narrowByIsolation(narrowBySharing(suitable, wishes), input)
}

/** A pod that steps around its share must not look as if it were bound by one. */
export function refuseByIsolation(input: DecisionInput, asShared: boolean): Refusal | undefined {
  const defeat = firstDefeat(input, input.readDefeats(), asShared)
  return defeat === undefined ? undefined : { reason: 'BreaksIsolation', sentence: defeat.sentence }
}

/** A pod that could reach its neighbours on a shared GPU gets only what is kept apart in hardware. */
function narrowByIsolation(choice: Choice, input: DecisionInput): Choice {
  if (choice.permitted.every(isApart)) return choice
  const refusal = refuseByIsolation(input, true)
  return refusal === undefined ? choice : onlyApart(choice, refusal)
}
