import { decide } from '../../src/core/decision/decide.ts'
import type { Decision, DecisionInput } from '../../src/core/decision/decision.ts'
import { applyStrictly } from '../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../src/core/patch/operation.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { anInput } from '../build/input.ts'
import { someLimits } from '../build/quota.ts'
import { readPolicies, type Scenario } from './arbitraries.ts'

/** What became of a pod. */
export interface Admitted {
  readonly input: DecisionInput
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  /** The pod after the patch. */
  readonly pod: unknown
}

/** Decides, patches and applies, as the webhook does; another pod takes the place of the scenario's. */
export function admit(scenario: Scenario, pod: unknown = scenario.pod): Admitted {
  const { nodes, policies, usage, namespaceLabels } = scenario
  const limits = someLimits(scenario.bounds)
  const input = anInput({ pod, nodes, policies: readPolicies(policies), usage, namespaceLabels, limits })
  const decision = decide(input)
  const patch = toJsonPatch(pod, decision)
  return { input, decision, patch, pod: applyStrictly(pod, patch) }
}
