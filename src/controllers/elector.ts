import type { Clock } from '../ports/clock.ts'
import type { LeaseRecord, LeaseStore, LeaseWrite, StoredLease } from '../ports/lease.ts'
import type { Log } from '../ports/log.ts'

/** After so long without a renewal others may take over, ms; told to them in the lease. */
const LEASE_MS = 15_000

/** After so long without a renewal that went well the holder gives up by itself, ms; shorter than the lease, so that two never lead. */
const RENEW_DEADLINE_MS = 10_000

/** Pause between two looks at the lease, ms; up to a fifth more by chance. */
const RETRY_MS = 2_000

/** Longest wait for one answer, ms. */
const CALL_MS = 5_000

/** What an elector needs. */
export interface ElectorParts {
  readonly lease: LeaseStore
  /** Name of this candidate, different from that of every other process. */
  readonly identity: string
  readonly clock: Clock
  /** 0 to 1, spreads the looks of several candidates. */
  readonly random: () => number
  readonly log: Log
  /** Told when leading begins and ends. */
  readonly onChange?: (leads: boolean) => void
}

/**
 * Work of the leader. It must end soon after `signal` aborts, and may do nothing to the cluster after that.
 * What it throws ends the election.
 */
export type LeaderWork = (signal: AbortSignal) => Promise<void>

/**
 * What is done last when the process ends in good order: the lease is still held, and `signal` aborts before others may take it.
 * What it throws is logged.
 */
export type Farewell = (signal: AbortSignal) => Promise<void>

/**
 * One candidate for a role that one process at a time may have. Whether a lease has run out is judged by when this process saw it
 * change, by a clock that nobody can set: clocks of machines differ, and the times in the lease are only shown to people.
 */
export class Elector {
  readonly #parts: ElectorParts
  #seen: StoredLease | undefined
  /** When `#seen` was first seen like this, by the monotonic clock. */
  #seenMs = 0
  /** Beginning of the last renewal that went well, by the monotonic clock; undefined while this process does not hold the lease. */
  #renewedMs: number | undefined

  constructor(parts: ElectorParts) {
    this.#parts = parts
  }

  /**
   * Waits for the lease, leads, and waits again when it was lost; until `signal` aborts. Then the work is ended first and the lease
   * handed back after it, so that the next one need not wait.
   */
  async run(signal: AbortSignal, work: LeaderWork, farewell?: Farewell): Promise<void> {
    while (!signal.aborted) {
      await this.#waitForLease(signal)
      if (this.#renewedMs !== undefined) await this.#lead(signal, work, farewell)
    }
  }

  async #waitForLease(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#tryOnce({ timeoutMs: CALL_MS, signal })
      if (this.#renewedMs !== undefined) return
      await this.#pause(signal)
    }
  }

  async #lead(outer: AbortSignal, work: LeaderWork, farewell?: Farewell): Promise<void> {
    const { log, identity, onChange } = this.#parts
    const leading = new AbortController()
    const signal = AbortSignal.any([outer, leading.signal])
    log.info({ identity }, 'leading begins')
    onChange?.(true)
    try {
      const end = (): void => leading.abort()
      const working = work(signal).finally(end)
      working.catch(() => undefined) // awaited below, after the renewals have ended
      await this.#keepRenewing(signal)
      end()
      await working
      if (outer.aborted) await this.#sayFarewell(farewell)
    } finally {
      onChange?.(false)
      await this.#handBack()
      log.info({ identity }, 'leading ended')
    }
  }

  async #sayFarewell(farewell: Farewell | undefined): Promise<void> {
    const { clock, log } = this.#parts
    const restMs = (this.#renewedMs ?? Number.NEGATIVE_INFINITY) + RENEW_DEADLINE_MS - clock.monotonicMs()
    if (farewell === undefined || restMs <= 0) return
    try {
      await farewell(AbortSignal.timeout(restMs))
    } catch (err) {
      log.warn({ err }, 'farewell failed')
    }
  }

  /** Until the signal aborts or the lease is lost. */
  async #keepRenewing(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    while (!signal.aborted && this.#renewedMs !== undefined) {
      await this.#pause(signal)
      if (signal.aborted) return
      const restMs = this.#renewedMs + RENEW_DEADLINE_MS - clock.monotonicMs()
      if (restMs > 0) await this.#tryOnce({ timeoutMs: Math.min(CALL_MS, restMs), signal })
      else this.#renewedMs = undefined
      if (this.#renewedMs === undefined) log.warn({ identity: this.#parts.identity }, 'lease lost')
    }
  }

  /** One look at the lease; takes or renews it where that is right. A call that fails changes nothing. */
  async #tryOnce(call: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void> {
    const { lease, clock, log } = this.#parts
    const startedMs = clock.monotonicMs()
    try {
      const stored = await lease.read(call)
      this.#observe(stored)
      if (!this.#mayTake(stored)) {
        this.#renewedMs = undefined
        return
      }
      const record = this.#ownRecord(stored)
      const write = await (stored === undefined
        ? lease.create(record, call)
        : lease.update(stored, record, call))
      this.#taken(write, startedMs)
    } catch (err) {
      if (!call.signal.aborted) log.warn({ err }, 'lease not reached')
    }
  }

  /** A lease that changed in any way was seen alive now. */
  #observe(stored: StoredLease | undefined): void {
    if (stored?.version === this.#seen?.version && this.#seen !== undefined) return
    this.#seen = stored
    this.#seenMs = this.#parts.clock.monotonicMs()
  }

  #mayTake(stored: StoredLease | undefined): boolean {
    if (stored === undefined) return true
    const { holder, durationSeconds } = stored.record
    if (holder === '' || holder === this.#parts.identity) return true
    return this.#parts.clock.monotonicMs() >= this.#seenMs + durationSeconds * 1000
  }

  #taken(write: LeaseWrite, startedMs: number): void {
    if (write.kind === 'conflict') return // somebody was faster; the next look shows who
    this.#observe(write.lease)
    this.#renewedMs = startedMs
  }

  #ownRecord(stored: StoredLease | undefined): LeaseRecord {
    const nowMs = this.#parts.clock.nowMs()
    const { identity } = this.#parts
    const before = stored?.record
    const isMine = before?.holder === identity
    return {
      holder: identity,
      durationSeconds: LEASE_MS / 1000,
      acquiredMs: isMine ? before.acquiredMs : nowMs,
      renewedMs: nowMs,
      transitions: before === undefined ? 0 : before.transitions + (isMine ? 0 : 1)
    }
  }

  /** Gives up a lease that is still ours; when that fails it runs out by itself. */
  async #handBack(): Promise<void> {
    const { lease, identity, clock, log } = this.#parts
    const mine = this.#renewedMs !== undefined && this.#seen?.record.holder === identity
    this.#renewedMs = undefined
    if (!mine || this.#seen === undefined) return
    const record = { ...this.#seen.record, holder: '', durationSeconds: 1, renewedMs: clock.nowMs() }
    try {
      await lease.update(this.#seen, record, { timeoutMs: CALL_MS })
    } catch (err) {
      log.warn({ err }, 'lease not handed back')
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts
    await clock.sleep(Math.round(RETRY_MS * (1 + random() / 5)), signal)
  }
}
