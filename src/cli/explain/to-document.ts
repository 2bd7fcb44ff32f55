import { namespaceLabels } from '../../core/api/names.ts'
import { reasons } from '../../core/api/reasons.ts'
import { restartOf, waysOutFor } from '../../core/api/ways-out.ts'
import type { ContainerChange, Decision, Rewrite } from '../../core/decision/decision.ts'
import { warningsOf } from '../../core/decision/tell.ts'
import { isSameAnswer } from '../../core/explain/as-created.ts'
import { workloadKey } from '../../core/pod/workload.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import type { Breach } from '../../core/rules/rule.ts'
import { breachLine } from '../../core/rules/tell.ts'
import { documentContainer } from './document-container.ts'
import { documentPods, documentTrials } from './document-pods.ts'
import { documentShare, isOf } from './document-share.ts'
import type { ExplanationDocument } from './explain-document.ts'
import type { Explanation } from './explain-pod.ts'

/** One answer as a document. */
export function toDocument(explanation: Explanation): ExplanationDocument {
  const { subject, input, decision, trace, patch } = explanation
  const rewrite = decision.kind === 'rewrite' ? decision : decision.proposed
  return {
    kind: 'Explanation',
    subject: { ...subject },
    workload: workloadKey(input.workload),
    ...answerOf(decision),
    namespace: namespaceOf(input.namespace.labels),
    policies: trace.policies.map((policy) => ({ ...policy })),
    rules: trace.policy === undefined ? undefined : rulesOf(trace.policy),
    containers: trace.containers.map((container) => documentContainer(container, input.usage)),
    shares: sharesOf(explanation, rewrite),
    pods: documentPods(explanation.mates),
    ...documentTrials(input.usage, trace.policy),
    isolation: isolationOf(explanation, rewrite),
    written: writtenOf(explanation),
    snapshot: decision.evidence.snapshot,
    waysOut: [...waysOutOf(explanation)],
    patch: patch.map((operation) => ({ ...operation }))
  }
}

type Answer = 'decision' | 'reason' | 'summary' | 'sentence' | 'notices' | 'warnings' | 'changes' | 'proposed'

function answerOf(decision: Decision): Pick<ExplanationDocument, Answer> {
  const { kind, reason, sentence, notices } = decision
  return {
    decision: kind,
    reason,
    summary: reasons[reason].summary,
    sentence,
    notices: [...notices],
    warnings: [...warningsOf(decision)],
    changes: decision.kind === 'rewrite' ? decision.changes.map(changeOf) : [],
    proposed: decision.kind === 'keep' ? (decision.proposed?.changes ?? []).map(changeOf) : []
  }
}

function changeOf({
  container,
  share,
  resource,
  ask,
  requires
}: ContainerChange): ExplanationDocument['changes'][number] {
  return {
    container: container.name,
    share,
    resource,
    asks: { ...ask.resources },
    nodeLabels: { ...requires }
  }
}

function namespaceOf(labels: Readonly<Record<string, string>>): ExplanationDocument['namespace'] {
  const isShared = labels[namespaceLabels.isolation] === 'shared-ok'
  return { rightsize: enforcementOf(labels), isolation: isShared ? 'shared-ok' : 'hardware' }
}

function rulesOf({
  name,
  mode,
  rewrite,
  headroomRatio,
  onMissingCapacity,
  methods,
  allowedProfiles
}: EffectivePolicy): ExplanationDocument['rules'] {
  return {
    name,
    mode,
    rewrite,
    headroomRatio,
    onMissingCapacity,
    methods: methods === undefined ? undefined : [...methods],
    allowedProfiles: allowedProfiles === undefined ? undefined : [...allowedProfiles]
  }
}

/** Of a pod that is none of our business nothing is said of shares. */
function sharesOf(
  { decision, trace, others }: Explanation,
  rewrite: Rewrite | undefined
): ExplanationDocument['shares'] {
  if (reasons[decision.reason].marks !== 'written') return []
  return trace.shares.map((share) => documentShare(share, { trace, rewrite, pods: others }))
}

function isolationOf(
  { trace, verdict }: Explanation,
  rewrite: Rewrite | undefined
): ExplanationDocument['isolation'] {
  const words = (rewrite?.changes ?? []).flatMap((change) =>
    trace.shares.filter((share) => isOf(change, share)).map(({ isolates }) => isolates)
  )
  const judged = verdict?.kind === 'judged' ? verdict : undefined
  return {
    keepsApart: [...new Set(words)],
    judged: verdict !== undefined,
    refused: judged?.refused.map(brokenRule) ?? [],
    warned: judged?.warned.map(brokenRule) ?? []
  }
}

function brokenRule(breach: Breach): ExplanationDocument['isolation']['refused'][number] {
  return { rule: breach.rule, sentence: breachLine(breach) }
}

function writtenOf({ written, decision }: Explanation): ExplanationDocument['written'] {
  if (written === undefined) return undefined
  const evidenceChanged = written.snapshot !== decision.evidence.snapshot
  return { ...written, evidenceChanged, sameAnswer: isSameAnswer(written, decision) }
}

/** How to change what would happen; where a pod has something else than it would get now, first how to get that. */
function waysOutOf({ subject, input, decision, trace, written }: Explanation): readonly string[] {
  const { namespace } = subject
  const restart = restartOf(namespace, input.workload.kind === 'Pod' ? undefined : input.workload)
  const policy = trace.policy?.name ?? trace.policies.find(({ standing }) => standing === 'invalid')?.name
  const own = waysOutFor(decision.reason, { namespace, restart, policy })
  if (written === undefined || isSameAnswer(written, decision)) return own
  if (subject.kind !== 'Pod' && decision.kind !== 'rewrite') return own
  return [`pods that run stay as they are; to have it decided anew: ${restart}`, ...own]
}
