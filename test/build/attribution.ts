import type { WorkloadRef } from '../../src/core/pod/workload.ts'
import type { KnownContainer, KnownNode, KnownPod } from '../../src/core/usage/attribution/known.ts'
import type {
  DayPeak,
  DeviceLabels,
  DeviceMetric,
  DeviceSeries
} from '../../src/core/usage/dialect-series.ts'

/** Length of a day, ms. */
export const DAY = 86_400_000

/** Length of an hour, ms. */
export const HOUR = 3_600_000

/** Start of the first day of a test, ms: 1 January 2026. */
export const FIRST_DAY = 1_767_225_600_000

/** What a test says about one day of a series; hours are counted from the start of the day. */
export interface DaySpec {
  /** Number of the day, the first is 0; default 0. */
  readonly day?: number
  readonly max: number
  readonly maxAtHour?: number
  readonly fromHour?: number
  readonly toHour?: number
  /** Default 2880: one every 30 seconds. */
  readonly samples?: number
}

/** What a test says about a series. */
export interface SeriesSpec extends Partial<DeviceLabels> {
  readonly metric?: DeviceMetric
  readonly metricName?: string
  readonly days: readonly DaySpec[]
}

/** Memory of pod team-a/app-7c9d8f6b5d-x2k4p, container main, on GPU-a of n1, an H100. */
export function aSeries({ metric = 'memory', metricName, days, ...labels }: SeriesSpec): DeviceSeries {
  return {
    labels: {
      namespace: 'team-a',
      pod: 'app-7c9d8f6b5d-x2k4p',
      container: 'main',
      node: 'n1',
      gpuUuid: 'GPU-a',
      gpuIndex: '0',
      model: 'NVIDIA-H100-80GB-HBM3',
      perProcess: false,
      ...labels
    },
    metric,
    metricName: metricName ?? 'DCGM_FI_DEV_FB_USED',
    days: days.map(aDay)
  }
}

function aDay({ day = 0, max, maxAtHour, fromHour, toHour, samples = 2880 }: DaySpec): DayPeak {
  const dayMs = FIRST_DAY + day * DAY
  const at = (hour: number): number => dayMs + Math.round(hour * HOUR)
  return {
    dayMs,
    max,
    samples,
    ...(maxAtHour !== undefined && { maxAtMs: at(maxAtHour) }),
    ...(fromHour !== undefined && { firstMs: at(fromHour) }),
    ...(toHour !== undefined && { lastMs: at(toHour) })
  }
}

/** What a test says about a pod. */
export interface KnownPodSpec extends Partial<Omit<KnownPod, 'containers'>> {
  readonly containers?: readonly Partial<KnownContainer>[]
}

/** The live pod that `aSeries` is of, of Deployment `app`: one container `main` with one GPU. */
export function aKnownPod({ containers = [{}], ...pod }: KnownPodSpec = {}): KnownPod {
  return {
    namespace: 'team-a',
    name: 'app-7c9d8f6b5d-x2k4p',
    uid: 'uid-1',
    node: 'n1',
    workload: deployment('app'),
    startMs: undefined,
    endMs: undefined,
    ...pod,
    containers: containers.map((container) => ({
      name: 'main',
      image: 'registry.example/app:1',
      gpuResource: 'nvidia.com/gpu',
      ...container
    }))
  }
}

/** A node that says nothing about its devices. */
export function aKnownNode(node: Partial<KnownNode> = {}): KnownNode {
  return { name: 'n1', replicas: {}, memoryMiB: {}, ...node }
}

/** A Deployment of this name. */
export function deployment(name: string): WorkloadRef {
  return { kind: 'Deployment', name }
}
