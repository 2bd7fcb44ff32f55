import { printMiB } from '../core/api/quantity.ts'
import type { CandidateGroup, CandidateRow, Fit } from '../core/candidates/candidate.ts'
import { freedGpus, monthlyUsd, summarize } from '../core/candidates/summary.ts'
import { workloadKey } from '../core/pod/workload.ts'
import { alignedTable, markdownTable } from './table.ts'

const columns = [
  'NODE',
  'NAMESPACE',
  'WORKLOAD',
  'PODS',
  'NOW',
  'PEAK MEM',
  'PEAK SM',
  'NEEDS',
  'FITS',
  'FREES',
  'USD/MO'
]

/** The candidates as a plain aligned table, with the sums below. */
export function renderCandidates(groups: readonly CandidateGroup[]): string {
  const lines = alignedTable(columns, groups.flatMap(tableRows))
  return `${[...lines, ...summaryLines(groups)].join('\n')}\n`
}

/** The same as a Markdown table. */
export function renderCandidatesMarkdown(groups: readonly CandidateGroup[]): string {
  const lines = markdownTable(columns, groups.flatMap(tableRows))
  return `${[...lines, '', ...summaryLines(groups)].join('\n')}\n`
}

function tableRows(group: CandidateGroup): readonly string[][] {
  const freed = freedGpus(group)
  const money = monthlyUsd(group)
  return group.rows.map((row, index) => {
    const isLast = index === group.rows.length - 1
    return [
      index === 0 ? nodesCell(group.nodes) : '',
      row.namespace,
      workloadKey(row.workload),
      String(row.pods),
      `${row.gpus} GPU`,
      row.need === undefined ? '-' : printMiB(row.need.peakMiB),
      row.need?.peakCompute === undefined ? '-' : `${Math.round(row.need.peakCompute * 100)}%`,
      needCell(row),
      fitCell(row.fit),
      isLast && freed > 0 ? String(freed) : '',
      isLast && freed > 0 ? moneyText(money) : ''
    ]
  })
}

function nodesCell([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first}+${others.length}`
}

function needCell({ need, fit }: CandidateRow): string {
  if (fit.kind === 'replica') return `${printMiB(fit.neededMiB)}*`
  return need === undefined ? '-' : printMiB(need.neededMiB)
}

function fitCell(fit: Fit): string {
  switch (fit.kind) {
    case 'slice':
      return `mig-${fit.profile}`
    case 'replica':
      return `shared x${fit.replicas}`
    case 'none':
      return `- ${fit.reason}`
  }
}

function moneyText(usd: number | undefined): string {
  return usd === undefined ? '?' : Math.round(usd).toLocaleString('en-US')
}

function summaryLines(groups: readonly CandidateGroup[]): readonly string[] {
  const { pods, gpusNow, gpusAfter, gpusFreed, monthlyUsd: monthly } = summarize(groups)
  const price = monthly === undefined ? '' : `: ${moneyText(monthly)} USD/month`
  const shared = groups.some(({ rows }) => rows.some(({ fit }) => fit.kind === 'replica'))
  return [
    `${pods} pods on ${gpusNow} whole GPUs fit on ${gpusAfter}. ${gpusFreed} GPUs could be freed${price}.`,
    ...(shared ? ['* what the largest of the group need together on one card, headroom included'] : [])
  ]
}
