import type { Fleet, NoFleetPlan, Pool, WorkloadClass } from './fleet.ts'
import { isSlotFor, slotIn } from './fleet-columns.ts'

/** What is wrong with a fleet before anything is solved; undefined when nothing is. */
export function refuseFleet(fleet: Fleet): NoFleetPlan | undefined {
  const ids = [fleet.pools.map(({ cards }) => cards.id), fleet.workloads.map(({ id }) => id)]
  const twice = ids.flatMap((list) => list.filter((id, index) => list.indexOf(id) !== index)).at(0)
  if (twice !== undefined) return { kind: 'twice', id: twice }
  const refusal = badCount(fleet) ?? badPrice(fleet)
  if (refusal !== undefined) return refusal
  const wanting = fleet.workloads.filter(({ count }) => count > 0)
  if (wanting.length === 0) return undefined
  if (!fleet.pools.some(hasCards)) return { kind: 'no-cards' }
  const unmet = wanting.find(
    (workload) => !fleet.pools.some((pool) => hasCards(pool) && canServe(pool, workload))
  )
  return unmet && { kind: 'no-slot', workload: unmet.id }
}

function badCount({ pools, workloads }: Fleet): NoFleetPlan | undefined {
  const counts = [
    ...pools.flatMap(({ cards, cpuMilli = 0, memoryMiB = 0 }) =>
      [cards.supply, cpuMilli, memoryMiB].map((value) => [cards.id, value] as const)
    ),
    ...workloads.flatMap(({ id, count, cpuMilli = 0, memoryMiB = 0, maxSkew = 1 }) =>
      [count, cpuMilli, memoryMiB, maxSkew - 1].map((value) => [id, value] as const)
    )
  ]
  const bad = counts.find(([, value]) => !Number.isSafeInteger(value) || value < 0)
  return bad && { kind: 'bad-count', detail: `${bad[0]}: ${bad[1]} is not a whole number from 0 on` }
}

function badPrice({ pools, objective }: Fleet): NoFleetPlan | undefined {
  if (objective === 'gpus') return undefined
  const bad = pools.find(
    ({ cards, priceUsdPerHour = -1 }) =>
      cards.cost > 0 && !(priceUsdPerHour >= 0 && isFinite(priceUsdPerHour))
  )
  if (bad === undefined) return undefined
  const detail =
    bad.priceUsdPerHour === undefined ? 'no price is known' : `${bad.priceUsdPerHour} is no price`
  return { kind: 'bad-price', pool: bad.cards.id, detail }
}

function hasCards({ cards }: Pool): boolean {
  return cards.supply > 0 && cards.patterns.length > 0
}

/** True when a slot of the pool's cards is, or leads by steps to, what the workload asks for. */
function canServe(pool: Pool, workload: WorkloadClass): boolean {
  const asked = slotIn(workload, pool)
  if (asked === undefined) return false
  const patterns = asked.isExact ? pool.cards.full : pool.cards.patterns
  const slots = [...new Set(patterns.flatMap((pattern) => Object.keys(pattern.slots)))]
  return slots.some((slot) => isSlotFor(pool, slot, asked))
}
