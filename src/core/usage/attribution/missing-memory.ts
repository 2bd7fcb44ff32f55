import { type Claim, isOwned } from './claim.ts'
import type { AttributionInput } from './known.ts'
import type { Tally } from './tally.ts'

/** Notes the containers of live pods that hold a GPU and whose memory no series gives: that is no history, and not zero use. */
export function noteMissingMemory({ pods }: AttributionInput, claims: readonly Claim[], tally: Tally): void {
  const byName = Map.groupBy(claims, ({ who }) => who)
  for (const { namespace, name, workload, containers, endMs } of pods) {
    if (endMs !== undefined) continue
    for (const { name: container, gpuResource } of containers) {
      const own = byName.get(`${namespace}/${name}/${container}`) ?? []
      if (gpuResource === undefined || own.some(({ series }) => series.metric.startsWith('memory'))) continue
      const labels = own.filter(isOwned).map(({ series }) => series.labels)
      const devices = labels.length === 0 ? [undefined] : labels
      tally.addOnce(
        'no-memory-series',
        devices.map((device) => ({ namespace, workload, container, labels: device }))
      )
    }
  }
}
