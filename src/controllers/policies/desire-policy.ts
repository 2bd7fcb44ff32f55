import { isDeepStrictEqual } from 'node:util'
import type { NodeView } from '../../core/cluster/node-view.ts'
import { hasLabels } from '../../core/cluster/reach.ts'
import type { JsonRecord } from '../../core/json.ts'
import type { EffectivePolicy, PolicyRead } from '../../core/policy/effective-policy.ts'
import { printFault } from '../../core/policy/fault.ts'
import { windowAt } from '../../core/policy/window-at.ts'
import { nodeLabels } from '../../core/sharing/node-labels.ts'
import { type Claim, toConditions } from '../conditions.ts'
import { isoTime } from '../workloads/iso-time.ts'
import { conditionsIn, type PolicyObject } from './policy-object.ts'
import { historyClaim, type SourceHealth } from './source-health.ts'

/** What the status of a policy depends on besides the policy. */
export interface PolicyScope {
  readonly nowMs: number
  readonly nodes: readonly NodeView[]
  /** Workloads that it governs and that would fit a smaller share. */
  readonly candidates: number
  /** GPUs that could be freed under the policy. */
  readonly freeableGpus: (policy: EffectivePolicy) => number
  readonly health: SourceHealth
}

/** What the status of a policy should say. */
export function desirePolicyStatus(
  { generation, read, status }: PolicyObject,
  { nowMs, nodes, candidates, freeableGpus, health }: PolicyScope
): JsonRecord {
  const policy = read.kind === 'valid' ? read.policy : undefined
  const selector = policy?.nodeSelector ?? (read.kind === 'invalid' ? read.reach?.nodeSelector : undefined)
  const matched =
    selector === undefined ? [] : nodes.filter((node) => hasGpu(node) && hasLabels(node, selector))
  return {
    observedGeneration: generation,
    conditions: toConditions([readyClaim(read), profilesClaim(read), historyClaim(health)], {
      before: conditionsIn(status),
      nowMs,
      generation
    }),
    admission: policy === undefined ? 'Off' : admissionOf(policy),
    matchedNodes: matched.length,
    candidates: policy === undefined ? 0 : candidates,
    freeableGpus: policy === undefined ? 0 : freeableGpus(policy),
    ...nextWindow(policy, nowMs)
  }
}

/** Fields that we write; others are left to who writes them. */
const ownFields = [
  'observedGeneration',
  'conditions',
  'admission',
  'matchedNodes',
  'candidates',
  'freeableGpus',
  'nextWindow'
] as const

/** Whether the status that is stored says something else than it should. */
export function isPolicyStatusChanged(stored: JsonRecord, desired: JsonRecord): boolean {
  const part = (status: JsonRecord): unknown =>
    JSON.parse(JSON.stringify(Object.fromEntries(ownFields.map((field) => [field, status[field]]))))
  return !isDeepStrictEqual(part(stored), part(desired))
}

function hasGpu({ labels, allocatable }: NodeView): boolean {
  return Object.hasOwn(labels, nodeLabels.product) || Object.keys(allocatable).length > 0
}

function readyClaim(read: PolicyRead): Claim {
  const type = 'Ready'
  if (read.kind === 'invalid') {
    const message = read.faults.map(printFault).join('; ')
    return { type, status: 'False', reason: 'PolicyInvalid', message }
  }
  return read.policy.suspended
    ? { type, status: 'False', reason: 'Suspended', message: 'spec.suspend is true' }
    : { type, status: 'True', reason: 'InForce', message: 'every field could be read' }
}

function profilesClaim(read: PolicyRead): Claim {
  const type = 'ProfilesValid'
  const refused =
    read.kind === 'valid' ? read.refused : read.faults.filter(({ field }) => /rofile/.test(field))
  return refused.length === 0
    ? { type, status: 'True', reason: 'AllRead', message: 'every profile that is named could be read' }
    : { type, status: 'False', reason: 'ProfilesRefused', message: refused.map(printFault).join('; ') }
}

/** How far admission goes now: a policy that only proposes warns at most. */
function admissionOf({ suspended, rewrite, mode }: EffectivePolicy): string {
  if (suspended || rewrite === 'off') return 'Off'
  return rewrite === 'warn' || mode === 'Propose' ? 'Warn' : 'Enforce'
}

function nextWindow(policy: EffectivePolicy | undefined, nowMs: number): JsonRecord {
  const found = policy === undefined ? undefined : windowAt(policy.windows, nowMs)
  if (found === undefined) return {}
  return { nextWindow: { start: isoTime(found.opensMs), end: isoTime(found.closesMs) } }
}
