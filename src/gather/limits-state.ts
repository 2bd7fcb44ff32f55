import type { LimitRange } from '../core/quota/limit-range.ts'
import { type NamespaceLimits, noLimits } from '../core/quota/namespace-limits.ts'
import type { ResourceQuota } from '../core/quota/resource-quota.ts'
import type { ObjectChange, ObjectStore } from '../ports/object-store.ts'
import { InFlightCounts } from './in-flight-counts.ts'

/**
 * For how long an answer counts against a quota that does not show it. The API server counts a pod as it stores it, and the watch
 * tells within a second; longer than this only pods live in here that something else refused.
 */
const IN_FLIGHT_MS = 5_000

/** Stores of what bounds the pods of a namespace. */
export interface LimitStores {
  readonly quotas: ObjectStore<ResourceQuota>
  readonly limitRanges: ObjectStore<LimitRange>
}

/** What bounds the pods of each namespace, kept up with every change: looking takes one step, however many namespaces there are. */
export class LimitsState {
  readonly #quotas = new Map<string, readonly ResourceQuota[]>()
  readonly #limitRanges = new Map<string, readonly LimitRange[]>()
  readonly #counts = new InFlightCounts(IN_FLIGHT_MS)
  readonly #unsubscribe: readonly (() => void)[]

  constructor({ quotas, limitRanges }: LimitStores) {
    for (const after of quotas.list()) put(this.#quotas, { before: undefined, after })
    for (const after of limitRanges.list()) put(this.#limitRanges, { before: undefined, after })
    this.#unsubscribe = [
      quotas.onChange((changes) => {
        for (const change of changes) {
          put(this.#quotas, change)
          this.#settle(change)
        }
      }),
      limitRanges.onChange((changes) => {
        for (const change of changes) put(this.#limitRanges, change)
      })
    ]
  }

  /** Notes an answer; what no quota of the namespace limits is not kept. */
  note(namespace: string, counts: Readonly<Record<string, number>>, nowMs: number): void {
    const limited = new Set((this.#quotas.get(namespace) ?? []).flatMap(({ limits }) => Object.keys(limits)))
    const kept = Object.entries(counts).filter(([key]) => limited.has(key))
    this.#counts.note(namespace, Object.fromEntries(kept), nowMs)
  }

  of(namespace: string, nowMs: number): NamespaceLimits {
    const quotas = this.#quotas.get(namespace)
    const limitRanges = this.#limitRanges.get(namespace)
    if (quotas === undefined && limitRanges === undefined) return noLimits
    return {
      quotas: quotas ?? [],
      limitRanges: limitRanges ?? [],
      inFlight: this.#counts.of(namespace, nowMs)
    }
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  /** What a quota counts more than before was in flight until now. */
  #settle({ before, after }: ObjectChange<ResourceQuota>): void {
    if (before === undefined || after === undefined) return
    for (const [key, { used = 0 }] of Object.entries(after.limits)) {
      const more = used - (before.limits[key]?.used ?? used)
      if (more > 0) this.#counts.settle(after.namespace, key, more)
    }
  }
}

/** Puts one object in the place of what it was before; the objects of a namespace stay in the order of their names. */
function put<T extends { readonly namespace: string; readonly name: string }>(
  map: Map<string, readonly T[]>,
  { before, after }: ObjectChange<T>
): void {
  const one = after ?? before
  if (one === undefined) return
  const others = (map.get(one.namespace) ?? []).filter(({ name }) => name !== one.name)
  const all = [...others, ...(after === undefined ? [] : [after])].sort((a, b) => (a.name < b.name ? -1 : 1))
  if (all.length === 0) map.delete(one.namespace)
  else map.set(one.namespace, all)
}
