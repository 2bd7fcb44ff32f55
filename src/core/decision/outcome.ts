import { printMiB } from '../api/quantity.ts'
import { type ReasonCode, reasons } from '../api/reasons.ts'
import type { Taint } from '../cluster/node-view.ts'
import { toleratesTaint } from '../cluster/reach.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { workloadKey } from '../pod/workload.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { type Candidate, requirementsKey } from '../sharing/candidates.ts'
import type { Refusal, SharingMethod } from '../sharing/method.ts'
import { methodNamed } from '../sharing/methods.ts'
import type { Assignment } from './assign.ts'
import type {
  Considered,
  ContainerChange,
  DecisionInput,
  Evidence,
  Finding,
  Keep,
  Rewrite
} from './decision.ts'
import { type Need, tellNeed } from './need.ts'

/** What a rewrite is made of. */
export interface Conclusion {
  readonly reason: ReasonCode
  readonly policy: EffectivePolicy
  readonly assignments: readonly Assignment[]
  /** Empty for a pinned share. */
  readonly needs: readonly Need[]
  readonly findings: readonly Finding[]
  readonly notices: readonly string[]
}

/** The decision that gives the containers their shares. */
export function toRewrite(input: DecisionInput, conclusion: Conclusion): Rewrite {
  const { reason, policy, assignments, needs, findings, notices } = conclusion
  const methods = distinctMethods(assignments)
  return {
    kind: 'rewrite',
    reason,
    sentence: tellRewrite(assignments, needs),
    notices,
    changes: assignments.map(changeOf),
    nodeSelector: Object.assign({}, ...assignments.map(({ candidate }) => candidate.requires)),
    tolerates: distinctTaints(assignments).filter((taint) => !toleratesTaint(input.pod.tolerations, taint)),
    schedulerName: methods.find(({ schedulerName }) => schedulerName !== undefined)?.schedulerName,
    methods,
    repeated: false,
    evidence: evidenceOf(input, policy, findings)
  }
}

function changeOf({ container, candidate, demand, inShareOf }: Assignment): ContainerChange {
  const { resource, share, requires, method } = candidate
  const ask = methodNamed(method).ask(candidate, demand)
  const claim = (inShareOf ?? container).name
  return { container, resource, share, requires, ask, claim }
}

function distinctTaints(assignments: readonly Assignment[]): readonly Taint[] {
  const taints = assignments.flatMap(({ candidate }) => candidate.tolerates ?? [])
  return [...new Map(taints.map((taint) => [JSON.stringify(taint), taint])).values()]
}

function distinctMethods(assignments: readonly Assignment[]): readonly SharingMethod[] {
  const names = new Set(assignments.map(({ candidate }) => candidate.method))
  return [...names].map(methodNamed)
}

function tellRewrite(assignments: readonly Assignment[], needs: readonly Need[]): string {
  const byContainer = new Map(needs.map((need) => [need.container, need]))
  const parts = assignments.map((assignment) => {
    const { container, candidate } = assignment
    const need = byContainer.get(container)
    const change = `${container.name} nvidia.com/gpu 1 -> ${tellAsk(assignment)}${onNodes(candidate)}`
    if (need === undefined) return `${change} (pinned)`
    return `${change} (${tellNeed({ ...need, peakMiB: need.usage.peakMiB })}, holds ${printMiB(heldMiB(assignment))})`
  })
  return `${parts.join('; ')}; ${tellIsolation(assignments)}`
}

function tellIsolation(assignments: readonly Assignment[]): string {
  const told = assignments.map(({ candidate: { method, separation } }) =>
    methodNamed(method).isolates(separation)
  )
  return [...new Set(told)].join('; ')
}

/** Labels that the pod selects besides its own: whoever looks for a pod that waits must know them. */
function onNodes({ requires }: Candidate): string {
  const labels = requirementsKey(requires)
  return labels === '' ? '' : ` on nodes with ${labels}`
}

/** What the container is made to ask for: one share by its name, or each resource with its count. */
function tellAsk(assignment: Assignment): string {
  if (assignment.candidate.toMeasure !== true) return shareAsked(assignment.candidate)
  const counts = Object.entries(changeOf(assignment).ask.resources)
  return counts.flatMap(([name, count]) => (count === 0 ? [] : `${name} ${count}`)).join(' + ')
}

/** Of what is cut to measure no more than is asked for. */
function heldMiB({ candidate, demand }: Assignment): number {
  return candidate.toMeasure === true ? demand.neededMiB : (candidate.usableMiB ?? 0)
}

function shareAsked({ resource, share, deviceClass }: Candidate): string {
  if (deviceClass !== undefined) return `a claim from template ${resource} (${share})`
  const kind = parseGpuResourceName(resource)?.kind
  return kind === 'whole' || kind === 'foreign' ? `${resource} (${share}) 1` : `${resource} 1`
}

/** Whether a candidate that was looked at is the one that the container gets. */
export function isChosen(candidate: Considered, change: ContainerChange | undefined): boolean {
  return (
    change !== undefined &&
    candidate.verdict === 'fits' &&
    candidate.resource === change.resource &&
    candidate.share === change.share &&
    requirementsKey(candidate.requires) === requirementsKey(change.requires)
  )
}

/** What is known besides the reason when a pod is kept. */
export interface KeepOptions {
  readonly policy?: EffectivePolicy
  /** Whether marks may be written on the pod; false where namespace or policy only warn. */
  readonly enforced?: boolean
  readonly notices?: readonly string[]
  readonly findings?: readonly Finding[]
}

/** The decision that leaves the pod as it is. */
export function keep(input: DecisionInput, { reason, sentence }: Refusal, options: KeepOptions = {}): Keep {
  const { policy, enforced = false, notices = [], findings = [] } = options
  const { marks } = reasons[reason]
  return {
    kind: 'keep',
    reason,
    sentence,
    notices,
    marks: marks === 'written' && !enforced ? 'removed' : marks,
    proposed: undefined,
    evidence: evidenceOf(input, policy, findings)
  }
}

/** What a decision of this input rests on. */
export function evidenceOf(
  { workload, usage }: DecisionInput,
  policy: EffectivePolicy | undefined,
  findings: readonly Finding[]
): Evidence {
  const parts = [
    policy === undefined ? 'no-policy' : `${policy.name}@${policy.generation}`,
    usage === undefined ? 'no-history' : `${workloadKey(workload)}@${usage.version}`
  ]
  return { policy: policy?.name, workload, snapshot: parts.join(' '), findings }
}
