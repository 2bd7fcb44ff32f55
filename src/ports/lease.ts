/** Who holds a lease, as the cluster stores it. */
export interface LeaseRecord {
  /** '' when nobody holds it. */
  readonly holder: string
  /** How long after its last renewal it must be left alone, seconds. */
  readonly durationSeconds: number
  /** When the holder took it, ms since the epoch by the holder's clock. */
  readonly acquiredMs: number
  /** When the holder last renewed it, ms since the epoch by the holder's clock. */
  readonly renewedMs: number
  /** How often it changed hands. */
  readonly transitions: number
}

/** A record and the version of the object that it was read from, opaque. */
export interface StoredLease {
  readonly record: LeaseRecord
  readonly version: string
}

/** What became of a write: stored, or refused because somebody else wrote in the meantime. */
export type LeaseWrite =
  | { readonly kind: 'stored'; readonly lease: StoredLease }
  | { readonly kind: 'conflict' }

/** Limits of one exchange. */
export interface LeaseCall {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * One lease of the cluster, on which candidates for a role agree.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED when there is no answer or another refusal than a conflict.
 */
export interface LeaseStore {
  /** The lease as it is now; undefined when there is none. Never served from a cache. */
  read(call: LeaseCall): Promise<StoredLease | undefined>
  /** Stores a record where there is none yet. */
  create(record: LeaseRecord, call: LeaseCall): Promise<LeaseWrite>
  /** Stores a record in place of exactly the version that `over` was read from. */
  update(over: StoredLease, record: LeaseRecord, call: LeaseCall): Promise<LeaseWrite>
}
