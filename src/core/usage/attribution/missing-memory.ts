import type { DeviceLabels } from '../dialect-series.ts'
import { type Claim, isOwned } from './claim.ts'
import type { AttributionInput } from './known.ts'
import type { Tally } from './tally.ts'

/** Which containers were seen, by `namespace/pod/container`, and on which devices. */
export interface Sightings {
  /** Takes in claims. */
  add(claims: readonly Claim[]): void
  /** Whether some series gave the container's memory. */
  hasMemory(who: string): boolean
  /** Labels of what was the container's own. */
  labelsOf(who: string): readonly DeviceLabels[]
}

/** Sightings of nothing. */
export function newSightings(): Sightings {
  const withMemory = new Set<string>()
  const labels = new Map<string, Set<DeviceLabels>>()
  return {
    add(claims) {
      for (const claim of claims) {
        const { who, series } = claim
        if (series.metric.startsWith('memory')) withMemory.add(who)
        if (!isOwned(claim)) continue
        const known = labels.get(who) ?? new Set()
        labels.set(who, known)
        known.add(series.labels)
      }
    },
    hasMemory: (who) => withMemory.has(who),
    labelsOf: (who) => [...(labels.get(who) ?? [])]
  }
}

/** Notes the containers of live pods that hold a GPU and whose memory no series gives: that is no history, and not zero use. */
export function noteMissingMemory({ pods }: AttributionInput, seen: Sightings, tally: Tally): void {
  for (const { namespace, name, workload, containers, endMs } of pods) {
    if (endMs !== undefined) continue
    for (const { name: container, gpuResource } of containers) {
      const who = `${namespace}/${name}/${container}`
      if (gpuResource === undefined || seen.hasMemory(who)) continue
      const labels = seen.labelsOf(who)
      const devices = labels.length === 0 ? [undefined] : labels
      tally.addOnce(
        'no-memory-series',
        devices.map((device) => ({ namespace, workload, container, labels: device }))
      )
    }
  }
}
