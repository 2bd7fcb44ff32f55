import type { Layout } from '../../../src/core/gpu/geometry.ts'
import { emptyCards } from '../../../src/core/pack/card-class.ts'
import type { Fleet, Pool, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { servingSteps } from '../../../src/core/pack/serving.ts'
import { cardByHand } from './card-by-hand.ts'
import { type CardsByHand, FewestByHand, waysByHand } from './fewest-by-hand.ts'
import { modelOf } from './instances.ts'

/** What a pool is besides its cards. */
type PoolExtras = Omit<Pool, 'cards' | 'steps'> & {
  readonly supply: number
  readonly id?: string
  readonly profiles?: readonly string[]
  readonly uncut?: readonly Layout[]
}

/** A pool of empty cards of one model; its id is the model's where none is given. */
export function poolOf(
  modelId: string,
  { supply, id = modelId, profiles, uncut = [], ...extras }: PoolExtras
): Pool {
  const model = modelOf(modelId)
  const names = profiles ?? model.profiles.map(({ name }) => name)
  const made = emptyCards(model, names, { id, supply, uncut })
  if (made.kind !== 'class') throw new Error(made.reason)
  return { cards: { ...made.cards, supply }, steps: servingSteps(model.profiles), ...extras }
}

/** One workload of a class, where brute force puts it. */
interface Placed {
  readonly workload: WorkloadClass
  readonly pool: number
}

/** The least cost of a small fleet by trying every pool for every workload, and on each pool everything. */
export class CheapestByHand {
  readonly #pools: readonly { readonly pool: Pool; readonly brute: FewestByHand }[]

  /** @param models id of the model of each pool */
  constructor(pools: readonly Pool[], models: readonly string[]) {
    this.#pools = pools.map((pool, index) => {
      const id = models[index] ?? ''
      const card = cardByHand(id)
      const profiles = [...new Set(pool.cards.full.flatMap(({ slots }) => Object.keys(slots)))]
      const cards: CardsByHand = { id, cost: 1, supply: pool.cards.supply, ways: waysByHand(card, profiles) }
      return { pool, brute: new FewestByHand(card, [cards]) }
    })
  }

  /** Infinity when not all find room. */
  least({ workloads, objective }: Fleet): number {
    const singles = workloads.flatMap((workload) => Array.from({ length: workload.count }, () => workload))
    const ways = singles.reduce<readonly (readonly Placed[])[]>(
      (all, workload) =>
        all.flatMap((placed) =>
          [...this.#pools.keys()]
            .filter((pool) => workload.slots[this.#pools[pool]?.pool.cards.id ?? ''] !== undefined)
            .map((pool) => [...placed, { workload, pool }])
        ),
      [[]]
    )
    return Math.min(
      Infinity,
      ...ways.filter((placed) => this.#isAllowed(placed)).map((placed) => this.#cost(placed, objective))
    )
  }

  #cost(placed: readonly Placed[], objective: Fleet['objective']): number {
    return this.#pools.reduce((sum, { pool, brute }, index) => {
      const asks = placed
        .filter((entry) => entry.pool === index)
        .map(({ workload: { slots, isExact = false, tenant = '' } }) => {
          return { profile: slots[pool.cards.id] ?? '', isExact, tenant }
        })
      const price = objective === 'gpus' ? 1 : (pool.priceUsdPerHour ?? 0)
      const cards = brute.fewest(asks)
      return sum + (cards === 0 ? 0 : cards * price)
    }, 0)
  }

  #isAllowed(placed: readonly Placed[]): boolean {
    return (
      this.#pools.every(({ pool }, index) => {
        const here = placed.filter((entry) => entry.pool === index)
        const cpu = here.reduce((sum, { workload }) => sum + (workload.cpuMilli ?? 0), 0)
        const memory = here.reduce((sum, { workload }) => sum + (workload.memoryMiB ?? 0), 0)
        return (
          cpu <= (pool.cpuMilli ?? Infinity) &&
          memory <= (pool.memoryMiB ?? Infinity) &&
          here.every(({ workload }) => isHeld(pool, workload))
        )
      }) &&
      [...new Set(placed.map(({ workload }) => workload))].every((workload) =>
        this.#isSpread(workload, placed)
      )
    )
  }

  #isSpread(workload: WorkloadClass, placed: readonly Placed[]): boolean {
    if (workload.maxSkew === undefined) return true
    const zones = new Map<string, number>()
    for (const { pool } of this.#pools)
      if (workload.slots[pool.cards.id] !== undefined) zones.set(pool.zone ?? '', 0)
    for (const { pool } of placed.filter((entry) => entry.workload === workload)) {
      const zone = this.#pools[pool]?.pool.zone ?? ''
      zones.set(zone, (zones.get(zone) ?? 0) + 1)
    }
    return Math.max(...zones.values()) - Math.min(...zones.values()) <= workload.maxSkew
  }
}

function isHeld(pool: Pool, { cpuMilli = 0, memoryMiB = 0 }: WorkloadClass): boolean {
  return !(
    cpuMilli > (pool.largestNodeCpuMilli ?? cpuMilli) || memoryMiB > (pool.largestNodeMemoryMiB ?? memoryMiB)
  )
}
