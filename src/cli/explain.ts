import { printMiB } from '../core/api/quantity.ts'
import { decide } from '../core/decision/decide.ts'
import type { Considered, Decision, DecisionSettings, Finding } from '../core/decision/decision.ts'
import { isChosen } from '../core/decision/outcome.ts'
import { warningsOf } from '../core/decision/tell.ts'
import { applyStrictly } from '../core/patch/apply.ts'
import type { PatchOperation } from '../core/patch/operation.ts'
import { toJsonPatch } from '../core/patch/to-json-patch.ts'
import type { TemplatedPod } from '../core/pod/pod-template.ts'
import { workloadKey } from '../core/pod/workload.ts'
import { printDuration } from '../core/policy/duration.ts'
import { showLine, showName } from '../core/rules/show.ts'
import { breachLine } from '../core/rules/tell.ts'
import { judgeIsolation, type Verdict } from '../core/rules/verdict.ts'
import type { ClusterState } from '../gather/cluster-state.ts'
import { gatherDecisionInput } from '../gather/decision-input.ts'
import { gatherIsolationInput } from '../gather/isolation-input.ts'

/** What would happen to one pod, and why. */
export interface Explanation {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly decision: Decision
  readonly patch: readonly PatchOperation[]
  /** What the isolation rules say of the pod after the patch. */
  readonly verdict: Verdict
}

/** Asks the engine what it would do with a pod that is created in `namespace`. */
export function explainPod(
  { pod, kind, name, namespace, ownerMark }: TemplatedPod,
  options: {
    readonly namespace: string
    readonly state: ClusterState
    readonly settings: DecisionSettings
    readonly nowMs: number
  }
): Explanation {
  const where = namespace ?? options.namespace
  const arrival = {
    operation: 'CREATE',
    subResource: '',
    namespace: where,
    object: pod,
    nowMs: options.nowMs,
    ...(ownerMark === undefined ? {} : { ownerMark })
  }
  const decision = decide(gatherDecisionInput(arrival, options.state, options.settings))
  const patch = toJsonPatch(pod, decision)
  const object = applyStrictly(pod, patch, decision.kind === 'rewrite' ? decision.methods : [])
  const input = gatherIsolationInput({ ...arrival, object }, options.state, options.settings)
  return { kind, name, namespace: where, decision, patch, verdict: judgeIsolation(input) }
}

/** The explanation as text for people: the outcome, the numbers, the candidates, and what to do next. */
export function renderExplanation({ kind, name, namespace, decision, verdict }: Explanation): string {
  const { evidence } = decision
  const outcome = decision.kind === 'rewrite' ? 'rewritten' : 'not changed'
  const lines = [
    `${showName(`${kind} ${namespace}/${name}`)} · ${outcome}: ${decision.reason}`,
    line('workload', workloadKey(evidence.workload)),
    line('policy', evidence.policy ?? 'none'),
    ...evidence.findings.flatMap((finding) => renderFinding(finding, decision)),
    line('so', decision.sentence),
    ...decision.notices.map((notice) => line('note', notice)),
    ...renderVerdict(verdict),
    line('help', `rightslice explain --reason ${decision.reason}`)
  ]
  return `${lines.join('\n')}\n`
}

function renderVerdict(verdict: Verdict): readonly string[] {
  if (verdict.kind === 'outside') return []
  return [
    ...verdict.refused.map((breach) => line('refused', breachLine(breach))),
    ...verdict.warned.map((breach) => line('warned', breachLine(breach)))
  ]
}

function renderFinding(finding: Finding, decision: Decision): readonly string[] {
  const percent = Math.round(finding.headroomRatio * 100)
  const rewrite = decision.kind === 'rewrite' ? decision : decision.proposed
  const change = rewrite?.changes.find(({ container }) => container.name === finding.container)
  return [
    line('container', finding.container),
    line(
      'peak memory',
      `${printMiB(finding.peakMiB)}  (${printDuration(finding.coverageSeconds)} of history)`
    ),
    line(`+ headroom ${percent}%`, `${printMiB(finding.neededMiB)} needed`),
    ...(finding.neededCompute === undefined
      ? []
      : [line('compute', `${percentOf(finding.neededCompute)} of a GPU needed`)]),
    ...finding.considered.map((candidate, index) =>
      line(index === 0 ? 'candidates' : '', renderCandidate(candidate, finding, isChosen(candidate, change)))
    )
  ]
}

function renderCandidate(candidate: Considered, finding: Finding, chosen: boolean): string {
  const usable = candidate.usableMiB === undefined ? 'unknown' : printMiB(candidate.usableMiB)
  const mark = chosen ? '  <- chosen' : ''
  return `${candidate.share.padEnd(12)} ${usable.padStart(8)} usable   ${tellVerdict(candidate, finding)}${mark}`
}

function tellVerdict({ verdict, usableMiB = 0, computeRatio }: Considered, { neededMiB }: Finding): string {
  switch (verdict) {
    case 'fits':
      return `fits, ${printMiB(usableMiB - neededMiB)} spare`
    case 'too-small':
      return `too small by ${printMiB(neededMiB - usableMiB)}`
    case 'over-limit':
      return 'a quota or LimitRange of the namespace stands in the way'
    case 'too-little-compute':
      return `too little compute (${percentOf(computeRatio ?? 0)})`
    case 'memory-unknown':
      return 'its memory is not known'
    case 'compute-unknown':
      return 'its compute is not known'
  }
}

function percentOf(ratio: number): string {
  return `${Math.round(ratio * 100)}%`
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(16)} ${showLine(text)}`
}

/** The explanation as a JSON document. */
export function explanationJson(explanation: Explanation): unknown {
  const { kind, name, namespace, decision, patch, verdict } = explanation
  const rewrite = decision.kind === 'rewrite' ? decision : undefined
  return {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'Explanation',
    object: { kind, namespace, name },
    decision: decision.kind,
    reason: decision.reason,
    sentence: decision.sentence,
    notices: decision.notices,
    warnings: warningsOf(decision),
    changes:
      rewrite?.changes.map(({ container, resource, share }) => ({
        container: container.name,
        resource,
        share
      })) ?? [],
    evidence: decision.evidence,
    isolation:
      verdict.kind === 'outside'
        ? { refused: [], warned: [] }
        : { refused: verdict.refused.map(breachLine), warned: verdict.warned.map(breachLine) },
    patch
  }
}
