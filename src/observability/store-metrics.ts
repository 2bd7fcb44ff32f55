import { Counter, Gauge, type Registry } from 'prom-client'
import type { StoreMetrics } from '../ports/metrics.ts'
import type { ObjectStore, StoreState } from '../ports/object-store.ts'
import { optionsOf } from './metrics.ts'

/** Stores by the name under which a process keeps them. */
export type NamedStores = Readonly<Record<string, ObjectStore<unknown>>>

/** What stores are called after what they hold where that differs from their name, so that both processes say the same. */
const resourceNames: Readonly<Record<string, string>> = {
  policies: 'gpupolicies',
  workloads: 'gpuworkloads',
  exemptions: 'gpuexemptions',
  replicaSets: 'replicasets',
  refusals: 'events'
}

/** Metrics of the mirrors of a process. */
export interface StoreMetricsPart extends StoreMetrics {
  /** Tells of these stores from now on, read at the moment of each scrape. */
  watchStores(stores: NamedStores): void
}

/** Makes the metrics of mirrors; nothing is told before there are stores. */
export function storeMetrics(registry: Registry, nowMs: () => number): StoreMetricsPart {
  const drift = new Counter(optionsOf('rightslice_store_drift_total', registry))
  return {
    watchStores: (stores) => {
      for (const name of Object.keys(stores)) drift.inc({ resource: resourceOf(name) }, 0)
      registerStates(stores, registry, nowMs)
    },
    drift: (resource, count) => drift.inc({ resource }, count)
  }
}

function resourceOf(name: string): string {
  return resourceNames[name] ?? name
}

/** Reads the stores whenever somebody asks for the metrics, so nothing is counted twice or forgotten. */
function registerStates(stores: NamedStores, registry: Registry, nowMs: () => number): void {
  const states = (): (StoreState & { readonly resource: string })[] =>
    Object.entries(stores).map(([name, store]) => ({ resource: resourceOf(name), ...store.state() }))
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
