import type { ReasonCode } from '../core/api/reasons.ts'
import type { RuleCode } from '../core/api/rules.ts'

/** How a review ended. */
export type ReviewOutcome = 'rewrite' | 'keep' | 'failed'

/** Why a review failed: it could not be read, deciding threw, or the patch did not apply. */
export type ReviewFailure = 'unreadable' | 'decision' | 'patch'

/** One review that was answered. */
export interface ReviewRecord {
  readonly webhook: string
  readonly outcome: ReviewOutcome
  readonly reason: ReasonCode
  readonly dryRun: boolean
  /** From the moment at which the body was read to the answer. */
  readonly seconds: number
}

/** What became of a review that judges and changes nothing. */
export type JudgedOutcome = 'allow' | 'warn' | 'deny' | 'failed'

/** One review of the isolation or advice webhook that was answered. */
export interface JudgedRecord {
  readonly webhook: string
  readonly outcome: JudgedOutcome
  /** Rules for which the pod was refused, each once. */
  readonly refused: readonly RuleCode[]
  /** Rules that were only told, each once. */
  readonly warned: readonly RuleCode[]
  readonly dryRun: boolean
  /** From the moment at which the body was read to the answer. */
  readonly seconds: number
}

/** Where the server counts what it does. */
export interface ReviewMetrics {
  reviewed(record: ReviewRecord): void
  judged(record: JudgedRecord): void
  failed(webhook: string, cause: ReviewFailure): void
}

/** Why a review was sent back: it would have had to wait too long, or there was no memory for its body. */
export type ShedCause = 'busy' | 'bodies'

/**
 * Why a connection was cut: there are too many (full), its body did not come (slow), or it sent a second request before the first was
 * answered (pipelined).
 */
export type CutCause = 'full' | 'slow' | 'pipelined'

/** Where it is counted what is not answered because there is too much. */
export interface OverloadMetrics {
  shed(webhook: string, cause: ShedCause): void
  connectionCut(cause: CutCause): void
}

/** What is served as `/metrics`. */
export interface MetricsPage {
  readonly contentType: string
  text(): Promise<string>
}
