import { isDeepStrictEqual } from 'node:util'
import type { ObjectChange, ObjectStore, StoreState } from '../../src/ports/object-store.ts'

/** An ObjectStore that a test fills by hand; synced from the start. */
export class MemoryStore<T> implements ObjectStore<T> {
  readonly #objects = new Map<string, T>()
  readonly #listeners = new Map<symbol, (changes: readonly ObjectChange<T>[]) => void>()
  #version = 0
  #state: StoreState = { synced: true, lastHeardMs: 0, relists: 0, watchRestarts: 0, drift: 0 }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  list(): readonly T[] {
    return [...this.#objects.values()]
  }

  version(): number {
    return this.#version
  }

  state(): StoreState {
    return this.#state
  }

  onChange(listener: (changes: readonly ObjectChange<T>[]) => void): () => void {
    const id = Symbol('listener')
    this.#listeners.set(id, listener)
    return () => {
      this.#listeners.delete(id)
    }
  }

  /** Adds or replaces an object; an equal one changes nothing. */
  set(namespace: string, name: string, value: T): void {
    const before = this.get(namespace, name)
    if (isDeepStrictEqual(before, value)) return
    this.#objects.set(`${namespace}/${name}`, value)
    this.#changed({ before, after: value })
  }

  /** Removes an object; one that is not there changes nothing. */
  remove(namespace: string, name: string): void {
    const before = this.get(namespace, name)
    if (this.#objects.delete(`${namespace}/${name}`)) this.#changed({ before, after: undefined })
  }

  /** Says how fresh the content is. */
  setState(state: Partial<StoreState>): void {
    this.#state = { ...this.#state, ...state }
  }

  #changed(change: ObjectChange<T>): void {
    this.#version += 1
    for (const listener of this.#listeners.values()) {
      try {
        listener([change])
      } catch {
        // as in the real store, one listener's fault is not another's
      }
    }
  }
}
