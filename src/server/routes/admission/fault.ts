import type { ReasonCode } from '../../../core/api/reasons.ts'
import { AppError } from '../../../core/errors.ts'
import { fieldOf, stringOf } from '../../../core/json.ts'
import { readPod } from '../../../core/pod/pod-view.ts'
import type { Log } from '../../../ports/log.ts'
import type { ReviewFailure, ReviewMetrics } from '../../../ports/metrics.ts'
import { allowReview, type Envelope, type MutationReview } from '../../review.ts'

/** Where faults of one webhook are counted and logged. */
export interface FaultDesk {
  /** Name under which the webhook is registered. */
  readonly webhook: string
  readonly log: Log
  readonly metrics: ReviewMetrics
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

/** The one answer to every fault while a review is worked on: the pod comes in as it is. Counted and logged. */
export function answerFault(
  { webhook, log, metrics }: FaultDesk,
  { uid, request }: Extract<Envelope, { kind: 'readable' }>,
  { err, durationMs }: { readonly err: unknown; readonly durationMs: number }
): MutationReview {
  const namespace = stringOf(request, 'namespace') ?? ''
  const pod = `${namespace}/${readPod(fieldOf(request, 'object'), namespace).name}`
  const dryRun = fieldOf(request, 'dryRun') === true
  metrics.failed(webhook, causeOf(err))
  metrics.reviewed({ webhook, outcome: 'failed', reason, dryRun, seconds: durationMs / 1000 })
  log.error({ uid, pod, decision: 'keep', reason, dryRun, durationMs, err }, 'review failed')
  return allowReview({ uid, patch: [], warnings: [], auditAnnotations: { decision: 'keep', reason } })
}

function causeOf(err: unknown): ReviewFailure {
  if (!(err instanceof AppError)) return 'decision'
  if (err.code === 'PATCH_INVALID') return 'patch'
  return err.code === 'REVIEW_INVALID' ? 'unreadable' : 'decision'
}
