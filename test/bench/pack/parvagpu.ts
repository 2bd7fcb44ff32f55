import {
  brokenLimits,
  costOf,
  type IntegerProgram,
  wholeValues
} from '../../../src/core/pack/integer-program.ts'
import { findPatterns, type Pattern } from '../../../src/core/pack/patterns.ts'
import { HighsSolver } from '../../../src/solver/highs-solver.ts'
import { modelOf } from '../../core/pack/instances.ts'
import type { Figure } from '../report.ts'
import { readTraceRows, type TraceRow } from './trace-rows.ts'

/** Compute slices of a segment and the profile that it takes; the one with double memory is left out, as ParvaGPU does. */
const profiles: readonly (readonly [slices: number, profile: string])[] = [
  [7, '7g.80gb'],
  [4, '4g.40gb'],
  [3, '3g.40gb'],
  [2, '2g.20gb'],
  [1, '1g.10gb']
]
/** Processes in one slice that its own placements use at most. */
const MOST_PROCESSES = 5
const goals: Readonly<Record<string, number>> = { S1: 2, S2: 3, S3: 4, S4: 6, S5: 11, S6: 14 }
/** GPUs of ParvaGPU's published placements, all scenarios. */
const PUBLISHED = 46
/** More cards or segments than any scenario needs. */
const MOST = 1000

/** Files of the trace in the folder that the caller names. */
export const PARVAGPU_FILES = ['parvagpu_profiles.csv.gz', 'parvagpu_slo.csv'] as const

/** Some processes of one model in one slice. */
interface Segment {
  readonly model: string
  readonly slices: number
  readonly requestsPerSecond: number
}

/** The segments with the most requests a second that keep the latency, one for each size. */
function bestSegments(measured: readonly TraceRow[], target: TraceRow): readonly Segment[] {
  const best = new Map<number, Segment>()
  for (const row of measured) {
    const segment = segmentOf(row)
    const isAllowed = segment.model === target['model'] && Number(row['procs']) <= MOST_PROCESSES
    if (!isAllowed || Number(row['latency_s']) * 1000 > Number(target['latency_ms'])) continue
    if (segment.requestsPerSecond > (best.get(segment.slices)?.requestsPerSecond ?? 0))
      best.set(segment.slices, segment)
  }
  return [...best.values()]
}

function segmentOf(row: TraceRow): Segment {
  return {
    model: row['model'] ?? '',
    slices: Number(row['gpc']),
    requestsPerSecond: Number(row['throughput']) * Number(row['procs'])
  }
}

function patterns(): readonly Pattern[] {
  const names = profiles.map(([, name]) => name)
  const found = findPatterns(modelOf('a100-sxm4-80gb'), names)
  if (found.kind !== 'patterns') throw new Error('no patterns')
  return found.patterns
}

/** Fewest cards whose segments cover every rate: cards by pattern, then segments by model and size. */
function scenarioProgram(measured: readonly TraceRow[], targets: readonly TraceRow[]): IntegerProgram {
  const cards = patterns()
  const segments = targets.flatMap((target) => bestSegments(measured, target))
  const rates = targets.map(({ model, rate_rps: rate }) => ({
    name: `rate of ${model}`,
    least: Number(rate),
    terms: segments.flatMap((segment, index) =>
      segment.model === model ? [[cards.length + index, segment.requestsPerSecond] as const] : []
    )
  }))
  const slots = profiles.map(([least, name]) => ({
    name: `slots from ${name}`,
    least: 0,
    terms: [
      ...cards.map(({ slots: cut }, index) => [index, slotsFrom(cut, least)] as const),
      ...segments.map(({ slices }, index) => [cards.length + index, slices >= least ? -1 : 0] as const)
    ].filter(([, weight]) => weight !== 0)
  }))
  const column = (name: string, cost: number) => ({ name, cost, most: MOST, isWhole: true })
  return {
    columns: [
      ...cards.map((_, index) => column(`cards ${index}`, 1)),
      ...segments.map(({ model, slices }) => column(`${model} on ${slices}g`, 0))
    ],
    rows: [...rates, ...slots]
  }
}

function slotsFrom(cut: Readonly<Record<string, number>>, least: number): number {
  return profiles.filter(([slices]) => slices >= least).reduce((sum, [, name]) => sum + (cut[name] ?? 0), 0)
}

/** Cards of a scenario, and what is proved that nobody does with fewer. */
async function solveScenario(
  program: IntegerProgram,
  solver: HighsSolver
): Promise<{ gpus: number; bound: number }> {
  const answer = await solver.solve(program, { timeLimitMs: 60_000, signal: new AbortController().signal })
  const values = answer.kind === 'solved' ? wholeValues(program, answer.values) : undefined
  if (answer.kind !== 'solved' || values === undefined || brokenLimits(program, values).length > 0)
    throw new Error('no answer that covers every rate')
  return { gpus: costOf(program, values), bound: Math.ceil(answer.bound - 1e-6) }
}

/**
 * ParvaGPU (MunQ-Lee/ParvaGPU_SC24, MIT): its profiles and targets, solved exactly, beside its published placements. The traces
 * stay where they are.
 */
export async function benchParvaGpu(traces: string): Promise<readonly Figure[]> {
  const [profilesFile, targetsFile] = PARVAGPU_FILES
  const measured = readTraceRows(traces, profilesFile)
  const targets = readTraceRows(traces, targetsFile)
  const solver = new HighsSolver()
  const startMs = performance.now()
  const cpu = process.cpuUsage()
  const figures: Figure[] = []
  let total = 0
  for (const [scenario, goal] of Object.entries(goals)) {
    const own = targets.filter((row) => row['scenario'] === scenario)
    const { gpus, bound } = await solveScenario(scenarioProgram(measured, own), solver)
    total += gpus
    const name = `ParvaGPU ${scenario}`
    figures.push({ name, value: gpus, unit: 'GPUs', comparison: '<=', goal })
    figures.push({
      name: `${name}: above the proved bound`,
      value: gpus - bound,
      unit: 'GPUs',
      comparison: '<=',
      goal: 0
    })
  }
  const seconds = (performance.now() - startMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await solver.close()
  const name = 'ParvaGPU S1 to S6'
  return [
    ...figures,
    { name, value: total, unit: 'GPUs', comparison: '<=', goal: 40 },
    { name: `${name}, as published`, value: PUBLISHED, unit: 'GPUs' },
    {
      name: `${name}: time, start of the solver included`,
      value: seconds,
      unit: 's',
      comparison: '<=',
      goal: 2
    },
    { name: `${name}: CPU time`, value: (user + system) / 1e6, unit: 's' }
  ]
}
