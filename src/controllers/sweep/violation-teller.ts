import type { Finding } from '../../core/audit/finding.ts'
import type { Violation } from '../../core/audit/violation.ts'
import { workloadKey } from '../../core/pod/workload.ts'
import type { EventMessage, EventSubject } from '../../ports/event-sink.ts'
import { type EventParts, LimitedEvents } from '../events/limited-events.ts'
import { ownerSubject } from '../events/owner-subject.ts'

/** Cases that are remembered as told. */
const MOST_TOLD = 20_000

/**
 * Tells of pods that run and would be refused, on their owner or on the pod itself, once per template and rule. What is over the
 * limit is told by the next sweep.
 */
export class ViolationTeller {
  readonly #parts: EventParts
  readonly #events: LimitedEvents
  /** `namespace workload template rule` of what was told. */
  readonly #told = new Set<string>()

  constructor(parts: EventParts) {
    this.#parts = parts
    this.#events = new LimitedEvents(parts)
  }

  async tell(findings: readonly Finding[], signal: AbortSignal): Promise<void> {
    for (const finding of findings) {
      for (const violation of finding.violations.filter(({ level }) => level === 'enforce')) {
        if (signal.aborted) return
        await this.#tellOnce(finding, violation, signal)
      }
    }
  }

  async #tellOnce(finding: Finding, violation: Violation, signal: AbortSignal): Promise<void> {
    const { namespace, workload, template } = finding
    const key = JSON.stringify([namespace, workloadKey(workload), template, violation.rule])
    const subject = subjectOf(finding)
    if (subject === undefined || this.#told.has(key)) return
    const outcome = await this.#events.tell(
      toMessage(finding, violation, subject, this.#parts.clock.nowMs()),
      signal
    )
    if (outcome !== 'told' && outcome !== 'known') return
    if (this.#told.size >= MOST_TOLD) this.#told.clear()
    this.#told.add(key)
  }
}

function subjectOf({ namespace, owner, pods: [pod] }: Finding): EventSubject | undefined {
  const own = pod && { apiVersion: 'v1', kind: 'Pod', namespace, name: pod.name, uid: pod.uid }
  return ownerSubject(namespace, owner) ?? own
}

function toMessage(
  { template, podCount }: Finding,
  { rule, sentence }: Violation,
  subject: EventSubject,
  atMs: number
): EventMessage {
  const pods = podCount === 1 ? 'a pod that runs' : `${podCount} pods that run`
  return {
    subject,
    type: 'Warning',
    reason: 'IsolationViolated',
    message: `${rule}: ${pods} would be refused now: ${sentence}; help: rightslice explain --reason ${rule}`,
    key: `${rule} ${template}`,
    atMs
  }
}
