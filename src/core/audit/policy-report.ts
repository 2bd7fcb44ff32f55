import { reasons } from '../api/reasons.ts'
import { ruleCodes } from '../api/rules.ts'
import type { JsonRecord } from '../json.ts'
import { type WorkloadRef, workloadKey } from '../pod/workload.ts'
import { showName } from '../rules/show.ts'
import { recordKey } from '../usage/read-gpu-workload.ts'
import type { Finding, NamespaceSweep } from './finding.ts'

/** Results that one report holds; the summary counts all of them. 200 of them take less than 400 kB. */
const MOST_RESULTS = 200

/** What is known of a workload with GPUs. */
export interface ReportedWorkload {
  readonly workload: WorkloadRef
  readonly apiVersion: string | undefined
  readonly policy: string | undefined
  /** Whether its next pods would fit a smaller share; undefined where that is not known. */
  readonly candidate:
    | { readonly fits: boolean; readonly reason: string; readonly message: string }
    | undefined
}

/** How a result ended, in the order in which results are kept. */
const outcomes = ['fail', 'warn', 'skip', 'pass'] as const

interface ReportResult {
  readonly result: (typeof outcomes)[number]
  readonly category: 'GPU isolation' | 'GPU sharing'
  /** Reason code or code of a rule. */
  readonly rule: string
  readonly severity?: 'high' | 'medium' | 'low'
  readonly message: string
  readonly policy: string | undefined
  readonly resources: readonly JsonRecord[]
  readonly properties: Readonly<Record<string, string>>
}

/** Reasons by which somebody wants the GPU whole. */
const wished: ReadonlySet<string> = new Set(['Pinned', 'OptedOut', 'Exempt'])

/**
 * What a policy report of a namespace says, in fields that both report APIs have: `fail` for what breaks isolation, `warn` for
 * what could be smaller, `skip` for what somebody wants as it is, `pass` for what is as it should be.
 */
export function toPolicyReport(sweep: NamespaceSweep, workloads: readonly ReportedWorkload[]): JsonRecord {
  const isolation = [...sweep.findings.flatMap(findingResults), ...keptRules(sweep, workloads)]
  const results = [...isolation, ...workloads.flatMap((reported) => sharingResult(sweep.namespace, reported))]
  const count = (outcome: ReportResult['result']): number =>
    results.filter(({ result }) => result === outcome).length
  return {
    scope: { apiVersion: 'v1', kind: 'Namespace', name: sweep.namespace },
    summary: { pass: count('pass'), fail: count('fail'), warn: count('warn'), error: 0, skip: count('skip') },
    results: results
      .toSorted((a, b) => outcomes.indexOf(a.result) - outcomes.indexOf(b.result) || byName(a, b))
      .slice(0, MOST_RESULTS)
      .map(printed)
  }
}

function findingResults(finding: Finding): readonly ReportResult[] {
  const { namespace, workload, policy, podCount, pods, violations, exempt, isUnreviewed } = finding
  const resources = pods.map(({ name, uid }) => ({ apiVersion: 'v1', kind: 'Pod', namespace, name, uid }))
  const properties = { workload: showName(workloadKey(workload)), pods: String(podCount) }
  const broken = violations.map(
    ({ rule, level, sentence }): ReportResult => ({
      result: 'fail',
      category: 'GPU isolation',
      rule,
      severity: level === 'enforce' ? 'high' : 'medium',
      message: sentence,
      policy,
      resources,
      properties: { ...properties, level }
    })
  )
  const lifted = exempt.map(
    ({ rule, exemption }): ReportResult => ({
      result: 'skip',
      category: 'GPU isolation',
      rule,
      message: `lifted by GpuExemption ${showName(exemption)}`,
      policy,
      resources,
      properties
    })
  )
  const told = [...broken, ...lifted]
  const rule = 'WebhookWasDown'
  const unseen: ReportResult = {
    result: 'warn',
    category: 'GPU sharing',
    rule,
    severity: 'low',
    message: reasons[rule].summary,
    policy,
    resources,
    properties
  }
  return isUnreviewed ? [...told, unseen] : told
}

/** Workloads that break no rule; none are called so where not all was seen. */
function keptRules(
  { namespace, findings, isWhole, podsLeftOut }: NamespaceSweep,
  workloads: readonly ReportedWorkload[]
): readonly ReportResult[] {
  if (!isWhole || podsLeftOut > 0) return []
  const broken = new Set(
    findings
      .filter(({ violations }) => violations.length > 0)
      .map(({ workload }) => recordKey(namespace, workload))
  )
  return workloads
    .filter(({ workload }) => !broken.has(recordKey(namespace, workload)))
    .map((reported) => ({
      result: 'pass',
      category: 'GPU isolation',
      rule: 'NoViolations',
      message: `its pods break none of ${ruleCodes.length} isolation rules`,
      ...aboutWorkload(namespace, reported)
    }))
}

function sharingResult(namespace: string, reported: ReportedWorkload): readonly ReportResult[] {
  const { candidate } = reported
  if (candidate === undefined) return []
  const { fits, reason, message } = candidate
  const about = aboutWorkload(namespace, reported)
  const told = { category: 'GPU sharing' as const, rule: reason, message, ...about }
  if (fits) return [{ ...told, result: 'warn', severity: 'low' }]
  return [{ ...told, result: wished.has(reason) ? 'skip' : 'pass' }]
}

function aboutWorkload(
  namespace: string,
  { workload, apiVersion, policy }: ReportedWorkload
): Pick<ReportResult, 'policy' | 'resources' | 'properties'> {
  const { kind, name } = workload
  const reference = { ...(apiVersion === undefined ? {} : { apiVersion }), kind, namespace, name }
  return { policy, resources: [reference], properties: { workload: showName(workloadKey(workload)) } }
}

function byName(a: ReportResult, b: ReportResult): number {
  const keys = [a, b].map(({ category, rule, properties, resources }) =>
    JSON.stringify([category, properties, rule, resources])
  )
  return (keys[0] ?? '') < (keys[1] ?? '') ? -1 : 1
}

function printed({ policy, properties, ...result }: ReportResult): JsonRecord {
  return {
    source: 'rightslice',
    policy: policy ?? 'rightslice',
    scored: result.result !== 'skip',
    ...result,
    properties
  }
}
