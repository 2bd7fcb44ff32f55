import type { DeviceMetric } from './dialect-series.ts'

/** Unit in which a source gives a metric. */
export type SourceUnit = 'MiB' | 'bytes' | 'ratio' | 'percent'

/** One name under which a metric is found. */
export interface MetricDialect {
  readonly name: string
  readonly metric: DeviceMetric
  readonly unit: SourceUnit
}

/** Names of the labels that say whose a series is. */
export interface OwnerLabels {
  readonly name: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/**
 * Known names of the metrics, the preferred first. DCGM 4.6 gave some fields new names and kept the old ones as aliases; which of
 * them is served is up to the exporter's list of counters. Pipelines of some clouds write everything in lower case.
 * @source NVIDIA/dcgm-exporter etc/dcp-metrics-included.csv; NVIDIA/DCGM dcgmlib/src/dcgm_fields.cpp; NVIDIA/dcgm-exporter#577
 */
export const metricDialects: readonly MetricDialect[] = [
  { name: 'DCGM_FI_DEV_FB_USED', metric: 'memory', unit: 'MiB' },
  { name: 'dcgm_fi_dev_fb_used', metric: 'memory', unit: 'MiB' },
  { name: 'dcgm_fb_used', metric: 'memory', unit: 'MiB' },
  { name: 'DCGM_FI_DEV_FB_USED_PERCENT', metric: 'memory-ratio', unit: 'ratio' },
  { name: 'DCGM_FI_DEV_FB_USED_RATIO', metric: 'memory-ratio', unit: 'ratio' },
  { name: 'dcgm_fi_dev_fb_used_percent', metric: 'memory-ratio', unit: 'ratio' },
  { name: 'DCGM_FI_PROF_SM_ACTIVE', metric: 'sm-active', unit: 'ratio' },
  { name: 'DCGM_FI_PROF_SM_UTIL_RATIO', metric: 'sm-active', unit: 'ratio' },
  { name: 'dcgm_fi_prof_sm_active', metric: 'sm-active', unit: 'ratio' },
  { name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', metric: 'gr-engine-active', unit: 'ratio' },
  { name: 'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO', metric: 'gr-engine-active', unit: 'ratio' },
  { name: 'dcgm_fi_prof_gr_engine_active', metric: 'gr-engine-active', unit: 'ratio' }
]

/**
 * Known families of owner labels, in the order in which one is looked for: where a scrape renames the exporter's labels to
 * `exported_*`, the plain ones name the exporter itself, so the first family that occurs wins over those after it.
 * `podname` is in none: it names the exporter.
 * @source NVIDIA/dcgm-exporter#340, #27, #577; its option --use-old-namespace; Cloud Monitoring's k8s_container resource
 */
export const ownerFamilies: readonly OwnerLabels[] = [
  {
    name: 'exported',
    namespace: 'exported_namespace',
    pod: 'exported_pod',
    container: 'exported_container'
  },
  { name: 'old', namespace: 'pod_namespace', pod: 'pod_name', container: 'container_name' },
  { name: 'cloud', namespace: 'namespace_name', pod: 'pod_name', container: 'container_name' },
  { name: 'plain', namespace: 'namespace', pod: 'pod', container: 'container' }
]

/** Fields of a device and the label names that may hold each, the first that is there wins. */
export const deviceLabelNames = {
  node: ['Hostname', 'hostname', 'node', 'node_name'],
  gpuUuid: ['UUID', 'uuid', 'accelerator_id'],
  gpuIndex: ['gpu'],
  gpuInstanceId: ['GPU_I_ID', 'gpu_i_id'],
  migProfile: ['GPU_I_PROFILE', 'gpu_i_profile'],
  model: ['modelName', 'modelname', 'model'],
  replica: ['vgpu'],
  podUid: ['pod_uid', 'exported_pod_uid']
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Names of an exporter's own container: a series that names one of them as its owner is of no workload. */
export const exporterContainers: readonly string[] = ['nvidia-dcgm-exporter', 'dcgm-exporter', 'exporter']

/** Every label that is read; a query that keeps these and drops the rest loses nothing. */
export const readLabelNames: readonly string[] = [
  ...new Set([
    ...ownerFamilies.flatMap(({ namespace, pod, container }) => [namespace, pod, container]),
    ...Object.values(deviceLabelNames).flat()
  ])
]

/**
 * The family whose labels tell the owner, among label names that occur in what is read together; undefined when none does.
 * @example ['pod', 'namespace', 'exported_pod', 'exported_namespace'] gives the family `exported`
 */
export function chooseOwnerFamily(
  labelNames: ReadonlySet<string>,
  families: readonly OwnerLabels[] = ownerFamilies
): OwnerLabels | undefined {
  return families.find(({ pod, namespace }) => labelNames.has(pod) && labelNames.has(namespace))
}

/** The dialect of a metric name: one of the user's own, else a known one. */
export function findMetricDialect(
  name: string,
  own: readonly MetricDialect[] = []
): MetricDialect | undefined {
  return [...own, ...metricDialects].find((dialect) => dialect.name === name)
}
