/** What a value says: memory in use (MiB), the same as a ratio of what can be used, or how busy the device is (0 to 1). */
export type DeviceMetric = 'memory' | 'memory-ratio' | 'sm-active' | 'gr-engine-active'

/** Labels of one series under our own names; values of strangers, so only ever shown or compared, never trusted as true. */
export interface DeviceLabels {
  /** Namespace of the pod; '' when the series belongs to no pod (an idle GPU, or the device's own total). */
  readonly namespace: string
  /** Name of the pod; '' when the series belongs to no pod. */
  readonly pod: string
  readonly podUid?: string
  /** Name of the container; '' when the series belongs to no pod, or names none. */
  readonly container: string
  /** Node, as the exporter names it; may be the exporter's own pod name where it does not know better. */
  readonly node: string
  /** UUID of the physical GPU, `GPU-` and lower case, also for MIG instances; '' where the source has none. */
  readonly gpuUuid: string
  /** DCGM's index of the GPU; not stable over restarts of the node. */
  readonly gpuIndex: string
  /** Id of the GPU instance: the series is of a MIG instance exactly when this is there. */
  readonly gpuInstanceId?: string
  /** MIG profile as the driver prints it; can be wrong, so join on UUID and instance id. */
  readonly migProfile?: string
  /** Product label without layout: `NVIDIA-A100-SXM4-80GB`; '' where it is not known. */
  readonly model: string
  /** Replica index of a shared device, where the exporter runs in its sharing mode. */
  readonly replica?: string
  /**
   * The exporter claims that the value is of the pod's own processes. Older exporters write the same labels on copies of the
   * device's value, so it is proven only by values that differ between the sharers.
   */
  readonly perProcess: boolean
}

/** The highest value of one series on one day. */
export interface DayPeak {
  /** Start of the day, UTC, ms since the epoch. */
  readonly dayMs: number
  /** Highest believable value of the day, in the metric's unit. */
  readonly max: number
  /** When it was seen, ms since the epoch; undefined where the source only tells the day. */
  readonly maxAtMs?: number
  /** Number of values behind it; undefined for compute read from Prometheus, where counting would cost as much again. */
  readonly samples?: number
  /** Time of the first value of the day, to within a minute, ms since the epoch; undefined where it was not asked. */
  readonly firstMs?: number
  /** Time of the last value of the day, to within a minute, ms since the epoch; undefined where it was not asked. */
  readonly lastMs?: number
}

/** Daily maxima of one thing that was measured. */
export interface DeviceSeries {
  readonly labels: DeviceLabels
  readonly metric: DeviceMetric
  /** Name under which the source knows the metric. */
  readonly metricName: string
  /** Sorted by day; a day without an entry has no believable value. */
  readonly days: readonly DayPeak[]
}

/** Why a value or a series is not used. */
export type DiscardReason =
  | 'blank'
  | 'not-a-number'
  | 'infinite'
  | 'negative'
  | 'impossible'
  | 'unreadable-labels'
  | 'malformed'
  | 'series-limit'
  | 'exporter-itself'

/** How many of each were discarded: values for the first five, series for the others. */
export type DiscardCounts = Readonly<Partial<Record<DiscardReason, number>>>

/** Both counts together. */
export function addDiscards(left: DiscardCounts, right: DiscardCounts): DiscardCounts {
  const sum: Partial<Record<DiscardReason, number>> = { ...left }
  for (const reason of discardReasons) {
    const count = right[reason]
    if (count !== undefined) sum[reason] = (sum[reason] ?? 0) + count
  }
  return sum
}

const discardReasons: readonly DiscardReason[] = [
  'blank',
  'not-a-number',
  'infinite',
  'negative',
  'impossible',
  'unreadable-labels',
  'malformed',
  'series-limit',
  'exporter-itself'
]

/** Text that two series share exactly when they are the same thing measured under the same labels. */
export function seriesKey(labels: DeviceLabels, metric: DeviceMetric): string {
  return [
    metric,
    labels.namespace,
    labels.pod,
    labels.podUid ?? '',
    labels.container,
    labels.node,
    labels.gpuUuid,
    labels.gpuIndex,
    labels.gpuInstanceId ?? '',
    labels.migProfile ?? '',
    labels.model,
    labels.replica ?? '',
    labels.perProcess ? '1' : '0'
  ].join('\u0000')
}

/** Text that two series share when they are of the same GPU, or of the same instance of it; '' when the GPU is not named. */
export function deviceKey(labels: DeviceLabels): string {
  const { gpuUuid, node, gpuIndex, gpuInstanceId } = labels
  if (gpuUuid === '' && gpuIndex === '') return ''
  const gpu = gpuUuid === '' ? `${node}/${gpuIndex}` : gpuUuid
  return gpuInstanceId === undefined ? gpu : `${gpu}/${gpuInstanceId}`
}
