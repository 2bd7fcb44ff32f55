import { reasons } from '../core/api/reasons.ts'
import type { Finding, NamespaceSweep } from '../core/audit/finding.ts'
import { workloadKey } from '../core/pod/workload.ts'
import { showName } from '../core/rules/show.ts'
import type { SweepFault } from '../gather/sweep/sweep-fault.ts'
import { alignedTable, markdownTable } from './table.ts'

/** What an audit found, and what it could not look at. */
export interface Audit {
  readonly namespaces: readonly NamespaceSweep[]
  readonly faults: readonly SweepFault[]
}

const columns = ['NAMESPACE', 'WORKLOAD', 'PODS', 'LEVEL', 'RULE', 'WHAT']

/** One wrong of the pods of one finding. */
interface Entry {
  readonly finding: Finding
  /** Code of a rule, or the reason `WebhookWasDown`. */
  readonly code: string
  /** undefined for what breaks no rule. */
  readonly level: 'enforce' | 'warn' | undefined
  readonly message: string
}

/** The violations as a plain aligned table, with the sums below. */
export function renderViolations(audit: Audit): string {
  const lines = alignedTable(columns, entriesOf(audit).map(cellsOf))
  return `${[...lines, ...summaryLines(audit)].join('\n')}\n`
}

/** The same as a Markdown table. */
export function renderViolationsMarkdown(audit: Audit): string {
  const lines = markdownTable(columns, entriesOf(audit).map(cellsOf))
  return `${[...lines, '', ...summaryLines(audit)].join('\n')}\n`
}

/** The same as a versioned JSON document. */
export function violationsJson(audit: Audit, { generatedAt }: { readonly generatedAt: string }): unknown {
  return {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'ViolationList',
    generatedAt,
    complete: isComplete(audit),
    summary: summarizeAudit(audit),
    items: entriesOf(audit).map(itemOf),
    notRead: audit.faults.map(({ what, namespace = null, error }) => ({
      what,
      namespace,
      message: error.message
    }))
  }
}

/** Whether everything was read, so that no finding means that there is none. */
export function isComplete({ namespaces, faults }: Audit): boolean {
  return faults.length === 0 && namespaces.every(({ isWhole }) => isWhole)
}

/** Sums over all namespaces that were read. */
export function summarizeAudit({ namespaces }: Audit): {
  readonly namespaces: number
  readonly pods: number
  readonly violatingPods: number
  readonly unreviewedPods: number
  /** Pods with something wrong that no item tells of, because a namespace has too many. */
  readonly podsLeftOut: number
} {
  const sum = (count: (sweep: NamespaceSweep) => number): number =>
    namespaces.reduce((total, sweep) => total + count(sweep), 0)
  return {
    namespaces: namespaces.length,
    pods: sum(({ podCount }) => podCount),
    violatingPods: sum(({ violatingPods }) => violatingPods),
    unreviewedPods: sum(({ unreviewedPods }) => unreviewedPods),
    podsLeftOut: sum(({ podsLeftOut }) => podsLeftOut)
  }
}

function entriesOf({ namespaces }: Audit): readonly Entry[] {
  return namespaces.flatMap(({ findings }) =>
    findings.flatMap((finding): readonly Entry[] => {
      const broken = finding.violations.map(({ rule: code, level, sentence: message }) => ({
        finding,
        code,
        level,
        message
      }))
      const code = 'WebhookWasDown'
      const unseen = { finding, code, level: undefined, message: reasons[code].summary }
      return finding.isUnreviewed ? [...broken, unseen] : broken
    })
  )
}

function cellsOf({ finding, code, level, message }: Entry): readonly string[] {
  const { namespace, workload, pods, podCount } = finding
  const first = pods[0]?.name ?? ''
  const named = podCount > 1 ? `${first}+${podCount - 1}` : first
  return [namespace, showName(workloadKey(workload)), named, level ?? '-', code, message]
}

function itemOf({ finding, code, level, message }: Entry): unknown {
  const { namespace, workload, pods, podCount, policy = null } = finding
  return {
    namespace,
    workload,
    pods: { count: podCount, names: pods.map(({ name }) => name) },
    policy,
    level: level ?? null,
    code,
    message
  }
}

function summaryLines(audit: Audit): readonly string[] {
  const { namespaces, pods, violatingPods, unreviewedPods, podsLeftOut } = summarizeAudit(audit)
  const inPart = isComplete(audit) ? '' : ' Not everything could be read, so there may be more.'
  const left = podsLeftOut === 0 ? '' : ` ${podsLeftOut} pods with something wrong are not listed.`
  return [
    `${violatingPods} of ${pods} pods in ${namespaces} namespaces break isolation, ${unreviewedPods} were never reviewed.${left}${inPart}`
  ]
}
