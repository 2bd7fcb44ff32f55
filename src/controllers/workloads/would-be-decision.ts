import { namespaceLabels, ownAnnotations } from '../../core/api/names.ts'
import { reasonCodes } from '../../core/api/reasons.ts'
import { decide } from '../../core/decision/decide.ts'
import type { Considered, Decision, DecisionInput, Rewrite } from '../../core/decision/decision.ts'
import { isChosen } from '../../core/decision/outcome.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { plainText } from '../conditions.ts'
import { mebi } from './container-status.ts'
import type { ContainerStatus, WorkloadStatus } from './workload-object.ts'

/** Everything that a decision needs besides the pod. */
export type DecisionScope = Omit<DecisionInput, 'operation' | 'subResource' | 'pod' | 'readDefeats'>

/** What the webhook would do with the workload's next pod, and what it would propose were its namespace asked. */
export interface WouldBe {
  readonly decision: Decision
  /** The same as `decision` but in a namespace that has not opted in: there as if it only wanted to be told. */
  readonly proposal: Decision
}

/** Decides about a live pod as if it came again now. */
export function decideAgainNow(pod: PodRecord, scope: DecisionScope): WouldBe {
  const readDefeats = (): PodRecord['defeats'] => pod.defeats
  const input: DecisionInput = { ...scope, operation: 'CREATE', subResource: '', pod: pod.view, readDefeats }
  const decision = decide(input)
  if (decision.reason !== 'NamespaceNotOptedIn') return { decision, proposal: decision }
  const labels = { ...scope.namespace.labels, [namespaceLabels.rightsize]: 'warn' }
  return { decision, proposal: decide({ ...input, namespace: { ...scope.namespace, labels } }) }
}

/** The share that fits a container and the next smaller one that does not, as far as a decision tells. */
export function fitStatus(
  proposal: Decision,
  container: string
): Pick<ContainerStatus, 'fits' | 'nextSmallerRejected'> {
  const finding = proposal.evidence.findings.find((entry) => entry.container === container)
  if (finding === undefined) return {}
  const change = rewriteOf(proposal)?.changes.find((entry) => entry.container.name === container)
  const chosen = finding.considered.find((candidate) => isChosen(candidate, change))
  const ceilingMiB = chosen?.usableMiB ?? Number.POSITIVE_INFINITY
  const rejected = finding.considered
    .filter(
      ({ usableMiB, verdict }) => verdict !== 'fits' && usableMiB !== undefined && usableMiB < ceilingMiB
    )
    .toSorted((a, b) => (b.usableMiB ?? 0) - (a.usableMiB ?? 0) || (a.resource < b.resource ? -1 : 1))[0]
  return {
    ...(chosen === undefined ? {} : { fits: { ...nameOf(chosen), ...usable(chosen.usableMiB) } }),
    ...(rejected === undefined
      ? {}
      : {
          nextSmallerRejected: {
            ...nameOf(rejected),
            ...usable(rejected.usableMiB),
            message: verdicts[rejected.verdict]
          }
        })
  }
}

const verdicts = {
  fits: 'fits',
  'too-small': 'has too little memory',
  'over-limit': 'a quota or LimitRange of the namespace stands in the way',
  'too-little-compute': 'has too little compute',
  'memory-unknown': 'its memory is not known',
  'compute-unknown': 'its compute is not known'
} as const

function nameOf({ resource, share }: Considered): { resource: string; share?: string } {
  return resource === WHOLE_GPU ? { resource, share } : { resource }
}

function usable(mib: number | undefined): { usable?: string } {
  return mib === undefined ? {} : { usable: mebi(mib) }
}

function rewriteOf(decision: Decision): Rewrite | undefined {
  return decision.kind === 'rewrite' ? decision : decision.proposed
}

/**
 * The last decision about the workload: what the webhook wrote on its newest pod, else what it would do now. Marks count only in
 * namespaces that opted in, since elsewhere anybody can write them.
 */
export function decisionStatus(
  pods: readonly PodRecord[],
  { decision, proposal }: WouldBe
): NonNullable<WorkloadStatus['decision']> {
  const [newest] = pods
  const reason = newest?.view.annotations[ownAnnotations.decision]
  const isOptedIn = decision === proposal
  if (isOptedIn && newest !== undefined && reason !== undefined && isReason(reason)) {
    const message = newest.view.annotations[ownAnnotations.explain]
    return { reason, ...(message === undefined ? {} : { message: plainText(message) }) }
  }
  return { reason: decision.reason, message: plainText(decision.sentence) }
}

function isReason(text: string): boolean {
  return reasonCodes.some((code) => code === text)
}
