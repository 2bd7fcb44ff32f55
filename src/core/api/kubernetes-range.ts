/**
 * Releases of Kubernetes 1 that are supported, by their minor version, both ends included. The tests on a real control
 * plane run on both ends.
 */
export const supportedMinors = { oldest: 34, newest: 36 } as const

/** The same for people and for the chart: `1.34` and `1.36`. */
export const supportedReleases = {
  oldest: `1.${supportedMinors.oldest}`,
  newest: `1.${supportedMinors.newest}`
} as const
