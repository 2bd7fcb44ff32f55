/** One review that was answered, as a trace tells it: what was decided, and nothing of the pod. */
export interface ReviewTrace {
  readonly webhook: string
  readonly uid: string
  /** As the sender wrote it. */
  readonly namespace: string
  readonly outcome: string
  /** Reason code; undefined where rules decide. */
  readonly reason?: string
  /** Rules that were broken. */
  readonly rules?: readonly string[]
  readonly dryRun: boolean
  /** Headers of the request; those of W3C Trace Context say which trace this is a part of. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** From the moment at which the body was read to the answer. */
  readonly seconds: number
}

/** Where reviews are told as spans. It returns at once and never throws. */
export interface ReviewTracer {
  /** The review has just been answered. */
  reviewed(trace: ReviewTrace): void
}
