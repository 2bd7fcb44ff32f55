import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RuleCode } from '../../../core/api/rules.ts'
import type { DecisionSettings } from '../../../core/decision/decision.ts'
import { showName } from '../../../core/rules/show.ts'
import type { ClusterState } from '../../../gather/cluster-state.ts'
import type { Log } from '../../../ports/log.ts'
import type { JudgedOutcome, ReviewMetrics } from '../../../ports/metrics.ts'
import type { ReviewTrace, ReviewTracer } from '../../../ports/review-tracer.ts'
import { judgeReview, type ReviewRequest, readEnvelope } from '../../review.ts'
import { type FaultDesk, refuseBody, refuseFault } from './fault.ts'
import { readRequest } from './read-request.ts'

/** What a judging webhook works with. */
export interface JudgingParts {
  readonly state: ClusterState
  readonly settings: DecisionSettings
  readonly log: Log
  readonly metrics: ReviewMetrics
  /** Default: nobody is told. */
  readonly tracer?: ReviewTracer
  /** Milliseconds since the epoch; default: the clock of the machine. */
  readonly nowMs?: () => number
}

/** What came of one review that changes nothing. */
export interface Judged {
  /** Message of the refusal, undefined when the object is let in. */
  readonly refusal: string | undefined
  readonly warnings: readonly string[]
  /** Rules, each once. */
  readonly refused: readonly RuleCode[]
  readonly warned: readonly RuleCode[]
  readonly exempt: readonly RuleCode[]
  /** What was looked at, for the log: `ns/name`. */
  readonly subject: string
  readonly policy?: string | undefined
}

/**
 * Answers reviews with `judge`: refused with all that is wrong, or let in with warnings, and never a patch. A fault is
 * answered with status 500, so that the failure policy of the webhook decides; it is counted and logged.
 */
export function judgingHandler(
  webhook: string,
  parts: JudgingParts,
  judge: (request: ReviewRequest, parts: JudgingParts) => Judged
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const desk: FaultDesk = { ...parts, webhook }
  return ({ body, headers }, reply) => {
    const startMs = performance.now()
    const envelope = readEnvelope(body)
    if (envelope.kind === 'unreadable') return reply.code(400).send(refuseBody(desk, envelope.message))
    try {
      const request = readRequest(envelope.request)
      const judged = judge(request, parts)
      const outcome = outcomeOf(judged)
      record(desk, { request, headers, judged, outcome, durationMs: performance.now() - startMs })
      const { refusal, warnings } = judged
      return reply.send(
        judgeReview({ uid: request.uid, refusal, warnings, auditAnnotations: auditOf(judged, outcome) })
      )
    } catch (err) {
      const durationMs = performance.now() - startMs
      return reply.code(500).send(refuseFault(desk, envelope, { err, headers, durationMs }))
    }
  }
}

function outcomeOf({ refusal, warnings }: Judged): JudgedOutcome {
  if (refusal !== undefined) return 'deny'
  return warnings.length > 0 ? 'warn' : 'allow'
}

function auditOf(
  { refused, warned, exempt, policy }: Judged,
  outcome: JudgedOutcome
): Readonly<Record<string, string>> {
  return {
    decision: outcome,
    ...(refused.length === 0 ? {} : { refused: refused.join(',') }),
    ...(warned.length === 0 ? {} : { warned: warned.join(',') }),
    ...(exempt.length === 0 ? {} : { exempt: exempt.join(',') }),
    ...(policy === undefined ? {} : { policy })
  }
}

function record(
  { webhook, log, metrics, tracer }: FaultDesk,
  {
    request,
    headers,
    judged: { refused, warned, exempt, subject, policy },
    outcome,
    durationMs
  }: {
    readonly request: ReviewRequest
    readonly headers: ReviewTrace['headers']
    readonly judged: Judged
    readonly outcome: JudgedOutcome
    readonly durationMs: number
  }
): void {
  const { uid, namespace, operation } = request
  const dryRun = request.dryRun === true
  const told = { webhook, outcome, dryRun, seconds: durationMs / 1000 }
  metrics.judged({ ...told, refused, warned })
  tracer?.reviewed({ ...told, uid, namespace, headers, rules: [...new Set([...refused, ...warned])] })
  const fields = {
    webhook,
    uid: showName(uid),
    subject: showName(subject),
    operation: showName(operation),
    policy,
    decision: outcome,
    refused,
    warned,
    exempt,
    dryRun,
    durationMs
  }
  log.info(fields, 'review judged')
}
