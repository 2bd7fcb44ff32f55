import type { ComputePeak } from '../usage.ts'

/**
 * Metrics that tell how much of the compute was busy, best first. GPU_UTIL is not among them: it only says that some
 * kernel ran, and reads 98 % on cards whose SMs are busy for a third of the time.
 * @source DCGM field reference, profiling metrics
 */
const METRICS = [
  'DCGM_FI_PROF_SM_ACTIVE',
  'DCGM_FI_PROF_SM_UTIL_RATIO',
  'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
  'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO'
] as const

/**
 * Peak of compute from the best metric that was measured: the highest of its readings, a ratio of the whole GPU.
 * @param readings maxima by metric; readings of an instance are first scaled to the whole GPU
 * @returns undefined when no metric of the list was measured, GPU_UTIL or not
 */
export function computePeakOf(readings: readonly ComputePeak[]): ComputePeak | undefined {
  for (const metric of METRICS) {
    const ratios = readings.flatMap((reading) =>
      reading.metric === metric && reading.ratio >= 0 && reading.ratio <= 1 ? reading.ratio : []
    )
    if (ratios.length > 0) return { metric, ratio: ratios.reduce((most, ratio) => Math.max(most, ratio), 0) }
  }
  return undefined
}
