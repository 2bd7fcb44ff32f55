import type { EventReason } from '../core/api/event-reasons.ts'

/** The object that an Event is about. */
export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Something that happened, for `kubectl describe`. */
export interface EventMessage {
  readonly subject: EventSubject
  readonly reason: EventReason
  /** A sentence; cut after 1024 characters. */
  readonly message: string
  /** What makes it the same event as another one: an event is told once per subject, reason and key. */
  readonly key: string
  readonly atMs: number
}

/** Where Events go. */
export interface EventSink {
  /**
   * Tells of an event.
   * @returns false when the very same event is in the cluster already
   * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED
   */
  tell(event: EventMessage, signal: AbortSignal): Promise<boolean>
}
