import type { Attribution } from '../core/usage/attribution/attribute.ts'
import type { ControllerMetrics } from '../ports/controller-metrics.ts'
import type { UsageReading } from '../ports/usage-source.ts'

/** How one refresh went. */
export interface RefreshReport {
  readonly status: UsageReading['status']
  readonly workloads: number
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly failed: number
  /** Writes that wait for the next refresh. */
  readonly deferred: number
}

/** Everything that metrics tell of one refresh. */
interface Told {
  readonly report: RefreshReport
  readonly reading: UsageReading
  readonly attribution: Attribution
  readonly candidates: ReadonlyMap<string, number>
  readonly seconds: number
}

/** Tells the metrics how one refresh went. */
export function tellMetrics(
  metrics: ControllerMetrics,
  { report, reading, attribution, candidates, seconds }: Told
): void {
  metrics.refreshed(report.status, seconds)
  metrics.workloads(report.workloads)
  metrics.sourceFaults(Object.fromEntries(reading.faults.map(({ kind, count }) => [kind, count])))
  metrics.discarded(Object.fromEntries(Object.entries(attribution.discarded)))
  metrics.newestSample(reading.newestSampleMs)
  metrics.candidates(candidates)
  for (const action of ['created', 'updated', 'removed', 'failed', 'deferred'] as const) {
    metrics.written(action, report[action])
  }
}
