import { RateLimit } from './rate-limit.ts'

/** Events of one namespace: a burst, and one more every so many ms. */
const NAMESPACE_LIMIT = { burst: 10, refillMs: 10_000 }

/** Namespaces whose limit is remembered. */
const MOST_NAMESPACES = 10_000

/** A limit for each namespace, so that one, where somebody can cause many Events, does not use up what there is for all. */
export class NamespaceLimits {
  /** By namespace. */
  readonly #limits = new Map<string, RateLimit>()

  of(namespace: string): RateLimit {
    if (this.#limits.size >= MOST_NAMESPACES) this.#limits.clear()
    const limit = this.#limits.get(namespace) ?? new RateLimit(NAMESPACE_LIMIT)
    this.#limits.set(namespace, limit)
    return limit
  }
}
