import type { DeviceSeries } from '../dialect-series.ts'
import type { Claim } from './claim.ts'
import { CLOCK_TOLERANCE_MS, DAY_MS, type KnownPod } from './known.ts'

/** A pod that has just started need not be in the source yet, ms. */
const FIRST_SAMPLE_MS = 300_000

/**
 * Finds pods that hold a GPU of a node and that no series names on a day: where devices are replicated, the exporter names one of
 * several pods, and any device of the node may be theirs too.
 * @returns a look-up, whether such a pod may have been on the node at the time of the claim
 */
export function findUnmapped(
  pods: readonly KnownPod[],
  series: readonly DeviceSeries[],
  nowMs: number
): (node: string, claim: Claim) => boolean {
  const holders = Map.groupBy(pods.filter(holdsGpu), ({ node }) => node)
  let named: ReturnType<typeof namedDays> | undefined // seldom asked for, and large
  const found = new Map<string, readonly KnownPod[]>()
  const unmappedOn = (node: string, dayMs: number): readonly KnownPod[] => {
    const key = `${dayMs} ${node}`
    const known = found.get(key)
    if (known !== undefined) return known
    const missing = (holders.get(node) ?? []).filter(
      (pod) =>
        isThere(pod, dayMs, Math.min(dayMs + DAY_MS, nowMs) - FIRST_SAMPLE_MS) &&
        (named ??= namedDays(series)).get(`${pod.namespace}/${pod.name}`)?.has(dayMs) !== true
    )
    found.set(key, missing)
    return missing
  }
  return (node, { fromMs, toMs, day }) =>
    node !== '' && unmappedOn(node, day.dayMs).some((pod) => isThere(pod, fromMs, toMs))
}

/** A pod without a start has no device yet. */
function holdsGpu({ node, startMs, containers }: KnownPod): boolean {
  if (node === '' || startMs === undefined) return false
  return containers.some(({ gpuResource }) => gpuResource?.startsWith('nvidia.com/') === true)
}

/** Whether the pod was there for more than the moment that clocks differ by. */
function isThere(
  { startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY }: KnownPod,
  fromMs: number,
  toMs: number
): boolean {
  return startMs <= toMs && endMs >= fromMs + CLOCK_TOLERANCE_MS
}

/** Days on which each pod is in a series. */
function namedDays(series: readonly DeviceSeries[]): ReadonlyMap<string, ReadonlySet<number>> {
  const named = new Map<string, Set<number>>()
  for (const { labels, days } of series) {
    if (labels.pod === '') continue
    const name = `${labels.namespace}/${labels.pod}`
    const known = named.get(name) ?? new Set()
    named.set(name, known)
    for (const { dayMs } of days) known.add(dayMs)
  }
  return named
}
