import type { EventMessage, EventSink } from '../../src/ports/event-sink.ts'

/** A sink that keeps what it was told. */
export class MemoryEvents implements EventSink {
  readonly told: EventMessage[] = []
  /** Called before each call; may throw. */
  before: (() => void) | undefined
  readonly #keys = new Set<string>()

  tell(event: EventMessage): Promise<boolean> {
    try {
      this.before?.()
    } catch (error) {
      return Promise.reject(error)
    }
    const key = JSON.stringify([event.subject, event.reason, event.key])
    if (this.#keys.has(key)) return Promise.resolve(false)
    this.#keys.add(key)
    this.told.push(event)
    return Promise.resolve(true)
  }
}
