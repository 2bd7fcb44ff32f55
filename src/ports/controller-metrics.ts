import type { ViolationCount } from '../core/audit/finding.ts'

/** How a refresh ended: by what its reading was, or with a fault of our own. */
export type RefreshOutcome = 'complete' | 'partial' | 'failed' | 'error'

/** What a refresh did to GpuWorkload objects. */
export type WriteAction = 'created' | 'updated' | 'removed' | 'failed' | 'deferred'

/** How a sweep ended: everything was read, some of it was not, or with a fault of our own. */
export type SweepOutcome = 'complete' | 'partial' | 'error'

/** What became of an Event. */
export type EventOutcome = 'told' | 'known' | 'limited' | 'failed'

/** What is wrong with the pods that run, summed over all namespaces. */
export interface KnownViolations {
  readonly counts: readonly ViolationCount[]
  readonly unreviewedPods: number
}

/** Where the controller counts what it does. */
export interface ControllerMetrics {
  /** One refresh has ended. */
  refreshed(outcome: RefreshOutcome, seconds: number): void
  /** Objects of one refresh, by what was done to them. */
  written(action: WriteAction, count: number): void
  /** Workloads that are known. */
  workloads(count: number): void
  /** Trouble of the source in one reading, by kind. */
  sourceFaults(kinds: Readonly<Record<string, number>>): void
  /** Daily maxima that were provably nobody's, in the last reading, by reason. */
  discarded(counts: Readonly<Record<string, number>>): void
  /** Time of the newest sample, ms since the epoch; undefined where there is none. */
  newestSample(ms: number | undefined): void
  /** Workloads that would fit a smaller share, by policy. */
  candidates(counts: ReadonlyMap<string, number>): void
  /** Whether this process leads. */
  leads(leads: boolean): void
  /** One Event. */
  event(outcome: EventOutcome): void
  /** One sweep over pods that run has ended. */
  swept(outcome: SweepOutcome, seconds: number): void
  /** What is known to be wrong with pods that run; undefined where this process does not look. */
  violations(now: KnownViolations | undefined): void
}
