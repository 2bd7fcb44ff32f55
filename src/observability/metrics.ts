import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { CertificateMetrics } from '../ports/certificate-metrics.ts'
import type { MetricsPage, OverloadMetrics, ReviewMetrics } from '../ports/metrics.ts'
import type { ObjectStore, StoreState } from '../ports/object-store.ts'
import { optionsOf } from './metric-table.ts'

/** From half a millisecond to beyond the longest timeout of our webhooks, seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5]

/** Stores by the name of the resource that they hold. */
export type StoresByResource = Readonly<Record<string, ObjectStore<unknown>>>

/** The metrics of a process. */
export interface Metrics extends ReviewMetrics, OverloadMetrics, CertificateMetrics, MetricsPage {
  /** Number of policies that are switched off by their faults. */
  policiesInvalid(count: number): void
  /** Tells of these stores from now on, read at the moment of each scrape. */
  watchStores(stores: StoresByResource, staleAfterMs: number): void
}

/**
 * Makes the metrics of a process, in a registry of their own, with those of Node (memory, CPU, event loop delay).
 * @param nowMs the time, for ages
 */
export function createMetrics(nowMs: () => number): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    ...optionsOf('rightslice_review_duration_seconds', registry),
    buckets: durationBuckets
  })
  const decisions = new Counter(optionsOf('rightslice_decisions_total', registry))
  const breaches = new Counter(optionsOf('rightslice_isolation_breaches_total', registry))
  const failures = new Counter(optionsOf('rightslice_reviews_failed_total', registry))
  const invalid = new Gauge(optionsOf('rightslice_policies_invalid', registry))
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    reviewed: ({ webhook, outcome, reason, dryRun, seconds }) => {
      const action = outcome === 'rewrite' ? 'rewrite' : 'keep'
      duration.observe({ webhook, outcome }, seconds)
      decisions.inc({ action, reason, dry_run: String(dryRun) })
    },
    judged: ({ webhook, outcome, refused, warned, dryRun, seconds }) => {
      duration.observe({ webhook, outcome }, seconds)
      for (const rule of refused) breaches.inc({ rule, action: 'deny', dry_run: String(dryRun) })
      for (const rule of warned) breaches.inc({ rule, action: 'warn', dry_run: String(dryRun) })
    },
    failed: (webhook, cause) => failures.inc({ webhook, cause }),
    ...overloadMetrics(registry),
    policiesInvalid: (count) => invalid.set(count),
    ...certificateMetrics(registry, nowMs),
    watchStores: (stores, staleAfterMs) => {
      registerStoreMetrics(stores, registry, nowMs)
      new Gauge({
        ...optionsOf('rightslice_stores_stale', registry),
        collect() {
          this.set(staleResources(stores, nowMs() - staleAfterMs).length)
        }
      })
    }
  }
}

function overloadMetrics(registry: Registry): OverloadMetrics {
  const shed = new Counter(optionsOf('rightslice_reviews_shed_total', registry))
  const cut = new Counter(optionsOf('rightslice_connections_cut_total', registry))
  return {
    shed: (webhook, cause) => shed.inc({ webhook, cause }),
    connectionCut: (cause) => cut.inc({ cause })
  }
}

/** The time that is left passes between looks, so it is reckoned when somebody asks. */
function certificateMetrics(registry: Registry, nowMs: () => number): CertificateMetrics {
  const ends = new Map<'server' | 'authority', number>()
  const expiration = new Gauge(optionsOf('rightslice_certificate_expiration_timestamp_seconds', registry))
  const faults = new Counter(optionsOf('rightslice_certificate_faults_total', registry))
  const inSync = new Gauge(optionsOf('rightslice_ca_bundle_in_sync', registry))
  new Gauge({
    ...optionsOf('rightslice_certificate_expiry_seconds', registry),
    collect() {
      for (const [certificate, notAfterMs] of ends) this.set({ certificate }, (notAfterMs - nowMs()) / 1000)
    }
  })
  return {
    certificateEnds: (notAfterMs) => {
      ends.set('server', notAfterMs)
      expiration.set(notAfterMs / 1000)
    },
    authorityEnds: (notAfterMs) => ends.set('authority', notAfterMs),
    certificateFault: () => faults.inc(),
    bundleInSync: (configuration, is) => inSync.set({ configuration }, Number(is))
  }
}

/** Resources of which nothing was heard since then. */
function staleResources(stores: StoresByResource, sinceMs: number): readonly string[] {
  return Object.entries(stores).flatMap(([resource, store]) => {
    const { synced, lastHeardMs } = store.state()
    return synced && lastHeardMs < sinceMs ? [resource] : []
  })
}

/** Reads the stores whenever somebody asks for the metrics, so nothing is counted twice or forgotten. */
export function registerStoreMetrics(
  stores: StoresByResource,
  registry: Registry,
  nowMs: () => number
): void {
  const states = (): (StoreState & { readonly resource: string })[] =>
    Object.entries(stores).map(([resource, store]) => ({ resource, ...store.state() }))
  new Gauge({
    ...optionsOf('rightslice_store_synced', registry),
    collect() {
      for (const { resource, synced } of states()) this.set({ resource }, Number(synced))
    }
  })
  new Gauge({
    ...optionsOf('rightslice_store_age_seconds', registry),
    collect() {
      for (const { resource, synced, lastHeardMs } of states()) {
        if (synced) this.set({ resource }, (nowMs() - lastHeardMs) / 1000)
      }
    }
  })
  registerStoreCounter('rightslice_store_relists_total', registry, () =>
    states().map(({ resource, relists }) => [resource, relists])
  )
  registerStoreCounter('rightslice_store_watch_restarts_total', registry, () =>
    states().map(({ resource, watchRestarts }) => [resource, watchRestarts])
  )
}

function registerStoreCounter(
  name: 'rightslice_store_relists_total' | 'rightslice_store_watch_restarts_total',
  registry: Registry,
  read: () => readonly (readonly [resource: string, total: number])[]
): void {
  new Counter({
    ...optionsOf(name, registry),
    collect() {
      this.reset()
      for (const [resource, total] of read()) this.inc({ resource }, total)
    }
  })
}
