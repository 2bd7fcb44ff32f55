/** Busy share of the compute, with where it comes from. */
export interface ComputeUse {
  /** Highest busy share, 0 to 1 of a whole GPU; undefined where it was not measured. */
  readonly peakCompute: number | undefined
  /** Metric that it was read from; absent where it is not known. */
  readonly computeMetric?: string | undefined
}

/** The highest busy share of several, with its own metric; of equal ones that with the first metric by name. */
export function busiest(uses: readonly ComputeUse[]): ComputeUse {
  const [most] = uses
    .flatMap(({ peakCompute, computeMetric }) =>
      peakCompute === undefined ? [] : { peakCompute, computeMetric }
    )
    .sort(
      (a, b) => b.peakCompute - a.peakCompute || ((a.computeMetric ?? '') < (b.computeMetric ?? '') ? -1 : 1)
    )
  if (most === undefined) return { peakCompute: undefined }
  const { peakCompute, computeMetric } = most
  return computeMetric === undefined ? { peakCompute } : { peakCompute, computeMetric }
}
