import type { ReasonCode } from '../../../core/api/reasons.ts'
import { AppError } from '../../../core/errors.ts'
import { fieldOf, stringOf } from '../../../core/json.ts'
import { readPod } from '../../../core/pod/pod-view.ts'
import { showName } from '../../../core/rules/show.ts'
import type { Log } from '../../../ports/log.ts'
import type { ReviewFailure, ReviewMetrics } from '../../../ports/metrics.ts'
import type { ReviewTrace, ReviewTracer } from '../../../ports/review-tracer.ts'
import { allowReview, type Envelope, type MutationReview } from '../../review.ts'

/** Where faults of one webhook are counted and logged. */
export interface FaultDesk {
  /** Name under which the webhook is registered. */
  readonly webhook: string
  readonly log: Log
  readonly metrics: ReviewMetrics
  /** Default: nobody is told. */
  readonly tracer?: ReviewTracer
}

/** Body of an answer to what is no review. */
export interface BodyRefusal {
  readonly code: 'REVIEW_INVALID'
  readonly message: string
}

const reason: ReasonCode = 'DecisionFailed'

/** Counts and logs a body that is no review, and says what is wrong with it. */
export function refuseBody({ webhook, log, metrics }: FaultDesk, message: string): BodyRefusal {
  metrics.failed(webhook, 'unreadable')
  log.warn({ webhook, message }, 'review not readable')
  return { code: 'REVIEW_INVALID', message }
}

/** A fault while a review is worked on, and how long that took. */
export interface ReviewFault {
  readonly err: unknown
  readonly durationMs: number
  readonly headers: ReviewTrace['headers']
}

type Readable = Extract<Envelope, { kind: 'readable' }>

/** The answer of the rewriting webhook to every fault: the pod comes in as it is. Counted and logged. */
export function answerFault(desk: FaultDesk, envelope: Readable, fault: ReviewFault): MutationReview {
  const { webhook, metrics } = desk
  const { uid } = envelope
  const dryRun = recordFault(desk, envelope, { ...fault, decision: 'keep' })
  metrics.reviewed({ webhook, outcome: 'failed', reason, dryRun, seconds: fault.durationMs / 1000 })
  return allowReview({ uid, patch: [], warnings: [], auditAnnotations: { decision: 'keep', reason } })
}

/** Body of an answer to a review that could not be judged. */
export interface JudgementFault {
  readonly code: 'REVIEW_FAILED'
  readonly message: string
}

/**
 * The answer of a judging webhook to every fault, to be sent with status 500: nobody is let in by it, the failure
 * policy of the webhook decides. Counted and logged.
 */
export function refuseFault(desk: FaultDesk, envelope: Readable, fault: ReviewFault): JudgementFault {
  const { webhook, metrics } = desk
  const dryRun = recordFault(desk, envelope, { ...fault, decision: 'none' })
  metrics.judged({
    webhook,
    outcome: 'failed',
    refused: [],
    warned: [],
    dryRun,
    seconds: fault.durationMs / 1000
  })
  return { code: 'REVIEW_FAILED', message: 'the review could not be judged' }
}

function recordFault(
  { webhook, log, metrics, tracer }: FaultDesk,
  { uid, request }: Readable,
  { err, durationMs, headers, decision }: ReviewFault & { readonly decision: string }
): boolean {
  const namespace = stringOf(request, 'namespace') ?? ''
  const pod = showName(`${namespace}/${readPod(fieldOf(request, 'object'), namespace).name}`)
  const dryRun = fieldOf(request, 'dryRun') === true
  metrics.failed(webhook, causeOf(err))
  log.error({ webhook, uid: showName(uid), pod, decision, reason, dryRun, durationMs, err }, 'review failed')
  const seconds = durationMs / 1000
  tracer?.reviewed({ webhook, uid, namespace, outcome: 'failed', reason, dryRun, headers, seconds })
  return dryRun
}

function causeOf(err: unknown): ReviewFailure {
  if (!(err instanceof AppError)) return 'decision'
  if (err.code === 'PATCH_INVALID') return 'patch'
  return err.code === 'REVIEW_INVALID' ? 'unreadable' : 'decision'
}
