import { userAnnotations } from '../api/names.ts'
import { reasons } from '../api/reasons.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { workloadKey } from '../pod/workload.ts'
import { showName } from '../rules/show.ts'
import type { Decision, Rewrite } from './decision.ts'
import { tellNeed } from './need.ts'

/** Longest warning and largest number of them that reach a user whole. @source kube-apiserver cuts longer ones */
const MAX_WARNING = 120
const MAX_WARNINGS = 5

/** What the user who creates the pod, or a template of it, is told, each line short and clean enough to reach the terminal. */
export function warningsOf(decision: Decision, about: 'pod' | 'template' = 'pod'): readonly string[] {
  const whose = about === 'pod' ? '' : 'of new pods '
  const lines = [...mainLines(decision, whose), ...decision.notices]
  return [...new Set(lines.map(clean))].slice(0, MAX_WARNINGS)
}

function mainLines(decision: Decision, whose: string): readonly string[] {
  if (decision.kind === 'rewrite') {
    return decision.repeated ? [] : [...changeLines(decision, `${whose}gets`), wayBack(decision)]
  }
  if (decision.proposed !== undefined)
    return [...changeLines(decision.proposed, `${whose}would get`), `nothing changes: ${decision.reason}`]
  if (reasons[decision.reason].marks !== 'written') return []
  return [`GPU request unchanged, ${decision.reason}: ${decision.sentence}`]
}

function changeLines({ changes, evidence }: Rewrite, verb: string): readonly string[] {
  return changes.map(({ container, resource, share, ask }) => {
    const finding = evidence.findings.find((entry) => entry.container === container.name)
    const peak = finding === undefined ? '' : ` (${tellNeed(finding, 'short')})`
    const count = ask.resources[resource] ?? 1
    const name = `${nameOf(resource, share)}${count === 1 ? '' : ` ${count}`}`
    return `container "${container.name}" ${verb} ${name} instead of nvidia.com/gpu${peak}`
  })
}

/** A slice that keeps the name of a whole GPU is called by its own. */
function nameOf(resource: string, share: string): string {
  if (share === 'shared') return `a shared ${resource}`
  return resource === WHOLE_GPU ? `a slice ${share}` : resource
}

/** `sharing: never` is obeyed under every policy; a pin only where the policy allows pins. */
function wayBack({ reason }: Rewrite): string {
  return `why: rightslice explain --reason ${reason}; keep a whole GPU: ${userAnnotations.sharing}: never`
}

/** Printable ASCII of bounded length: anything else makes the API server drop a warning without a word. */
function clean(line: string): string {
  const text = `rightslice: ${line}`.replace(/[^\x20-\x7e]+/g, ' ').trim()
  return text.length <= MAX_WARNING ? text : `${text.slice(0, MAX_WARNING - 3)}...`
}

/** Entries for the audit log of the API server, by key (which gets the webhook's name as a prefix there). */
export function auditAnnotationsOf(decision: Decision): Readonly<Record<string, string>> {
  const { evidence } = decision
  return {
    decision: decision.kind,
    reason: decision.reason,
    snapshot: evidence.snapshot,
    workload: showName(workloadKey(evidence.workload)),
    ...(evidence.policy === undefined ? {} : { policy: evidence.policy })
  }
}
