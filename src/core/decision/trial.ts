import { printDuration } from '../policy/duration.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { printUtc } from '../policy/utc-time.ts'
import type { Refusal } from '../sharing/method.ts'
import type { CanaryState } from '../usage/usage.ts'
import type { DecisionInput } from './decision.ts'

/** Why the workload keeps whole GPUs for now: its pods waited for a share in vain. undefined when nothing keeps it. */
export function fallbackRefusal({ usage, nowMs }: DecisionInput): Refusal | undefined {
  const fallback = usage?.fallback
  if (fallback === undefined || fallback.untilMs <= nowMs) return undefined
  const until = printUtc(fallback.untilMs)
  return {
    reason: 'FellBackToWholeGpu',
    sentence: `pods of this workload waited for ${fallback.share} for too long: whole GPUs until ${until}`
  }
}

/** Why a pod may not have the share yet where some pods try it first; undefined when it may. */
export function canaryRefusal(
  input: DecisionInput,
  { canary }: Pick<EffectivePolicy, 'canary'>,
  share: string
): Refusal | undefined {
  if (canary === undefined) return undefined
  const known = knownOf(input, share)
  if (known?.state === 'passed') return undefined
  if (known?.state === 'failed' && isAhead(known.untilMs, input.nowMs)) return failedRefusal(known)
  const tried = triedBy(input)
  if (tried < canary.pods) return undefined
  return {
    reason: 'CanaryPending',
    sentence: `${tried} of ${canary.pods} pods try ${share} first, for ${printDuration(canary.healthyForSeconds)}`
  }
}

/** What is known of this share; of another one nothing counts. */
function knownOf({ usage }: DecisionInput, share: string): CanaryState | undefined {
  return usage?.canary?.share === share ? usage.canary : undefined
}

/** Pods of this template that have a share, or were given one and are still to be seen. */
function triedBy({ siblings = [], unseen = 0 }: DecisionInput): number {
  return siblings.reduce((sum, { pods }) => sum + pods, unseen)
}

function isAhead(untilMs: number | undefined, nowMs: number): boolean {
  return untilMs !== undefined && untilMs > nowMs
}

function failedRefusal({ share, untilMs = 0, message }: CanaryState): Refusal {
  const why = message === undefined ? '' : `: ${message}`
  return { reason: 'CanaryFailed', sentence: `${share} is not given until ${printUtc(untilMs)}${why}` }
}
