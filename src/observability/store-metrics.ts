import { Counter, Gauge, type Registry } from 'prom-client'
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
  quotas: 'resourcequotas',
  limitRanges: 'limitranges',
  refusals: 'events',
  deviceSlices: 'resourceslices',
  deviceClasses: 'deviceclasses',
  claimTemplates: 'resourceclaimtemplates'
}

/** Metrics of the mirrors of a process. */
export interface StoreMetricsPart {
  /** Tells of these stores from now on, read at the moment of each scrape. */
  watchStores(stores: NamedStores): void
}

/** Makes the metrics of mirrors; nothing is told before there are stores. */
export function storeMetrics(registry: Registry, nowMs: () => number): StoreMetricsPart {
  return { watchStores: (stores) => registerStates(stores, registry, nowMs) }
}

function resourceOf(name: string): string {
  return resourceNames[name] ?? name
}

/** What a store counts by itself. */
const storeCounters = [
  ['rightslice_store_relists_total', ({ relists }: StoreState) => relists],
  ['rightslice_store_watch_restarts_total', ({ watchRestarts }: StoreState) => watchRestarts],
  ['rightslice_store_drift_total', ({ drift }: StoreState) => drift]
] as const

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
  for (const [name, read] of storeCounters) {
    new Counter({
      ...optionsOf(name, registry),
      collect() {
        this.reset()
        for (const state of states()) this.inc({ resource: state.resource }, read(state))
      }
    })
  }
}
