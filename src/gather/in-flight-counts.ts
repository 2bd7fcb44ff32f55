interface Entry {
  readonly name: string
  readonly count: number
  readonly untilMs: number
}

/**
 * Counts answers until they are seen, or until so much time has passed that they will not come any more: a pod that something else
 * refused, or whose answer got lost.
 */
export class InFlightCounts {
  readonly #lifeMs: number
  readonly #entries = new Map<string, readonly Entry[]>()

  /** @param lifeMs for how long an answer counts that is never seen */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs
  }

  /** Notes that so many of each name were answered for. */
  note(scope: string, counts: Readonly<Record<string, number>>, nowMs: number): void {
    const untilMs = nowMs + this.#lifeMs
    const fresh = Object.entries(counts).map(([name, count]) => ({ name, count, untilMs }))
    if (fresh.length > 0) this.#put(scope, [...this.#live(scope, nowMs), ...fresh])
  }

  /** How many of each name may still come. */
  of(scope: string, nowMs: number): Readonly<Record<string, number>> {
    if (!this.#entries.has(scope)) return {}
    const live = this.#live(scope, nowMs)
    this.#put(scope, live)
    const sums: Record<string, number> = {}
    for (const { name, count } of live) sums[name] = (sums[name] ?? 0) + count
    return sums
  }

  /** Takes away what was seen of a name, the oldest first. */
  settle(scope: string, name: string, seen: number): void {
    let left = seen
    const rest = (this.#entries.get(scope) ?? []).flatMap((entry): readonly Entry[] => {
      if (entry.name !== name || left <= 0) return [entry]
      const taken = Math.min(left, entry.count)
      left -= taken
      return taken === entry.count ? [] : [{ ...entry, count: entry.count - taken }]
    })
    this.#put(scope, rest)
  }

  #live(scope: string, nowMs: number): readonly Entry[] {
    return (this.#entries.get(scope) ?? []).filter(({ untilMs }) => untilMs > nowMs)
  }

  #put(scope: string, entries: readonly Entry[]): void {
    if (entries.length === 0) this.#entries.delete(scope)
    else this.#entries.set(scope, entries)
  }
}
