import type { CandidateGroup, CandidateRow, Fit } from '../core/candidates/candidate.ts'
import { summarize } from '../core/candidates/summary.ts'
import { migResourceName } from '../core/gpu/resource-name.ts'
import { migMixed } from '../core/sharing/mig-mixed.ts'
import { timeSlicing } from '../core/sharing/time-slicing.ts'

/** What a list of candidates is about besides the candidates. */
export interface ListFrame {
  /** Where peaks come from. */
  readonly source: string
  readonly lookbackDays: number
  readonly nowMs: number
}

const DAY_SECONDS = 86_400

/** The candidates as a versioned JSON document: bytes, ratios from 0 to 1, null where something is not known. */
export function candidatesJson(groups: readonly CandidateGroup[], frame: ListFrame): unknown {
  const { pods, gpusNow, gpusAfter, gpusFreed, monthlyUsd: monthly } = summarize(groups)
  const { source, lookbackDays, nowMs } = frame
  return {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'CandidateList',
    generatedAt: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    window: { lookback: `${lookbackDays}d`, source },
    summary: {
      candidates: pods,
      gpusNow,
      gpusAfter,
      gpusFreed,
      monthly: monthly?.toFixed(2) ?? null,
      currency: 'USD'
    },
    items: groups.flatMap((group) => group.rows.map((row) => itemOf(group, row, frame)))
  }
}

function itemOf(group: CandidateGroup, row: CandidateRow, { lookbackDays }: ListFrame): unknown {
  const { namespace, workload, container, pods, nodes, requested, gpus, need, fit, considered } = row
  return {
    namespace,
    workload,
    container,
    pods,
    nodes,
    model: group.model,
    requested: { 'nvidia.com/gpu': String(requested) },
    gpus,
    peakMemoryBytes: need === undefined ? null : bytesOf(need.peakMiB),
    peakCompute: need?.peakCompute ?? null,
    coverage: need === undefined ? null : coverageOf(need.coverageSeconds, lookbackDays),
    coverageSeconds: need?.coverageSeconds ?? null,
    neededBytes: need === undefined ? null : bytesOf(need.neededMiB),
    decision: decisionOf(fit),
    considered: considered.map(({ profile, usableMiB, fits }) => ({
      resource: migResourceName(profile),
      usableBytes: bytesOf(usableMiB),
      fits
    })),
    isolation: isolationOf(fit)
  }
}

/** What would be decided once the cards are cut like that. */
function decisionOf(fit: Fit): unknown {
  switch (fit.kind) {
    case 'slice': {
      const resource = migResourceName(fit.profile)
      return { reason: 'FitsMigProfile', resource, usableBytes: bytesOf(fit.usableMiB) }
    }
    case 'replica':
      return {
        reason: 'FitsSharedReplica',
        replicas: fit.replicas,
        neededTogetherBytes: bytesOf(fit.neededMiB)
      }
    case 'none':
      return { reason: fit.reason }
  }
}

function isolationOf(fit: Fit): string | null {
  if (fit.kind === 'none') return null
  return fit.kind === 'slice' ? migMixed.isolates('hardware') : timeSlicing.isolates('none')
}

function coverageOf(seconds: number, lookbackDays: number): number {
  return Math.min(1, Math.round((seconds / (lookbackDays * DAY_SECONDS)) * 100) / 100)
}

function bytesOf(mib: number): number {
  return Math.round(mib * 2 ** 20)
}
