import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import type { LeaseRecord, LeaseStore, LeaseWrite, StoredLease } from '../../src/ports/lease.ts'

/** A lease in memory that several candidates share. */
export class MemoryLease implements LeaseStore {
  /** While true, no call gets an answer. */
  unreachable = false
  /** Every record that was stored. */
  readonly history: LeaseRecord[] = []
  #stored: StoredLease | undefined

  async read(): Promise<StoredLease | undefined> {
    await this.#travel()
    return this.#stored
  }

  async create(record: LeaseRecord): Promise<LeaseWrite> {
    await this.#travel()
    return this.#stored === undefined ? this.#keep(record) : { kind: 'conflict' }
  }

  async update(over: StoredLease, record: LeaseRecord): Promise<LeaseWrite> {
    await this.#travel()
    return this.#stored?.version === over.version ? this.#keep(record) : { kind: 'conflict' }
  }

  /** Who holds it now; '' or undefined for nobody. */
  holder(): string | undefined {
    return this.#stored?.record.holder
  }

  #keep(record: LeaseRecord): LeaseWrite {
    this.history.push(record)
    this.#stored = { record, version: String(this.history.length) }
    return { kind: 'stored', lease: this.#stored }
  }

  async #travel(): Promise<void> {
    await nextTurn()
    if (this.unreachable) throw new AppError('KUBE_UNREACHABLE', 'made to fail')
  }
}
