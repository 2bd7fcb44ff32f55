import { policiesOf } from '../policy/select-policy.ts'
import { judgeIsolation, ownLevelOf } from '../rules/verdict.ts'
import type { RunningPodInput } from './running-pod-input.ts'
import { isUnreviewed } from './unreviewed.ts'
import { byRule, type ExemptRule, exemptRulesOf, type Violation, violationsOf } from './violation.ts'

/** What is wrong with a pod that runs. */
export interface PodAudit {
  /** The policy whose levels count; undefined where none selects the namespace. */
  readonly policy: string | undefined
  /** In the order of the table of rules. */
  readonly violations: readonly Violation[]
  /** Rules that an exemption lifts for it, each once, with the name of the exemption. */
  readonly exempt: readonly ExemptRule[]
  /** Whether it provably came without a review. */
  readonly isUnreviewed: boolean
}

/**
 * Judges a pod that runs as if it came now; undefined where pods are not looked at. Pure and total. The object itself is
 * judged: marks of a review prove nothing, because a pod that nobody reviewed can bring them along. Doubts are left out: only
 * rules that refuse by themselves count.
 */
export function auditRunningPod(input: RunningPodInput): PodAudit | undefined {
  const verdict = judgeIsolation({ ...input, operation: '', subResource: '', isRunning: true })
  if (verdict.kind === 'outside') return undefined
  const [policy] = policiesOf(input.policies, input.namespace)
  const held = verdict.warned.filter(({ rule }) => ownLevelOf(rule, policy) === 'enforce')
  const violations = [...violationsOf(verdict.refused, 'enforce'), ...violationsOf(held, 'warn')]
  return {
    policy: verdict.policy,
    violations: violations.toSorted(byRule),
    exempt: exemptRulesOf(verdict.exempt),
    isUnreviewed: isUnreviewed(input)
  }
}
