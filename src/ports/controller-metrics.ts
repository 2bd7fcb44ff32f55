import type { ViolationCount } from '../core/audit/finding.ts'

/** How a refresh ended: by what its reading was, or with a fault of our own. */
export type RefreshOutcome = 'complete' | 'partial' | 'failed' | 'error'

/** What a refresh did to GpuWorkload objects. */
export type WriteAction = 'created' | 'updated' | 'removed' | 'failed' | 'deferred'

/** How a sweep ended: everything was read, some of it was not, or with a fault of our own. */
export type SweepOutcome = 'complete' | 'partial' | 'error'

/**
 * What became of a pod that waited for its share for too long: the workload was told to fall back (announced), the pod went (evicted,
 * gone), or stays because of a disruption budget (blocked), because nobody makes it anew, because its user named the share (pinned), because
 * no whole GPU is free, because nothing is known of its workload, or of a fault.
 */
export type RescueOutcome =
  | 'announced'
  | 'evicted'
  | 'gone'
  | 'blocked'
  | 'not-made-anew'
  | 'pinned'
  | 'no-whole-gpu'
  | 'unknown'
  | 'failed'

/** What became of an Event. */
export type EventOutcome = 'told' | 'known' | 'limited' | 'failed'

/** What is wrong with the pods that run, summed over all namespaces. */
export interface KnownViolations {
  readonly counts: readonly ViolationCount[]
  readonly unreviewedPods: number
}

/** Pods that were given a share and have not ended. */
export interface RewrittenCount {
  /** `mig-1g.10gb`, `shared`, or `other`. */
  readonly share: string
  /** `Pending` or `Running`. */
  readonly phase: string
  readonly pods: number
}

/** What a controller knows of the cluster, whether it leads or not. */
export interface Census {
  /** Namespaces by what happens to their pods. */
  readonly namespaces: Readonly<Record<'enforce' | 'warn' | 'off' | 'system', number>>
  readonly rewritten: readonly RewrittenCount[]
  /** Age of the oldest pod that was given a share and waits for a node; 0 when none waits. */
  readonly longestPendingSeconds: number
  /** Whether nodes may be changed now, by policies that name windows. */
  readonly openWindows: ReadonlyMap<string, boolean>
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
  /** GPUs that could be freed, by policy. */
  freeable(gpus: ReadonlyMap<string, number>): void
  /** Whether this process leads; what only a leader knows is no longer told when it does not. */
  leads(leads: boolean): void
  /** One Event. */
  event(outcome: EventOutcome): void
  /** One sweep over pods that run has ended. */
  swept(outcome: SweepOutcome, seconds: number): void
  /** One pod that waited for its share for too long was looked at. */
  rescued(outcome: RescueOutcome): void
  /** What is known to be wrong with pods that run; undefined where this process does not look. */
  violations(now: KnownViolations | undefined): void
}
