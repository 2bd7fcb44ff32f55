import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import type { SecretReading, SecretStore, SecretWrite, StoredSecret } from '../../src/ports/secret-store.ts'

/** A Secret in memory that several processes share. */
export class MemorySecret implements SecretStore {
  /** While true, no call gets an answer. */
  unreachable = false
  /** What the server says the time is; undefined: nothing. */
  serverMs: number | undefined
  /** How often it was read. */
  reads = 0
  /** How often it was written. */
  writes = 0
  #stored: StoredSecret | undefined

  async read(signal: AbortSignal): Promise<SecretReading> {
    this.reads += 1
    await this.#travel(signal)
    return { secret: this.#stored, serverMs: this.serverMs }
  }

  async write(
    over: StoredSecret | undefined,
    data: Readonly<Record<string, string>>,
    signal: AbortSignal
  ): Promise<SecretWrite> {
    await this.#travel(signal)
    if (this.#stored?.version !== over?.version) return 'conflict'
    this.put(data)
    return 'stored'
  }

  /** Content by key; undefined when there is no Secret. */
  data(): Readonly<Record<string, string>> | undefined {
    return this.#stored?.data
  }

  /** Somebody writes it, or deletes it with undefined. */
  put(data: Readonly<Record<string, string>> | undefined): void {
    this.writes += 1
    this.#stored = data === undefined ? undefined : { data, version: String(this.writes) }
  }

  async #travel(signal: AbortSignal): Promise<void> {
    await nextTurn()
    signal.throwIfAborted()
    if (this.unreachable) throw new AppError('KUBE_UNREACHABLE', 'made to fail')
  }
}
