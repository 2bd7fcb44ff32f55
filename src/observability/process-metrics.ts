import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { MetricsPage } from '../ports/metrics.ts'
import { watchEventLoopDelay } from './event-loop-delay.ts'
import { optionsOf } from './metrics.ts'
import { type StoreMetricsPart, storeMetrics } from './store-metrics.ts'

/** The part of the product that a process is. */
export type Component = 'webhook' | 'controller'

/** What webhook and controller tell alike. */
export interface ProcessMetrics extends MetricsPage, StoreMetricsPart {
  /** Number of policies that are switched off by their faults. */
  policiesInvalid(count: number): void
}

/** Who tells, and by which clock. */
export interface ProcessFacts {
  readonly component: Component
  /** Version of the product, such as `0.1.0`. */
  readonly version: string
  /** The time, for ages. */
  readonly nowMs: () => number
}

/** Makes a registry of its own, with what is told of every process and of Node (memory, CPU, event loop). */
export function createProcessMetrics({ component, version, nowMs }: ProcessFacts): {
  readonly registry: Registry
  readonly metrics: ProcessMetrics
} {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  watchEventLoopDelay(registry)
  const invalid = new Gauge(optionsOf('rightslice_policies_invalid', registry))
  new Gauge(optionsOf('rightslice_build_info', registry)).set(
    { component, version, node: process.versions.node },
    1
  )
  const metrics = {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    policiesInvalid: (count: number) => invalid.set(count),
    ...storeMetrics(registry, nowMs)
  }
  return { registry, metrics }
}
