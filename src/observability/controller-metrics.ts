import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Census, ControllerMetrics } from '../ports/controller-metrics.ts'
import { optionsOf } from './metrics.ts'
import { createProcessMetrics, type ProcessFacts, type ProcessMetrics } from './process-metrics.ts'

/** From a refresh without changes in a small cluster to one of 5,000 workloads over a slow source, seconds. */
const refreshBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** The metrics of a controller. */
export interface ControllerMetricsPage extends ControllerMetrics, ProcessMetrics {
  /** Tells from now on what `take` finds, asked at the moment of each scrape. */
  watchCensus(take: () => Census): void
}

/** Makes the metrics of a controller, in a registry of their own. */
export function createControllerMetrics(facts: Omit<ProcessFacts, 'component'>): ControllerMetricsPage {
  const { registry, metrics } = createProcessMetrics({ ...facts, component: 'controller' })
  const leader = new Gauge(optionsOf('rightslice_leader', registry))
  const events = new Counter(optionsOf('rightslice_events_total', registry))
  const rescues = new Counter(optionsOf('rightslice_rescues_total', registry))
  const { forget, ...refreshes } = refreshMetrics(registry, facts.nowMs)
  const tellCensus = censusMetrics(registry)
  let take: (() => Census) | undefined
  return {
    ...metrics,
    text: () => {
      if (take !== undefined) tellCensus(take())
      return metrics.text()
    },
    ...refreshes,
    ...sweepMetrics(registry, facts.nowMs),
    leads: (leads) => {
      leader.set(Number(leads))
      if (!leads) forget()
    },
    event: (outcome) => events.inc({ outcome }),
    rescued: (outcome) => rescues.inc({ outcome }),
    watchCensus: (taker) => {
      take = taker
    }
  }
}

type RefreshMetrics = Omit<ControllerMetrics, 'leads' | 'event' | 'swept' | 'violations' | 'rescued'>

/** `forget` takes back what only the one that leads can know, since it grows stale from then on. */
function refreshMetrics(
  registry: Registry,
  nowMs: () => number
): RefreshMetrics & { readonly forget: () => void } {
  const duration = new Histogram({
    ...optionsOf('rightslice_refresh_duration_seconds', registry),
    buckets: refreshBuckets
  })
  const writes = new Counter(optionsOf('rightslice_refresh_writes_total', registry))
  const workloads = new Gauge(optionsOf('rightslice_refresh_workloads', registry))
  const faults = new Gauge(optionsOf('rightslice_refresh_source_faults', registry))
  const discarded = new Gauge(optionsOf('rightslice_refresh_samples_discarded', registry))
  const candidates = new Gauge(optionsOf('rightslice_candidates', registry))
  const freeable = new Gauge(optionsOf('rightslice_gpus_freeable', registry))
  const newestSample = newestSampleGauge(registry, nowMs)
  workloads.remove()
  return {
    refreshed: (outcome, seconds) => duration.observe({ outcome }, seconds),
    written: (action, count) => writes.inc({ action }, count),
    workloads: (count) => workloads.set(count),
    sourceFaults: (kinds) => setAll(faults, 'kind', Object.entries(kinds)),
    discarded: (counts) => setAll(discarded, 'reason', Object.entries(counts)),
    newestSample,
    candidates: (counts) => setAll(candidates, 'policy', [...counts]),
    freeable: (gpus) => setAll(freeable, 'policy', [...gpus]),
    forget: () => {
      for (const gauge of [faults, discarded, candidates, freeable]) gauge.reset()
      workloads.remove()
      newestSample(undefined)
    }
  }
}

/** Puts a census in place of the one before. */
function censusMetrics(registry: Registry): (census: Census) => void {
  const namespaces = new Gauge(optionsOf('rightslice_namespaces', registry))
  const rewritten = new Gauge(optionsOf('rightslice_rewritten_pods', registry))
  const pending = new Gauge(optionsOf('rightslice_rewritten_pod_pending_seconds', registry))
  const open = new Gauge(optionsOf('rightslice_policy_window_open', registry))
  pending.remove()
  return (census) => {
    const windows = [...census.openWindows].map(([policy, isOpen]) => [policy, Number(isOpen)] as const)
    setAll(namespaces, 'rightsize', Object.entries(census.namespaces))
    setAll(open, 'policy', windows)
    pending.set(census.longestPendingSeconds)
    rewritten.reset()
    for (const { share, phase, pods } of census.rewritten) rewritten.set({ share, phase }, pods)
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
