import { type ExemptionRule, GpuExemption } from '../api/gpu-exemption.ts'
import { type LabelSelector, matchesSelector } from '../api/label-selector.ts'
import { policyDefaults } from '../api/policy-defaults.ts'
import type { RuleCode } from '../api/rules.ts'
import { fieldAt, withoutField } from '../json.ts'
import type { WorkloadRef } from '../pod/workload.ts'
import { parseDuration } from './duration.ts'
import { readUtc } from './utc-time.ts'

/** A GpuExemption as the engine uses it. */
export interface Exemption {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly ExemptionRule[]
  /** Whose pods are exempt. */
  readonly target:
    | { readonly kind: 'workload'; readonly workload: Pick<WorkloadRef, 'kind' | 'name'> }
    | { readonly kind: 'selector'; readonly selector: LabelSelector }
  /** When the object was made, ms since the epoch. */
  readonly createdMs: number
  /** When it asks to end, ms since the epoch. */
  readonly expiresMs: number
  readonly decision: 'Approved' | 'Denied' | 'None'
}

/** The pod that may be exempt. */
export interface ExemptionSubject {
  readonly labels: Readonly<Record<string, string>>
  readonly workload: WorkloadRef
}

/** What somebody may ask about; of rules that no exemption names the answer is no. */
type LiftedRule = ExemptionRule | RuleCode

/** Longest life of an exemption where no policy says another, seconds. */
export const USUAL_EXEMPTION_SECONDS = parseDuration(policyDefaults.maxExemption) ?? 0

/** Reads a GpuExemption; undefined for what is none, and such an object exempts nobody. Never throws. */
export function readExemption(raw: unknown): Exemption | undefined {
  const read = GpuExemption.safeParse(withoutField(raw, 'status'))
  if (!read.success) return undefined
  const { metadata, spec } = read.data
  const expiresMs = timeOf(spec.expires)
  const createdMs = timeOf(fieldAt(raw, 'metadata', 'creationTimestamp'))
  if (expiresMs === undefined || createdMs === undefined) return undefined
  const { workloadRef, selector = {} } = spec
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    rules: spec.rules,
    target:
      workloadRef === undefined
        ? { kind: 'selector', selector }
        : { kind: 'workload', workload: { kind: workloadRef.kind, name: workloadRef.name } },
    createdMs,
    expiresMs,
    decision: spec.approval?.decision ?? 'None'
  }
}

/**
 * When an exemption ends, ms since the epoch: when it asks to, or when the longest life that the policy allows is over.
 * @param maxSeconds longest life, 2,592,000 for 30 days
 */
export function endOf({ createdMs, expiresMs }: Exemption, maxSeconds: number): number {
  return Math.min(expiresMs, createdMs + maxSeconds * 1000)
}

/** Whether a rule may be lifted by it: keeping a whole GPU needs nobody's consent, going round isolation does. */
export function isGranted({ decision }: Exemption, rule: LiftedRule): boolean {
  return rule === 'Rewrite' ? decision !== 'Denied' : decision === 'Approved'
}

/** When and by what bounds an exemption is looked at. */
export interface ExemptionTime {
  readonly nowMs: number
  readonly maxSeconds: number
}

/** Whether it lifts the rule now, for those whom it covers. */
export function lifts(exemption: Exemption, rule: LiftedRule, { nowMs, maxSeconds }: ExemptionTime): boolean {
  return (
    exemption.rules.some((own) => own === rule) &&
    isGranted(exemption, rule) &&
    nowMs < endOf(exemption, maxSeconds)
  )
}

/** Whether it is about this pod. Owner and labels are what the pod says of itself. */
export function covers({ target }: Exemption, { labels, workload }: ExemptionSubject): boolean {
  if (target.kind === 'selector') return matchesSelector(target.selector, labels)
  return target.workload.kind === workload.kind && target.workload.name === workload.name
}

/** The exemption that lifts a rule for a pod now, of several the first by name; undefined when none does. */
export function exemptionFor(
  exemptions: readonly Exemption[],
  rule: LiftedRule,
  { subject, time }: { readonly subject: ExemptionSubject; readonly time: ExemptionTime }
): Exemption | undefined {
  return exemptions
    .filter((exemption) => lifts(exemption, rule, time) && covers(exemption, subject))
    .reduce<Exemption | undefined>(
      (first, other) => (first === undefined || other.name < first.name ? other : first),
      undefined
    )
}

function timeOf(value: unknown): number | undefined {
  return readUtc(typeof value === 'string' ? value : undefined)
}
