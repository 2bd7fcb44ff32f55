import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import { modelOf, plainNames, type Site, siteOf } from '../../core/pack/instances.ts'
import { type Figure, goalOf, quantile } from '../report.ts'
import { packChecked } from './checked-packing.ts'
import { freedRatio, gapRatio, packedListFigures } from './packed-list.ts'
import { readTraceRows, type TraceRow } from './trace-rows.ts'

/** File of the trace in the folder that the caller names. */
export const OPENB_FILE = 'openb_pods.csv.gz'

const WHOLE_MILLI = 1000
const SECONDS_PER_HOUR = 3600

/** What a share of a GPU asks of a slice: the same part of its memory alone, or of its compute slices, too. */
export type SharePart = 'memory' | 'memory and compute'

/** A pod that asked for a part of one GPU. */
export interface SharingPod {
  readonly gpuMilli: number
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** Pods of the trace that ask for less than one GPU, in the order in which they came. */
export function sharingPodsOf(rows: readonly TraceRow[]): readonly SharingPod[] {
  return rows
    .filter((row) => row['num_gpu'] === '1' && Number(row['gpu_milli']) < WHOLE_MILLI)
    .map((row) => ({
      gpuMilli: Number(row['gpu_milli']),
      fromSeconds: Number(row['creation_time']),
      toSeconds: Number(row['deletion_time'])
    }))
    .toSorted((a, b) => a.fromSeconds - b.fromSeconds)
}

/**
 * The smallest profile without attributes that is such a part of the card: least memory first, then least compute.
 * @example 470 of 1000 on A100-80: 3g.40gb by memory, 4g.40gb by memory and compute; 550: 7g.80gb
 */
export function sliceForShare(model: GpuModel, gpuMilli: number, part: SharePart): string {
  const { computeSlices: allCompute = 0, memorySlices: allMemory = 0 } = model
  const slice = model.profiles
    .filter(({ name, computeSlices, memorySlices }) => {
      const hasMemory = memorySlices * WHOLE_MILLI >= gpuMilli * allMemory
      const hasCompute = computeSlices * WHOLE_MILLI >= gpuMilli * allCompute
      return name.endsWith('gb') && hasMemory && (part === 'memory' || hasCompute)
    })
    .toSorted((a, b) => a.memorySlices - b.memorySlices || a.computeSlices - b.computeSlices)
    .at(0)
  if (slice === undefined) throw new Error(`no slice of ${model.id} is ${gpuMilli} thousandths of it`)
  return slice.name
}

/**
 * openb (Alibaba cluster-trace-gpu-v2023, Apache-2.0): pods that share a GPU, as slices of an A100-80, as one list and as
 * they came and went. The trace stays where it is.
 */
export function benchOpenb(traces: string): readonly Figure[] {
  const startMs = performance.now()
  const pods = sharingPodsOf(readTraceRows(traces, OPENB_FILE))
  if (pods.length === 0) throw new Error(`no pod in ${OPENB_FILE} shares a GPU`)
  const model = modelOf('a100-sxm4-80gb')
  const site = siteOf(model, plainNames(model), {})
  const workloads = pods.map(({ gpuMilli }) => sliceForShare(model, gpuMilli, 'memory and compute'))
  const figures = [
    ...packedListFigures('openb, one list, memory and compute', { site, workloads, goalGpus: 2377 }),
    ...replayFigures('openb in time, memory only', replay(site, pods, 'memory'), 9092),
    ...replayFigures('openb in time, memory and compute', replay(site, pods, 'memory and compute'))
  ]
  const seconds = (performance.now() - startMs) / 1000
  return [...figures, { name: 'openb: time, checks included', value: seconds, unit: 's' }]
}

/** Cards in use from one event to the next. */
interface Span {
  readonly hours: number
  readonly whole: number
  readonly gpus: number
  readonly bound: number
  readonly timeMs: number
}

/** Packs all pods that are there after each moment at which one came or went, as if all could be moved. */
function replay(site: Site, pods: readonly SharingPod[], part: SharePart): readonly Span[] {
  const changes = pods.flatMap(({ gpuMilli, fromSeconds, toSeconds }) => {
    const profile = sliceForShare(site.model, gpuMilli, part)
    return [
      { atSeconds: fromSeconds, profile, change: 1 },
      { atSeconds: toSeconds, profile, change: -1 }
    ]
  })
  const events = [...Map.groupBy(changes, ({ atSeconds }) => atSeconds)].toSorted(([a], [b]) => a - b)
  const live = new Map<string, number>()
  return events.map(([atSeconds, same], index) => {
    for (const { profile, change } of same) live.set(profile, (live.get(profile) ?? 0) + change)
    const asks = [...live]
      .filter(([, count]) => count > 0)
      .map(([profile, count]) => ({ profile, count, isExact: false }))
    const { packing, timeMs } = packChecked(site, asks)
    const [untilSeconds = atSeconds] = events[index + 1] ?? []
    const whole = asks.reduce((sum, { count }) => sum + count, 0)
    const { gpus, bound } = packing
    return { hours: (untilSeconds - atSeconds) / SECONDS_PER_HOUR, whole, gpus, bound, timeMs }
  })
}

function replayFigures(name: string, spans: readonly Span[], goalHours?: number): readonly Figure[] {
  const hoursOf = (cards: (span: Span) => number): number =>
    spans.reduce((sum, span) => sum + span.hours * cards(span), 0)
  const wholeHours = hoursOf(({ whole }) => whole)
  const exactHours = hoursOf(({ gpus }) => gpus)
  const timesMs = spans.map(({ timeMs }) => timeMs)
  return [
    { name: `${name}: whole cards`, value: wholeHours, unit: 'GPU h' },
    {
      name: `${name}: exact`,
      value: exactHours,
      unit: 'GPU h',
      ...goalOf('<=', goalHours)
    },
    { name: `${name}: saved`, value: freedRatio(exactHours, wholeHours) * 100, unit: '%' },
    {
      name: `${name}: largest gap at ${spans.length} events`,
      value: Math.max(...spans.map(({ gpus, bound }) => gapRatio(gpus, bound))) * 100,
      unit: '%',
      comparison: '<=',
      goal: 0
    },
    { name: `${name}: most pods at once`, value: Math.max(...spans.map(({ whole }) => whole)), unit: 'pods' },
    { name: `${name}: packing at an event, median`, value: quantile(timesMs, 0.5), unit: 'ms' },
    { name: `${name}: packing at an event, p99`, value: quantile(timesMs, 0.99), unit: 'ms' }
  ]
}
