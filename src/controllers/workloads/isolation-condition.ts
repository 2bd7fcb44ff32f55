import type { Violation } from '../../core/audit/violation.ts'
import type { Claim } from '../conditions.ts'

/** What is known of the isolation of a workload's pods that run. */
export type IsolationState =
  /** They were not looked at yet, or could not be. */
  | { readonly kind: 'unknown' }
  /** Nothing is enforced in the namespace. */
  | { readonly kind: 'outside' }
  /** Each rule that they break, once. */
  | { readonly kind: 'judged'; readonly violations: readonly Violation[] }

/** Whether pods that run break isolation; where nobody could look, what was said stays. */
export function isolationClaims(
  state: IsolationState,
  { hasPods, said }: { readonly hasPods: boolean; readonly said: readonly Claim[] }
): readonly Claim[] {
  const type = 'Isolated'
  if (state.kind === 'unknown') return said
  if (state.kind === 'outside') return []
  const [first] = state.violations
  if (first !== undefined) {
    const message = state.violations.map(({ rule, sentence }) => `${rule}: ${sentence}`).join('; ')
    return [{ type, status: 'False', reason: first.rule, message }]
  }
  if (hasPods) {
    return [
      { type, status: 'True', reason: 'NoViolations', message: 'its pods that run break no isolation rule' }
    ]
  }
  return said.length === 0
    ? []
    : [{ type, status: 'Unknown', reason: 'NoPods', message: 'no pod of it runs now' }]
}
