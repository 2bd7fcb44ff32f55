import { isDeepStrictEqual } from 'node:util'
import type { JsonRecord } from '../../core/json.ts'
import { endOf, isGranted } from '../../core/policy/exemption.ts'
import type { EventMessage } from '../../ports/event-sink.ts'
import { type Claim, toConditions } from '../conditions.ts'
import { conditionsIn } from '../policies/policy-object.ts'
import { isoTime } from '../workloads/iso-time.ts'
import type { ExemptionObject } from './exemption-object.ts'

/** When and by what bounds an exemption is looked at. */
export interface ExemptionScope {
  readonly nowMs: number
  /** Longest life that the policy of its namespace allows, seconds. */
  readonly maxSeconds: number
}

/** How long before its end an exemption is told of, ms: three days. */
const TOLD_BEFORE_MS = 3 * 86_400_000

/** What the status of an exemption should say. */
export function desireExemptionStatus(exemption: ExemptionObject, scope: ExemptionScope): JsonRecord {
  const { generation, status } = exemption
  const endMs = endOf(exemption, scope.maxSeconds)
  const claims = [approvedClaim(exemption), activeClaim(exemption, endMs, scope)]
  const before = status === undefined ? [] : conditionsIn(status)
  return {
    observedGeneration: generation,
    ends: isoTime(endMs),
    conditions: toConditions(claims, { before, nowMs: scope.nowMs, generation })
  }
}

/** Whether the status that is stored says something else than it should. */
export function isExemptionStatusChanged(stored: JsonRecord | undefined, desired: JsonRecord): boolean {
  return !isDeepStrictEqual(JSON.parse(JSON.stringify(stored ?? {})), JSON.parse(JSON.stringify(desired)))
}

function isWhollyGranted(exemption: ExemptionObject): boolean {
  return exemption.rules.every((rule) => isGranted(exemption, rule))
}

function approvedClaim(exemption: ExemptionObject): Claim {
  const type = 'Approved'
  switch (exemption.decision) {
    case 'Approved':
      return { type, status: 'True', reason: 'Approved', message: 'it was approved' }
    case 'Denied':
      return { type, status: 'False', reason: 'Denied', message: 'it was denied' }
    case 'None':
      return isWhollyGranted(exemption)
        ? { type, status: 'True', reason: 'NotNeeded', message: 'keeping a whole GPU needs no approval' }
        : {
            type,
            status: 'False',
            reason: 'WaitingForApproval',
            message:
              'isolation rules are lifted once somebody with the verb approve on gpuexemptions sets spec.approval'
          }
  }
}

function activeClaim(exemption: ExemptionObject, endMs: number, { nowMs }: ExemptionScope): Claim {
  const type = 'Active'
  if (nowMs >= endMs)
    return { type, status: 'False', reason: 'Expired', message: `it ended at ${isoTime(endMs)}` }
  const acting = exemption.rules.filter((rule) => isGranted(exemption, rule))
  if (acting.length === 0)
    return { type, status: 'False', reason: 'NotApproved', message: 'it lifts nothing until it is approved' }
  const cut = endMs < exemption.expiresMs ? ', the longest life that the policy allows' : ''
  const message = `it lifts ${acting.join(', ')} until ${isoTime(endMs)}${cut}`
  return { type, status: 'True', reason: 'Active', message }
}

/** The Event that tells of the end of an exemption that acts, in its last three days; undefined before and after. */
export function endingEvent(
  exemption: ExemptionObject,
  { nowMs, maxSeconds }: ExemptionScope
): EventMessage | undefined {
  const endMs = endOf(exemption, maxSeconds)
  const isActing = exemption.rules.some((rule) => isGranted(exemption, rule))
  if (!isActing || nowMs >= endMs || nowMs < endMs - TOLD_BEFORE_MS) return undefined
  const { namespace, name, uid } = exemption
  return {
    subject: { apiVersion: 'rightslice.dev/v1alpha1', kind: 'GpuExemption', namespace, name, uid },
    reason: 'ExemptionExpiring',
    message: `ends at ${isoTime(endMs)}; from then on ${exemption.rules.join(', ')} ${exemption.rules.length === 1 ? 'acts' : 'act'} again`,
    key: isoTime(endMs),
    atMs: nowMs
  }
}
