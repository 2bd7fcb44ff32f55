import type { ObjectChange, ObjectStore } from '../ports/object-store.ts'
import type { GpuPod } from './gpu-pod.ts'

/** What pods ask for by node and GPU resource, kept up with every change: asking takes one look, however many pods there are. */
export class GpuDemand {
  readonly #asked = new Map<string, Map<string, number>>()
  readonly #endListening: () => void

  constructor(pods: ObjectStore<GpuPod>) {
    this.#take(pods.list().map((after) => ({ before: undefined, after })))
    this.#endListening = pods.onChange((changes) => this.#take(changes))
  }

  /** How many of `resource` the pods ask for that are bound to `node`; with '' those that are bound to none yet. */
  askedFor(node: string, resource: string): number {
    return this.#asked.get(node)?.get(resource) ?? 0
  }

  /** Ends keeping up. */
  close(): void {
    this.#endListening()
  }

  #take(changes: readonly ObjectChange<GpuPod>[]): void {
    for (const { before, after } of changes) {
      if (before !== undefined) this.#add(before, -1)
      if (after !== undefined) this.#add(after, 1)
    }
  }

  #add({ node, requests }: GpuPod, sign: 1 | -1): void {
    const here = this.#asked.get(node) ?? new Map<string, number>()
    for (const resource of Object.keys(requests)) {
      const sum = (here.get(resource) ?? 0) + sign * (requests[resource] ?? 0)
      if (sum === 0) here.delete(resource)
      else here.set(resource, sum)
    }
    if (here.size === 0) this.#asked.delete(node)
    else this.#asked.set(node, here)
  }
}
