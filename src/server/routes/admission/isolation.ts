import { namespaceLabels, webhookNames } from '../../../core/api/names.ts'
import type { RuleCode } from '../../../core/api/rules.ts'
import type { Level } from '../../../core/policy/effective-policy.ts'
import type { Breach } from '../../../core/rules/rule.ts'
import { breachWarnings, refusalMessage } from '../../../core/rules/tell.ts'
import { judgeIsolation } from '../../../core/rules/verdict.ts'
import { gatherIsolationInput } from '../../../gather/isolation-input.ts'
import type { ReviewRequest } from '../../review.ts'
import { type Judged, type JudgingParts, judgingHandler } from './judging.ts'
import { subResourceOf } from './read-request.ts'

/** Path that the webhook configuration names. */
export const ISOLATION_PATH = '/isolation'

/** Answers reviews of pods and of their ephemeral containers by the isolation rules. Reads memory only. */
export function isolationHandler(parts: JudgingParts): ReturnType<typeof judgingHandler> {
  return judgingHandler(webhookNames.isolation, parts, (request) => judgePod(request, parts, 'enforce'))
}

/**
 * The verdict of the core on the pod of a request.
 * @param asked level on which the API server asks: it knows the label of the namespace, while memory may lag behind
 */
export function judgePod(
  request: ReviewRequest,
  { state, settings, nowMs = Date.now }: JudgingParts,
  asked: Level
): Judged {
  const { namespace, operation, object, oldObject } = request
  const subResource = subResourceOf(request)
  const input = gatherIsolationInput(
    { operation, subResource, namespace, object, oldObject, nowMs: nowMs() },
    state,
    settings
  )
  const subject = `${namespace}/${input.pod.name}`
  const labels = { ...input.namespace.labels, [namespaceLabels.rightsize]: asked }
  const verdict = judgeIsolation({ ...input, namespace: { name: namespace, labels } })
  if (verdict.kind === 'outside')
    return { refusal: undefined, warnings: [], refused: [], warned: [], exempt: [], subject }
  const { refused, warned, exempt, policy } = verdict
  return {
    refusal: refused.length === 0 ? undefined : refusalMessage(refused, policy),
    warnings: breachWarnings(verdict, 'is'),
    refused: codesOf(refused),
    warned: codesOf(warned),
    exempt: codesOf(exempt.map(({ breach }) => breach)),
    subject,
    policy
  }
}

/** The rules that were broken, each once, in the order of the chain. */
export function codesOf(breaches: readonly Breach[]): readonly RuleCode[] {
  return [...new Set(breaches.map(({ rule }) => rule))]
}
