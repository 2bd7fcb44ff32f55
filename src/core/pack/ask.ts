/** Workloads that need a slot of one profile, or of one that serves it. */
export interface Ask {
  readonly profile: string
  readonly count: number
  /** True for workloads that are pinned: a slot of exactly this profile. */
  readonly isExact: boolean
}

/** Total order of asks: profile, then those that take a larger slot too. */
export function compareAsks(a: Omit<Ask, 'count'>, b: Omit<Ask, 'count'>): number {
  if (a.profile !== b.profile) return a.profile < b.profile ? -1 : 1
  return Number(a.isExact) - Number(b.isExact)
}

/** Asks of the same profile and kind put together, without those for none; sorted. */
export function mergeAsks(asks: readonly Ask[]): readonly Ask[] {
  const groups = Map.groupBy(asks, ({ profile, isExact }) => `${profile} ${isExact}`)
  return [...groups.values()]
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [{ ...first, count: rest.reduce((sum, { count }) => sum + count, first.count) }]
    )
    .filter(({ count }) => count !== 0)
    .toSorted(compareAsks)
}
