import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ControllerMetrics } from '../ports/controller-metrics.ts'
import type { MetricsPage } from '../ports/metrics.ts'
import { optionsOf } from './metric-table.ts'
import { registerStoreMetrics, type StoresByResource } from './metrics.ts'

/** From a refresh without changes in a small cluster to one of 5,000 workloads over a slow source, seconds. */
const refreshBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** The metrics of a controller. */
export interface ControllerMetricsPage extends ControllerMetrics, MetricsPage {
  /** Number of policies that are switched off by their faults. */
  policiesInvalid(count: number): void
  /** Tells of these stores from now on, read at the moment of each scrape. */
  watchStores(stores: StoresByResource): void
}

/**
 * Makes the metrics of a controller, in a registry of their own, with those of Node.
 * @param nowMs the time, for ages
 */
export function createControllerMetrics(nowMs: () => number): ControllerMetricsPage {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const leader = new Gauge(optionsOf('rightslice_leader', registry))
  const duration = new Histogram({
    ...optionsOf('rightslice_refresh_duration_seconds', registry),
    buckets: refreshBuckets
  })
  const writes = new Counter(optionsOf('rightslice_refresh_writes_total', registry))
  const workloads = new Gauge(optionsOf('rightslice_refresh_workloads', registry))
  const faults = new Gauge(optionsOf('rightslice_refresh_source_faults', registry))
  const discarded = new Gauge(optionsOf('rightslice_refresh_samples_discarded', registry))
  const candidates = new Gauge(optionsOf('rightslice_candidates', registry))
  const events = new Counter(optionsOf('rightslice_events_total', registry))
  const sweeps = sweepMetrics(registry, nowMs)
  const invalid = new Gauge(optionsOf('rightslice_policies_invalid', registry))
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    refreshed: (outcome, seconds) => duration.observe({ outcome }, seconds),
    written: (action, count) => writes.inc({ action }, count),
    workloads: (count) => workloads.set(count),
    sourceFaults: (kinds) => setAll(faults, 'kind', Object.entries(kinds)),
    discarded: (counts) => setAll(discarded, 'reason', Object.entries(counts)),
    newestSample: newestSampleGauge(registry, nowMs),
    candidates: (counts) => setAll(candidates, 'policy', [...counts]),
    leads: (leads) => leader.set(Number(leads)),
    event: (outcome) => events.inc({ outcome }),
    ...sweeps,
    policiesInvalid: (count) => invalid.set(count),
    watchStores: (stores) => registerStoreMetrics(stores, registry, nowMs)
  }
}

/** What a process that does not look does not know, so it says nothing then. */
function sweepMetrics(
  registry: Registry,
  nowMs: () => number
): Pick<ControllerMetrics, 'swept' | 'violations'> {
  const duration = new Histogram({
    ...optionsOf('rightslice_sweep_duration_seconds', registry),
    buckets: refreshBuckets
  })
  const complete = new Gauge(optionsOf('rightslice_sweep_complete_timestamp_seconds', registry))
  const violations = new Gauge(optionsOf('rightslice_isolation_violations', registry))
  const unreviewed = new Gauge(optionsOf('rightslice_unreviewed_pods', registry))
  complete.remove()
  unreviewed.remove()
  return {
    swept: (outcome, seconds) => {
      duration.observe({ outcome }, seconds)
      if (outcome === 'complete') complete.set(nowMs() / 1000)
    },
    violations: (now) => {
      violations.reset()
      for (const { rule, level, pods } of now?.counts ?? []) violations.set({ rule, level }, pods)
      if (now === undefined) unreviewed.remove()
      else unreviewed.set(now.unreviewedPods)
    }
  }
}

/** Puts these values in place of all that were there. */
function setAll<L extends string>(
  gauge: Gauge<L>,
  label: L,
  values: readonly (readonly [string, number])[]
): void {
  gauge.reset()
  for (const [name, value] of values) gauge.set({ [label]: name } as Partial<Record<L, string>>, value)
}

/** The age grows between refreshes, so it is reckoned when somebody asks. */
function newestSampleGauge(registry: Registry, nowMs: () => number): ControllerMetrics['newestSample'] {
  let newestMs: number | undefined
  new Gauge({
    ...optionsOf('rightslice_history_age_seconds', registry),
    collect() {
      this.reset()
      if (newestMs !== undefined) this.set((nowMs() - newestMs) / 1000)
      else this.remove()
    }
  })
  return (ms) => {
    newestMs = ms
  }
}
