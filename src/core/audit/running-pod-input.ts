import type { DecisionSettings } from '../decision/decision.ts'
import type { IsolationInput } from '../rules/verdict.ts'

/** Everything that is looked at of a pod that is in the cluster. */
export interface RunningPodInput extends Omit<IsolationInput, 'operation' | 'subResource' | 'settings'> {
  readonly settings: DecisionSettings
  readonly createdMs: number
  /** Since when the namespace has its label for certain; undefined where nobody can tell. */
  readonly optedInMs: number | undefined
  /** Since when a policy is as it is for certain; undefined where nobody can tell. */
  readonly policySinceMs: (policy: string) => number | undefined
}
