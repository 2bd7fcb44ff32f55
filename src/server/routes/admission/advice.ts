import { webhookNames } from '../../../core/api/names.ts'
import { decide } from '../../../core/decision/decide.ts'
import { warningsOf } from '../../../core/decision/tell.ts'
import { fieldOf, stringMapOf, stringOf } from '../../../core/json.ts'
import type { TemplatedPod } from '../../../core/pod/pod-template.ts'
import { templatedPodsOf } from '../../../core/pod/workload-templates.ts'
import { isSystemNamespace } from '../../../core/policy/enforcement.ts'
import { namespaceAdvice } from '../../../core/rules/namespace-advice.ts'
import { breachWarnings } from '../../../core/rules/tell.ts'
import { judgeIsolation } from '../../../core/rules/verdict.ts'
import { gatherDecisionInput } from '../../../gather/decision-input.ts'
import { gatherIsolationInput } from '../../../gather/isolation-input.ts'
import type { ReviewRequest } from '../../review.ts'
import { codesOf, judgePod } from './isolation.ts'
import { type Judged, type JudgingParts, judgingHandler } from './judging.ts'

/** Path that the webhook configuration names. */
export const ADVICE_PATH = '/advice'

/**
 * Answers reviews of pods, of workloads that make pods, and of namespaces with warnings alone: it lets everything in.
 * Reads memory only.
 */
export function adviceHandler(parts: JudgingParts): ReturnType<typeof judgingHandler> {
  return judgingHandler(webhookNames.advice, parts, advise)
}

function advise(request: ReviewRequest, parts: JudgingParts): Judged {
  const { group, resource } = request.resource ?? { group: '', resource: 'pods' }
  if (group === '' && resource === 'pods') return { ...judgePod(request, parts, 'warn'), refusal: undefined }
  if (group === '' && resource === 'namespaces') return adviseNamespace(request, parts)
  return adviseWorkload(request, parts)
}

/** Nothing to say; `subject` for the log. */
function silent(subject: string): Judged {
  return { refusal: undefined, warnings: [], refused: [], warned: [], exempt: [], subject }
}

function adviseNamespace({ object, oldObject }: ReviewRequest, { state, settings }: JudgingParts): Judged {
  const metadata = fieldOf(object, 'metadata')
  const name = stringOf(metadata, 'name') ?? ''
  const warnings = namespaceAdvice({
    name,
    before: stringMapOf(fieldOf(oldObject, 'metadata'), 'labels'),
    after: stringMapOf(metadata, 'labels'),
    isSystem: isSystemNamespace(name, settings.systemNamespaces),
    workloadCount: state.workloadCount(name)
  })
  return { ...silent(name), warnings }
}

/** What pods of the workload will get, and which rules they would break, without saying the same thing twice. */
function adviseWorkload(request: ReviewRequest, parts: JudgingParts): Judged {
  const { namespace, object } = request
  const pods = templatedPodsOf(object)
  const subject = `${namespace}/${stringOf(fieldOf(object, 'metadata'), 'name') ?? ''}`
  const judged = pods.map((pod) => adviseTemplate(pod, namespace, parts))
  return {
    ...silent(subject),
    warnings: [...new Set(judged.flatMap(({ warnings }) => warnings))],
    warned: [...new Set(judged.flatMap(({ warned }) => warned))]
  }
}

function adviseTemplate(
  { pod: object, ownerMark }: TemplatedPod,
  namespace: string,
  { state, settings, nowMs = Date.now }: JudgingParts
): Pick<Judged, 'warnings' | 'warned'> {
  const now = nowMs()
  const about = { operation: 'CREATE', subResource: '', namespace, object, nowMs: now, isTemplate: true }
  const arrival = ownerMark === undefined ? about : { ...about, ownerMark }
  const decision = decide(gatherDecisionInput(arrival, state, settings))
  const verdict = judgeIsolation(gatherIsolationInput(arrival, state, settings))
  const told = warningsOf(decision, 'template')
  if (verdict.kind === 'outside') return { warnings: told, warned: [] }
  const breaches = breachWarnings(verdict, 'would')
  return { warnings: [...breaches, ...told], warned: codesOf([...verdict.refused, ...verdict.warned]) }
}
