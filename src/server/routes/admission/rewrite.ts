import type { FastifyReply, FastifyRequest } from 'fastify'
import { sliceLabel, webhookNames } from '../../../core/api/names.ts'
import { decide } from '../../../core/decision/decide.ts'
import type { Decision, DecisionInput, DecisionSettings } from '../../../core/decision/decision.ts'
import { rewriteMarks } from '../../../core/decision/marks.ts'
import { quotaCountsAdded } from '../../../core/decision/quota-counts.ts'
import { takenBy } from '../../../core/decision/taken.ts'
import { auditAnnotationsOf, warningsOf } from '../../../core/decision/tell.ts'
import { applyStrictly } from '../../../core/patch/apply.ts'
import type { PatchOperation } from '../../../core/patch/operation.ts'
import { toJsonPatch } from '../../../core/patch/to-json-patch.ts'
import { replicaGroupOf } from '../../../core/pod/replica-group.ts'
import { noLimits } from '../../../core/quota/namespace-limits.ts'
import { showName } from '../../../core/rules/show.ts'
import { recordKey } from '../../../core/usage/read-gpu-workload.ts'
import type { ClusterState } from '../../../gather/cluster-state.ts'
import { gatherDecisionInput } from '../../../gather/decision-input.ts'
import type { Log } from '../../../ports/log.ts'
import type { ReviewMetrics } from '../../../ports/metrics.ts'
import type { ReviewTrace, ReviewTracer } from '../../../ports/review-tracer.ts'
import { allowReview, type MutationReview, type ReviewRequest, readEnvelope } from '../../review.ts'
import { answerFault, refuseBody } from './fault.ts'
import { readRequest, subResourceOf } from './read-request.ts'

/** Path that the webhook configuration names. */
export const REWRITE_PATH = '/rewrite'

/** What the rewrite webhook works with. */
export interface RewriteParts {
  readonly state: ClusterState
  readonly settings: DecisionSettings
  readonly log: Log
  readonly metrics: ReviewMetrics
  /** Default: nobody is told. */
  readonly tracer?: ReviewTracer
  /** Milliseconds since the epoch; default: the clock of the machine. */
  readonly nowMs?: () => number
  /** How a decision becomes a patch; default: the core's way. What comes out is tried before it is sent. */
  readonly toPatch?: typeof toJsonPatch
}

/** What came of one review. */
interface Reviewed {
  readonly request: ReviewRequest
  /** `ns/name`, or `ns/prefix*` for a pod that has no name yet. */
  readonly pod: string
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
}

/**
 * Answers reviews of pods: the decision of the core, carried out as a patch. A fault lets the pod in as it is; it is
 * counted and logged. Reads memory only.
 */
export function rewriteHandler(
  parts: RewriteParts
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const desk = { ...parts, webhook: webhookNames.rewrite }
  return ({ body, headers }, reply) => {
    const startMs = performance.now()
    const envelope = readEnvelope(body)
    if (envelope.kind === 'unreadable') return reply.code(400).send(refuseBody(desk, envelope.message))
    try {
      const reviewed = review(envelope.request, parts)
      record(parts, reviewed, { headers, durationMs: performance.now() - startMs })
      return reply.send(answer(reviewed))
    } catch (err) {
      return reply.send(
        answerFault(desk, envelope, { err, headers, durationMs: performance.now() - startMs })
      )
    }
  }
}

/** @throws AppError REVIEW_INVALID for a request of another shape, PATCH_INVALID for a patch that does not apply */
function review(
  raw: unknown,
  { state, settings, nowMs = Date.now, toPatch = toJsonPatch }: RewriteParts
): Reviewed {
  const request = readRequest(raw)
  const { namespace, operation, object } = request
  const input = gatherDecisionInput(
    { operation, subResource: subResourceOf(request), namespace, object, nowMs: nowMs() },
    state,
    settings
  )
  const decision = decide(input)
  const patch = toPatch(object, decision)
  if (patch.length > 0) applyStrictly(object, patch, decision.kind === 'rewrite' ? decision.methods : [])
  if (request.dryRun !== true) noteAnswer(input, decision, state)
  return { request, pod: `${namespace}/${input.pod.name}`, decision, patch }
}

/** The next pods are to know of this one before it is seen, and before a quota shows it; a pod that comes again was noted at first. */
function noteAnswer(
  { pod, namespace, limits = noLimits, nowMs }: DecisionInput,
  decision: Decision,
  state: ClusterState
): void {
  if (decision.kind !== 'rewrite' || decision.repeated) return
  if (limits.quotas.length > 0)
    state.noteInFlight(namespace.name, quotaCountsAdded(pod, decision, limits), nowMs)
  state.answered({
    namespace: namespace.name,
    pod: pod.name,
    group: replicaGroupOf(pod) ?? '',
    share: rewriteMarks(decision).labels[sliceLabel] ?? '',
    resources: takenBy(pod, decision)
  })
}

function answer({ request, decision, patch }: Reviewed): MutationReview {
  return allowReview({
    uid: request.uid,
    patch,
    warnings: warningsOf(decision),
    auditAnnotations: auditAnnotationsOf(decision)
  })
}

/** How long a review took, and who called. */
interface Call {
  readonly headers: ReviewTrace['headers']
  readonly durationMs: number
}

function record(
  { log, metrics, tracer }: RewriteParts,
  { request, pod, decision }: Reviewed,
  { headers, durationMs }: Call
): void {
  const { kind, reason, evidence } = decision
  const { uid, namespace } = request
  const dryRun = request.dryRun === true
  const told = {
    webhook: webhookNames.rewrite,
    outcome: kind,
    reason,
    dryRun,
    seconds: durationMs / 1000
  }
  metrics.reviewed(told)
  tracer?.reviewed({ ...told, uid, namespace, headers })
  log.info(
    {
      uid: showName(uid),
      pod: showName(pod),
      workload: showName(recordKey(namespace, evidence.workload)),
      policy: evidence.policy,
      decision: kind,
      reason,
      dryRun,
      durationMs
    },
    'pod reviewed'
  )
}
