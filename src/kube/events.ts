import { createHash } from 'node:crypto'
import { eventReasons } from '../core/api/event-reasons.ts'
import type { EventMessage, EventSink } from '../ports/event-sink.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'

/** Longest message of an Event, characters. @source API server validation of events */
const MAX_MESSAGE = 1024

/** Longest name of an object, and what our part of an Event's name takes of it: a dot and 16 hexadecimal digits. */
const MAX_NAME = 253
const OWN_PART = 17

/** Limit for one write, ms. */
const TIMEOUT_MS = 10_000

/** Who tells. */
export interface EventTeller {
  readonly component: string
  /** Name of this process. */
  readonly instance: string
}

/**
 * Writes Events. Their names follow from what they say, so that the API server itself refuses one that was told before, also
 * by a process that is gone; it forgets them after an hour.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export function createEventSink(connection: Pick<KubeConnection, 'request'>, teller: EventTeller): EventSink {
  return {
    tell: async (event, signal) => {
      const { namespace } = event.subject
      try {
        const answer = await connection.request({
          method: 'POST',
          path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
          body: bodyOf(event, teller),
          signal,
          timeoutMs: TIMEOUT_MS
        })
        await answer.json()
        return true
      } catch (error) {
        if (error instanceof KubeError && error.status === 409) return false
        throw error
      }
    }
  }
}

function bodyOf(event: EventMessage, { component, instance }: EventTeller): unknown {
  const { subject, reason, message, atMs } = event
  const time = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: subject.namespace, name: nameOf(event) },
    involvedObject: subject,
    type: eventReasons[reason].type,
    reason,
    message: shortened(message),
    source: { component },
    reportingComponent: component,
    reportingInstance: instance,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1
  }
}

function nameOf({ subject, reason, key }: EventMessage): string {
  const parts = [subject.kind, subject.namespace, subject.name, subject.uid, reason, key]
  const digest = createHash('sha256')
    .update(JSON.stringify(parts))
    .digest('hex')
    .slice(0, OWN_PART - 1)
  const readable = subject.name.slice(0, MAX_NAME - OWN_PART).replace(/[-.]+$/, '')
  return `${readable}.${digest}`
}

/** Cut between characters. */
function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message
  return `${message.slice(0, MAX_MESSAGE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
