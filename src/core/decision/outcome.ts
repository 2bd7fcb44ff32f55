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
import type { ContainerChange, DecisionInput, Evidence, Finding, Keep, Rewrite } from './decision.ts'
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
    changes: assignments.flatMap(changeOf),
    nodeSelector: Object.assign({}, ...assignments.map(({ candidate }) => candidate.requires)),
    tolerates: distinctTaints(assignments).filter((taint) => !toleratesTaint(input.pod.tolerations, taint)),
    schedulerName: methods.find(({ schedulerName }) => schedulerName !== undefined)?.schedulerName,
    methods,
    repeated: false,
    evidence: evidenceOf(input, policy, findings)
  }
}

function changeOf({ container, candidate, demand, inShareOf }: Assignment): readonly ContainerChange[] {
  const { resource, share, method } = candidate
  const ask = methodNamed(method)?.ask(candidate, demand)
  return ask === undefined ? [] : [{ container, resource, share, ask, claim: (inShareOf ?? container).name }]
}

function distinctTaints(assignments: readonly Assignment[]): readonly Taint[] {
  const taints = assignments.flatMap(({ candidate }) => candidate.tolerates ?? [])
  return [...new Map(taints.map((taint) => [JSON.stringify(taint), taint])).values()]
}

function distinctMethods(assignments: readonly Assignment[]): readonly SharingMethod[] {
  const names = new Set(assignments.map(({ candidate }) => candidate.method))
  return [...names].flatMap((name) => methodNamed(name) ?? [])
}

function tellRewrite(assignments: readonly Assignment[], needs: readonly Need[]): string {
  const byContainer = new Map(needs.map((need) => [need.container, need]))
  const parts = assignments.map(({ container, candidate }) => {
    const need = byContainer.get(container)
    const change = `${container.name} nvidia.com/gpu 1 -> ${shareAsked(candidate)}${onNodes(candidate)}`
    if (need === undefined) return `${change} (pinned)`
    return `${change} (${tellNeed({ ...need, peakMiB: need.usage.peakMiB })}, holds ${printMiB(candidate.usableMiB ?? 0)})`
  })
  return `${parts.join('; ')}; ${tellIsolation(assignments)}`
}

function tellIsolation(assignments: readonly Assignment[]): string {
  const told = assignments.map(({ candidate: { method, separation } }) =>
    methodNamed(method)?.isolates(separation)
  )
  return [...new Set(told)].join('; ')
}

/** Labels that the pod selects besides its own: whoever looks for a pod that waits must know them. */
function onNodes({ requires }: Candidate): string {
  const labels = requirementsKey(requires)
  return labels === '' ? '' : ` on nodes with ${labels}`
}

function shareAsked({ resource, share, deviceClass }: Candidate): string {
  if (deviceClass !== undefined) return `a claim from template ${resource} (${share})`
  const kind = parseGpuResourceName(resource)?.kind
  return kind === 'whole' || kind === 'foreign' ? `${resource} (${share}) 1` : `${resource} 1`
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

function evidenceOf(
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
