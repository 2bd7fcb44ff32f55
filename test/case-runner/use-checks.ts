import { isRecord } from '../../src/core/json.ts'
import { type WorkloadRef, workloadKey } from '../../src/core/pod/workload.ts'
import { findMetricDialect, type MetricDialect } from '../../src/core/usage/dialect.ts'
import { parseSampleValue, readValue } from '../../src/core/usage/dialect-value.ts'
import { type CaseFile, recordOr } from './case-file.ts'
import { samplesIn } from './samples-in.ts'
import type { UseInCase } from './use-in-case.ts'

/** What is known of a workload or pod: a peak that is its own, else an upper bound. */
interface FoundPeak {
  readonly ownMiB: number | undefined
  readonly atMostMiB: number | undefined
  /** Whether the bound comes from series that name the pod; the total of a device is nobody's peak, and bounds all the same. */
  readonly isNamed: boolean
}

/** Everything in `peakMiB` that does not hold. */
export function wrongPeaks(want: unknown, use: UseInCase): readonly string[] {
  const isTable = isRecord(want) && !Object.hasOwn(want, 'atMost')
  const wanted = isTable ? Object.entries(recordOr(want)) : [['', want] as const]
  return wanted.flatMap(([name, peak]) => {
    const found = peakOf(name, use)
    return isAsWanted(peak, found)
      ? []
      : [
          `peakMiB${name === '' ? '' : ` of ${name}`}: want ${JSON.stringify(peak)}, got ${JSON.stringify(found)}`
        ]
  })
}

function isAsWanted(want: unknown, { ownMiB, atMostMiB, isNamed }: FoundPeak): boolean {
  if (want === 'none') return ownMiB === undefined && !isNamed
  if (isRecord(want)) return ownMiB === undefined && isNear(want.atMost, atMostMiB)
  return isNear(want, ownMiB)
}

function isNear(want: unknown, got: number | undefined): boolean {
  return typeof want === 'number' && got !== undefined && Math.abs(want - got) <= 1
}

interface Named {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly pod: string
}

function peakOf(name: string, { attribution: { histories, bounds } }: UseInCase): FoundPeak {
  const own = histories.flatMap(({ key, blocks }) =>
    blocks.filter(({ pod }) => isNamed(name, { ...key, pod })).map(({ peakMiB }) => peakMiB)
  )
  const shared = bounds.filter((bound) => isNamed(name, bound))
  const most = shared.map(({ atMostMiB }) => atMostMiB)
  return {
    ownMiB: own.length === 0 ? undefined : Math.max(...own),
    atMostMiB: most.length === 0 ? undefined : Math.max(...most),
    isNamed: shared.some(({ basis }) => basis === 'series')
  }
}

/** `team-a/pod`, `pod`, `Deployment/w`, `team-a/Deployment/w`; '' is everybody. */
function isNamed(name: string, { namespace, workload, pod }: Named): boolean {
  const names = [`${namespace}/${pod}`, pod, workloadKey(workload), `${workload.kind}/${workload.name}`]
  return name === '' || names.includes(name) || name === `${namespace}/${workloadKey(workload)}`
}

/** Metrics that the product does not read, since they tell no need, and that a case may ask about. */
const others: readonly MetricDialect[] = [
  { name: 'DCGM_FI_DEV_GPU_UTIL', metric: 'gr-engine-active', unit: 'percent' },
  { name: 'DCGM_FI_DEV_MEM_COPY_UTIL', metric: 'gr-engine-active', unit: 'percent' },
  { name: 'DCGM_FI_DEV_GPU_UTIL_RATIO', metric: 'gr-engine-active', unit: 'ratio' }
]

/** Everything in `peakRatio` that does not hold: the highest value of a metric that is believed, of a device or of a pod. */
export function wrongRatios(want: unknown, file: CaseFile): readonly string[] {
  const samples = samplesIn(file.input)
  return Object.entries(recordOr(want)).flatMap(([metric, ratio]) => {
    const dialect = findMetricDialect(metric, others)
    const values = samples.flatMap(({ name, labels, text }) => {
      if (name !== metric || dialect === undefined || isNotMeasured(metric, labels)) return []
      const read = readValue(parseSampleValue(text), dialect.unit, '')
      return read.kind === 'value' ? [read.value] : []
    })
    const got = values.length === 0 ? 'none' : Math.max(...values)
    const isRight =
      got === ratio || (typeof ratio === 'number' && typeof got === 'number' && Math.abs(ratio - got) < 0.001)
    return isRight ? [] : [`peakRatio of ${metric}: want ${JSON.stringify(ratio)}, got ${got}`]
  })
}

/** GPU_UTIL of a slice is a constant without meaning. */
function isNotMeasured(metric: string, labels: Readonly<Record<string, string>>): boolean {
  return /GPU_UTIL/i.test(metric) && Object.keys(labels).some((label) => label.toLowerCase() === 'gpu_i_id')
}
