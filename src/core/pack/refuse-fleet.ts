import { firstTwice } from './first-twice.ts'
import type { Fleet, NoFleetPlan, Pool } from './fleet.ts'
import { namedSlot, type Slot, slotIn } from './fleet-columns.ts'
import { isCount } from './pack-model.ts'
import type { Pattern } from './patterns.ts'
import { reachBySteps } from './serving.ts'

/** Least price that is not nothing: prices are planned to a millionth of a dollar. */
const LEAST_PRICE_USD = 0.000_001

/**
 * Most that one card costs an hour. Some 900,000 cards at this price still cost a whole number of millionths that is exact;
 * cards for 1e303 would not.
 */
const MOST_PRICE_USD = 10_000

/** What is wrong with a fleet before anything is solved; undefined when nothing is. */
export function refuseFleet(fleet: Fleet): NoFleetPlan | undefined {
  const { pools, workloads } = fleet
  const twice = firstTwice(pools.map(({ cards }) => cards.id)) ?? firstTwice(workloads.map(({ id }) => id))
  if (twice !== undefined) return { kind: 'twice', id: twice }
  const refusal = badCount(fleet) ?? badPrice(fleet)
  if (refusal !== undefined) return refusal
  const wanting = workloads.filter(({ count }) => count > 0)
  if (wanting.length === 0) return undefined
  const offers = pools.filter(hasCards).map(offerOf)
  if (offers.length === 0) return { kind: 'no-cards' }
  const unmet = wanting.find((workload) =>
    offers.every((offer) => !canServe(offer, slotIn(workload, offer.pool)))
  )
  if (unmet === undefined) return undefined
  const isServed = offers.some((offer) => canServe(offer, namedSlot(unmet, offer.pool)))
  return { kind: isServed ? 'no-node' : 'no-slot', workload: unmet.id }
}

function badCount({ pools, workloads }: Fleet): NoFleetPlan | undefined {
  const counts = [
    ...pools.flatMap((pool) => poolCounts(pool).map((value) => [pool.cards.id, value] as const)),
    ...workloads.flatMap(({ id, count, cpuMilli = 0, memoryMiB = 0, maxSkew = 1 }) =>
      [count, cpuMilli, memoryMiB, maxSkew - 1].map((value) => [id, value] as const)
    )
  ]
  const bad = counts.find(([, value]) => !isCount(value))
  return bad && { kind: 'bad-count', detail: `${bad[0]}: ${bad[1]} is not a whole number from 0 on` }
}

function poolCounts({ cards, ...pool }: Pool): readonly number[] {
  const { cpuMilli = 0, memoryMiB = 0, largestNodeCpuMilli = 0, largestNodeMemoryMiB = 0 } = pool
  const slots = [...cards.patterns, ...cards.full].flatMap((pattern) => Object.values(pattern.slots))
  return [cards.supply, cpuMilli, memoryMiB, largestNodeCpuMilli, largestNodeMemoryMiB, ...slots]
}

function badPrice({ pools, objective }: Fleet): NoFleetPlan | undefined {
  if (objective === 'gpus') return undefined
  for (const { cards, priceUsdPerHour } of pools) {
    const detail = cards.cost === 0 ? undefined : faultOfPrice(priceUsdPerHour)
    if (detail !== undefined) return { kind: 'bad-price', pool: cards.id, detail }
  }
  return undefined
}

/** What is wrong with a price, USD an hour; 0 is one. */
export function faultOfPrice(price: number | undefined): string | undefined {
  if (price === undefined) return 'no price is known'
  if (!(price >= 0)) return `${price} is no price`
  if (price > MOST_PRICE_USD) return `${price} is above ${MOST_PRICE_USD} USD an hour`
  return price > 0 && price < LEAST_PRICE_USD ? `${price} is under a millionth of a dollar` : undefined
}

function hasCards({ cards }: Pool): boolean {
  return cards.supply > 0 && cards.patterns.length > 0
}

/** What the cards of a pool can be used as: by one who takes a larger slot too, and by one who does not. */
interface Offer {
  readonly pool: Pool
  readonly open: ReadonlySet<string>
  readonly exact: ReadonlySet<string>
}

function offerOf(pool: Pool): Offer {
  const slots = [...profilesOf(pool.cards.patterns)]
  const open = new Set(slots.flatMap((slot) => [...reachBySteps(slot, pool.steps)]))
  return { pool, open, exact: profilesOf(pool.cards.full) }
}

function profilesOf(patterns: readonly Pattern[]): ReadonlySet<string> {
  return new Set(patterns.flatMap(({ slots }) => Object.keys(slots)))
}

/** True when a slot of the pool's cards is, or leads by steps to, the one that is asked for. */
function canServe({ open, exact }: Offer, asked: Slot | undefined): boolean {
  return asked !== undefined && (asked.isExact ? exact : open).has(asked.profile)
}
