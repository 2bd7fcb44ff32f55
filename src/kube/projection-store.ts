import { isDeepStrictEqual } from 'node:util'
import type { ObjectChange } from '../ports/object-store.ts'
import type { ObjectKey } from './watched-resource.ts'

/** How a store compares and what it reports to. */
export interface ProjectionStoreOptions<T> {
  /** Whether two projections say the same; default: equal as JSON. */
  readonly equal?: ((a: T, b: T) => boolean) | undefined
  /** Called with what a listener threw; the other listeners still run. */
  readonly onListenerFault: (error: unknown) => void
}

type Listener<T> = (changes: readonly ObjectChange<T>[]) => void

/** Projections of one collection by key, with a version that moves only when content does. */
export class ProjectionStore<T> {
  readonly #equal: (a: T, b: T) => boolean
  readonly #onListenerFault: (error: unknown) => void
  #listeners: readonly Listener<T>[] = []
  #objects = new Map<string, T>()
  #listed: readonly T[] | undefined
  #version = 0

  constructor(options: ProjectionStoreOptions<T>) {
    this.#equal = options.equal ?? isDeepStrictEqual
    this.#onListenerFault = options.onListenerFault
  }

  /** The projection, or undefined. */
  get(key: ObjectKey): T | undefined {
    return this.#objects.get(textOf(key))
  }

  /** All projections; the same array until content changes, and never changed afterwards. */
  list(): readonly T[] {
    this.#listed ??= Object.freeze([...this.#objects.values()])
    return this.#listed
  }

  /** How many there are. */
  size(): number {
    return this.#objects.size
  }

  /** Grows by one with every change of content. */
  version(): number {
    return this.#version
  }

  /** Takes in one object; `undefined` removes it. A projection that is equal to the one held changes nothing. */
  put(key: ObjectKey, value: T | undefined): void {
    const text = textOf(key)
    const held = this.#objects.get(text)
    if (value === undefined) {
      if (!this.#objects.delete(text)) return
    } else {
      if (held !== undefined && this.#equal(held, value)) return
      this.#objects.set(text, value)
    }
    this.#changed([{ before: held, after: value }])
  }

  /** Begins a new whole content, gathered object by object and put in place in one step. */
  replacement(): Replacement<T> {
    const next = new Map<string, T>()
    return {
      add: (key, value) => {
        if (value === undefined) return
        const text = textOf(key)
        const held = this.#objects.get(text)
        next.set(text, held !== undefined && this.#equal(held, value) ? held : value)
      },
      commit: () => this.#replace(next)
    }
  }

  /** Calls `listener` after each change with what changed; returns a function that ends this. */
  onChange(listener: Listener<T>): () => void {
    const call: Listener<T> = (changes) => listener(changes) // a name of its own: the same function may listen twice
    this.#listeners = [...this.#listeners, call]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== call)
    }
  }

  #replace(next: Map<string, T>): number {
    const changes = changesBetween(this.#objects, next)
    this.#objects = next
    if (changes.length > 0) this.#changed(changes)
    return changes.length
  }

  #changed(changes: readonly ObjectChange<T>[]): void {
    this.#version += 1
    this.#listed = undefined
    for (const call of this.#listeners) {
      try {
        call(changes)
      } catch (error) {
        this.#onListenerFault(error)
      }
    }
  }
}

/** A whole content in the making. */
export interface Replacement<T> {
  /** Adds one object; `undefined` leaves it out. Compares now, so that `commit` is quick. */
  add(key: ObjectKey, value: T | undefined): void
  /** Puts the content in place; returns how many objects were added, removed or changed by it. */
  commit(): number
}

function textOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}` // neither part can hold a slash
}

/** Equal projections keep their identity in a replacement, so identity tells. */
function changesBetween<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ObjectChange<T>[] {
  const changes: ObjectChange<T>[] = []
  for (const [key, value] of after) {
    const held = before.get(key)
    if (held !== value) changes.push({ before: held, after: value })
  }
  for (const [key, held] of before) if (!after.has(key)) changes.push({ before: held, after: undefined })
  return changes
}
