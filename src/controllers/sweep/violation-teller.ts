import type { Finding } from '../../core/audit/finding.ts'
import type { Violation } from '../../core/audit/violation.ts'
import { workloadKey } from '../../core/pod/workload.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventMessage, EventSubject } from '../../ports/event-sink.ts'
import { ownerSubject } from '../events/event-subjects.ts'
import { NamespaceLimits } from '../events/namespace-limits.ts'
import { OnceTeller, type Telling, type TellingParts } from '../events/tell-once.ts'

/**
 * Tells of pods that run and would be refused, on their owner or on the pod itself, once per template and rule. What is over the
 * limit is told by the next sweep.
 */
export class ViolationTeller {
  readonly #once: OnceTeller
  readonly #clock: Clock
  readonly #limits = new NamespaceLimits()

  constructor(parts: TellingParts) {
    this.#once = new OnceTeller(parts)
    this.#clock = parts.clock
  }

  async tell(findings: readonly Finding[], signal: AbortSignal): Promise<void> {
    for (const finding of findings) {
      for (const violation of finding.violations.filter(({ level }) => level === 'enforce')) {
        if (signal.aborted) return
        const telling = toTelling(finding, violation, this.#clock.nowMs())
        const limit = this.#limits.of(finding.namespace)
        if (telling !== undefined) await this.#once.tell({ ...telling, limit }, signal)
      }
    }
  }
}

function toTelling(finding: Finding, violation: Violation, nowMs: number): Telling | undefined {
  const { namespace, workload, template } = finding
  const subject = subjectOf(finding)
  if (subject === undefined) return undefined
  const key = JSON.stringify([namespace, workloadKey(workload), template, violation.rule])
  return { key, messages: [toMessage(finding, violation, subject, nowMs)], waits: true }
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
    reason: 'IsolationViolated',
    message: `${rule}: ${pods} would be refused now: ${sentence}; help: rightslice explain --reason ${rule}`,
    key: `${rule} ${template}`,
    atMs
  }
}
