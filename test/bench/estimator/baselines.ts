import { quantile } from '../report.ts'

/** A rule that people use today: samples so far, MiB, to the memory to ask for. */
export interface Baseline {
  readonly name: string
  readonly estimateMiB: (samples: readonly number[]) => number
}

const FIRST_BUCKET_BYTES = 1e7
const BUCKET_GROWTH = 1.05
const VPA_MARGIN = 1.15
const BYTES_PER_MIB = 2 ** 20

/** What estimators are compared with; VPA's memory histogram holds one peak a day, so within a day it is that peak. */
export const baselines: readonly Baseline[] = [
  { name: 'max x 1.0', estimateMiB: (samples) => greatest(samples) },
  { name: 'max x 1.2', estimateMiB: (samples) => greatest(samples) * 1.2 },
  { name: 'p99 x 1.2', estimateMiB: (samples) => quantile(samples, 0.99) * 1.2 },
  { name: 'p95 x 1.2', estimateMiB: (samples) => quantile(samples, 0.95) * 1.2 },
  { name: 'mean x 1.2', estimateMiB: (samples) => mean(samples) * 1.2 },
  { name: 'VPA defaults', estimateMiB: (samples) => vpaBucketEndMiB(greatest(samples)) * VPA_MARGIN }
]

/** Upper end of the histogram bucket of a peak: buckets grow by 5 %, the first one has 10 MB. */
function vpaBucketEndMiB(peakMiB: number): number {
  const bucketOf = (bytes: number): number =>
    Math.floor(Math.log(1 + (bytes * (BUCKET_GROWTH - 1)) / FIRST_BUCKET_BYTES) / Math.log(BUCKET_GROWTH))
  const next = bucketOf(peakMiB * BYTES_PER_MIB) + 1
  return (FIRST_BUCKET_BYTES * (BUCKET_GROWTH ** next - 1)) / (BUCKET_GROWTH - 1) / BYTES_PER_MIB
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
