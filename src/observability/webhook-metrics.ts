import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { webhookNames } from '../core/api/names.ts'
import type { CertificateMetrics } from '../ports/certificate-metrics.ts'
import type { OverloadMetrics, ReviewMetrics } from '../ports/metrics.ts'
import { optionsOf } from './metrics.ts'
import { createProcessMetrics, type ProcessFacts, type ProcessMetrics } from './process-metrics.ts'
import type { NamedStores } from './store-metrics.ts'

/** From half a millisecond to beyond the longest timeout of our webhooks, seconds. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5]

/** The metrics of a webhook. */
export interface WebhookMetrics extends ReviewMetrics, OverloadMetrics, CertificateMetrics, ProcessMetrics {
  /** Tells from now on of how many of these stores nothing was heard for longer than this. */
  watchStaleness(stores: NamedStores, staleAfterMs: number): void
}

/** Makes the metrics of a webhook, in a registry of their own. */
export function createWebhookMetrics(facts: Omit<ProcessFacts, 'component'>): WebhookMetrics {
  const { registry, metrics } = createProcessMetrics({ ...facts, component: 'webhook' })
  return {
    ...metrics,
    ...reviewMetrics(registry),
    ...overloadMetrics(registry),
    ...certificateMetrics(registry, facts.nowMs),
    watchStaleness: (stores, staleAfterMs) =>
      registerStale(stores, registry, () => facts.nowMs() - staleAfterMs)
  }
}

function reviewMetrics(registry: Registry): ReviewMetrics {
  const duration = new Histogram({
    ...optionsOf('rightslice_review_duration_seconds', registry),
    buckets: durationBuckets
  })
  const decisions = new Counter(optionsOf('rightslice_decisions_total', registry))
  const breaches = new Counter(optionsOf('rightslice_isolation_breaches_total', registry))
  const failures = new Counter(optionsOf('rightslice_reviews_failed_total', registry))
  for (const webhook of Object.values(webhookNames)) {
    // From 0, or the first one would not show as a rise.
    for (const cause of ['unreadable', 'decision', 'patch']) failures.inc({ webhook, cause }, 0)
  }
  return {
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
    failed: (webhook, cause) => failures.inc({ webhook, cause })
  }
}

function overloadMetrics(registry: Registry): OverloadMetrics {
  const shed = new Counter(optionsOf('rightslice_reviews_shed_total', registry))
  const cut = new Counter(optionsOf('rightslice_connections_cut_total', registry))
  for (const webhook of Object.values(webhookNames)) {
    for (const cause of ['busy', 'bodies']) shed.inc({ webhook, cause }, 0)
  }
  for (const cause of ['full', 'slow', 'pipelined']) cut.inc({ cause }, 0)
  return {
    shed: (webhook, cause) => shed.inc({ webhook, cause }),
    connectionCut: (cause) => cut.inc({ cause })
  }
}

function registerStale(stores: NamedStores, registry: Registry, sinceMs: () => number): void {
  new Gauge({
    ...optionsOf('rightslice_stores_stale', registry),
    collect() {
      const states = Object.values(stores).map((store) => store.state())
      this.set(states.filter(({ synced, lastHeardMs }) => synced && lastHeardMs < sinceMs()).length)
    }
  })
}

/** The time that is left passes between looks, so it is reckoned when somebody asks. */
function certificateMetrics(registry: Registry, nowMs: () => number): CertificateMetrics {
  const ends = new Map<'server' | 'authority', number>()
  const faults = new Counter(optionsOf('rightslice_certificate_faults_total', registry))
  const inSync = new Gauge(optionsOf('rightslice_ca_bundle_in_sync', registry))
  new Gauge({
    ...optionsOf('rightslice_certificate_expiry_seconds', registry),
    collect() {
      for (const [certificate, notAfterMs] of ends) this.set({ certificate }, (notAfterMs - nowMs()) / 1000)
    }
  })
  return {
    certificateEnds: (notAfterMs) => ends.set('server', notAfterMs),
    authorityEnds: (notAfterMs) => ends.set('authority', notAfterMs),
    certificateFault: () => faults.inc(),
    bundleInSync: (configuration, is) => inSync.set({ configuration }, Number(is))
  }
}
