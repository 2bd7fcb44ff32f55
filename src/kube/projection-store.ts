import { isDeepStrictEqual } from 'node:util'
import type { ObjectKey } from './watched-resource.ts'

/** How a store compares and what it reports to. */
export interface ProjectionStoreOptions<T> {
  /** Whether two projections say the same; default: equal as JSON. */
  readonly equal?: ((a: T, b: T) => boolean) | undefined
  /** Called with what a listener threw; the other listeners still run. */
  readonly onListenerFault: (error: unknown) => void
}

/** Projections of one collection by key, with a version that moves only when content does. */
export class ProjectionStore<T> {
  readonly #equal: (a: T, b: T) => boolean
  readonly #onListenerFault: (error: unknown) => void
  #listeners: readonly (() => void)[] = []
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

  /** Grows by one with every change of content. */
  version(): number {
    return this.#version
  }

  /** Takes in one object; `undefined` removes it. A projection that is equal to the one held changes nothing. */
  put(key: ObjectKey, value: T | undefined): void {
    const text = textOf(key)
    const held = this.#objects.get(text)
    if (value === undefined) {
      if (this.#objects.delete(text)) this.#changed()
      return
    }
    if (held !== undefined && this.#equal(held, value)) return
    this.#objects.set(text, value)
    this.#changed()
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

  /** Calls `listener` after each change; returns a function that ends this. */
  onChange(listener: () => void): () => void {
    const call = () => listener() // a name of its own: the same function may listen twice
    this.#listeners = [...this.#listeners, call]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== call)
    }
  }

  #replace(next: Map<string, T>): number {
    const differences = countDifferences(this.#objects, next)
    this.#objects = next
    if (differences > 0) this.#changed()
    return differences
  }

  #changed(): void {
    this.#version += 1
    this.#listed = undefined
    for (const call of this.#listeners) {
      try {
        call()
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
function countDifferences<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): number {
  let differences = 0
  for (const [key, value] of after) if (before.get(key) !== value) differences += 1
  for (const key of before.keys()) if (!after.has(key)) differences += 1
  return differences
}
