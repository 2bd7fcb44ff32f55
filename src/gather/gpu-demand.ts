import { ownAnnotations, sliceLabel } from '../core/api/names.ts'
import { isChangedReason } from '../core/api/reasons.ts'
import type { Sibling } from '../core/decision/decision.ts'
import type { ObjectChange, ObjectStore } from '../ports/object-store.ts'
import { Counts } from './counts.ts'
import type { GpuPod } from './gpu-pod.ts'

/** Told when more or less of a resource is asked for on a node. */
export type DemandListener = (node: string, resource: string, before: number, after: number) => void

/**
 * What living pods ask for, kept up with every change: asking takes one look, however many pods there are, and a change costs what changed.
 */
export class GpuDemand {
  readonly #onNodes = new Counts()
  /** Of pods that no node has yet, by the share that we gave them. */
  readonly #waiting = new Counts()
  readonly #siblings = new Counts()
  readonly #endListening: () => void
  readonly #listeners = new Set<DemandListener>()

  constructor(pods: ObjectStore<GpuPod>) {
    this.#take(pods.list().map((after) => ({ before: undefined, after })))
    this.#endListening = pods.onChange((changes) => this.#take(changes))
  }

  /** How many of `resource` the pods ask for that are bound to `node`; with '' those that are bound to none yet. */
  askedFor(node: string, resource: string): number {
    return this.#onNodes.of(node, resource)
  }

  /** Pods without a node that carry our label of this share. */
  waitingFor(share: string): number {
    return this.#waiting.of('', share)
  }

  /** What living pods of the group were given by us, each answer once. */
  siblings(group: string): readonly Sibling[] {
    return this.#siblings.keysIn(group).map((key) => {
      const [share = '', snapshot = ''] = key.split(SEPARATOR)
      return { share, snapshot, pods: this.#siblings.of(group, key) }
    })
  }

  /** Calls `listener` for every change of what is asked for; returns a function that ends this. */
  onChange(listener: DemandListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
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

  #add({ node, requests, marks, group }: GpuPod, sign: 1 | -1): void {
    for (const resource of Object.keys(requests)) {
      const before = this.#onNodes.of(node, resource)
      const after = this.#onNodes.add(node, resource, sign * (requests[resource] ?? 0))
      for (const listener of this.#listeners) listener(node, resource, before, after)
    }
    const share = marks[sliceLabel]
    if (share === undefined || !isChangedReason(marks[ownAnnotations.decision])) return
    if (node === '') this.#waiting.add('', share, sign)
    if (group !== '')
      this.#siblings.add(group, `${share}${SEPARATOR}${marks[ownAnnotations.snapshot] ?? ''}`, sign)
  }
}

/** Neither labels nor versions hold one. */
const SEPARATOR = '\n'
