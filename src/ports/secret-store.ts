/** A Secret as it was read. */
export interface StoredSecret {
  /** Text by key. */
  readonly data: Readonly<Record<string, string>>
  /** Opaque. */
  readonly version: string
}

/** What a look at the Secret shows. */
export interface SecretReading {
  /** undefined when there is none. */
  readonly secret: StoredSecret | undefined
  /** Time by the clock of the API server, ms since the epoch; undefined when it did not tell. */
  readonly serverMs: number | undefined
}

/** What became of a write: stored, or refused because somebody else wrote in the meantime. */
export type SecretWrite = 'stored' | 'conflict'

/**
 * One Secret that several processes share.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED when there is no answer or another refusal than a conflict.
 */
export interface SecretStore {
  /** The Secret as it is now; never from a cache. */
  read(signal: AbortSignal): Promise<SecretReading>
  /**
   * Makes `data` the whole content: of a new Secret, or of exactly the version that `over` was read from.
   * Labels and annotations of others stay.
   */
  write(
    over: StoredSecret | undefined,
    data: Readonly<Record<string, string>>,
    signal: AbortSignal
  ): Promise<SecretWrite>
}
