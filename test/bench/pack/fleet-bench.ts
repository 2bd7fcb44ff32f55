import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import { findCatalogProfile } from '../../../src/core/gpu/catalog.ts'
import type { Fleet, Pool } from '../../../src/core/pack/fleet.ts'
import type { FleetPlan } from '../../../src/core/pack/fleet-plan.ts'
import { packModel } from '../../../src/core/pack/pack-model.ts'
import { HighsSolver } from '../../../src/solver/highs-solver.ts'
import { planFleet } from '../../../src/solver/plan-fleet.ts'
import { modelOf, plainNames } from '../../core/pack/instances.ts'
import { type Figure, goalOf } from '../report.ts'
import { GreedyCards } from './first-fit.ts'
import { mixedFleet, randomNeeds } from './mixed-fleet.ts'

const SEED = 11
/** Seconds in which a fleet of so many workloads is to be proved. */
const goals: Readonly<Record<number, number | undefined>> = { 1000: undefined, 10_000: 1, 100_000: 5 }
const TIME_LIMIT_MS = 60_000

/** Mixed fleets of five models, proved, beside three greedies. */
export async function benchFleets(): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [size, goal] of Object.entries(goals)) {
    const fleet = mixedFleet(randomNeeds(Number(size), SEED))
    const solver = new HighsSolver()
    const limits = { timeLimitMs: TIME_LIMIT_MS, signal: new AbortController().signal }
    const startMs = performance.now()
    const cpu = process.cpuUsage()
    const plan = await planFleet(fleet, solver, limits)
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (performance.now() - startMs) / 1000
    await solver.close()
    if (plan.kind !== 'planned') throw new Error(`no plan for ${size} workloads: ${plan.kind}`)
    figures.push(
      ...figuresOf(`mixed fleet, ${size}`, { fleet, plan, seconds, goal, cpuSeconds: (user + system) / 1e6 })
    )
  }
  return figures
}

interface Run {
  readonly fleet: Fleet
  readonly plan: FleetPlan
  readonly seconds: number
  readonly cpuSeconds: number
  readonly goal: number | undefined
}

function figuresOf(name: string, { fleet, plan, seconds, cpuSeconds, goal }: Run): readonly Figure[] {
  return [
    { name: `${name}: cost`, value: plan.cost, unit: 'USD/h' },
    { name: `${name}: gap`, value: plan.gapRatio * 100, unit: '%', comparison: '<=', goal: 0 },
    {
      name: `${name}: time, start of the solver included`,
      value: seconds,
      unit: 's',
      ...goalOf('<=', goal)
    },
    { name: `${name}: CPU time`, value: cpuSeconds, unit: 's' },
    ...greedies.map(({ what, rank, packs }) => {
      const cost = greedyCost(fleet, rank, packs)
      return { name: `${name}: ${what}, over exact`, value: (cost / plan.cost - 1) * 100, unit: '%' }
    })
  ]
}

/** What a greedy goes by: a number for a slot on a model, the lowest of which is taken, and how it packs. */
interface FleetGreedy {
  readonly what: string
  readonly rank: (pool: Pool, slotRatio: number) => number
  readonly packs: 'exactly' | 'first fit'
}

const priceOf = ({ priceUsdPerHour = 0 }: Pool): number => priceUsdPerHour
const greedies: readonly FleetGreedy[] = [
  {
    what: 'cheapest slot, packed exactly',
    rank: (pool, slotRatio) => priceOf(pool) * slotRatio,
    packs: 'exactly'
  },
  {
    what: 'cheapest slot, first fit',
    rank: (pool, slotRatio) => priceOf(pool) * slotRatio,
    packs: 'first fit'
  },
  { what: 'cheapest GPU that fits, packed exactly', rank: priceOf, packs: 'exactly' }
]

/** Each class goes where its slot ranks lowest, as far as the memory of the pool's cards reaches, then to the next. */
function greedyCost(
  { pools, workloads }: Fleet,
  rank: FleetGreedy['rank'],
  packs: FleetGreedy['packs']
): number {
  const sites = pools.map((pool) => ({
    pool,
    model: modelOf(pool.cards.id),
    left: pool.cards.supply,
    counts: new Map<string, number>()
  }))
  for (const { count, slots } of workloads) {
    const ranked = sites
      .flatMap((site) => {
        const slot = slots[site.pool.cards.id]
        const slotRatio = slot === undefined ? 0 : memoryRatio(site.model, slot)
        return slot === undefined ? [] : [{ site, slot, slotRatio, rank: rank(site.pool, slotRatio) }]
      })
      .toSorted((a, b) => a.rank - b.rank)
    let open = count
    for (const { site, slot, slotRatio } of ranked) {
      const taken = Math.min(open, Math.floor(site.left / slotRatio))
      site.left -= taken * slotRatio
      site.counts.set(slot, (site.counts.get(slot) ?? 0) + taken)
      open -= taken
    }
  }
  return sites.reduce(
    (sum, { pool, model, counts }) => sum + priceOf(pool) * cardsFor(model, pool, counts, packs),
    0
  )
}

function cardsFor(
  model: GpuModel,
  { cards }: Pool,
  counts: ReadonlyMap<string, number>,
  packs: FleetGreedy['packs']
): number {
  if (packs === 'first fit') {
    const workloads = [...counts].flatMap(([slot, count]) => Array.from({ length: count }, () => slot))
    return new GreedyCards(model, plainNames(model)).place(workloads, 'first fit')
  }
  const { supply: _, ...unlimited } = cards
  const asks = [...counts].map(([profile, count]) => ({ profile, count, isExact: false }))
  const packing = packModel({ model, cards: [unlimited], asks })
  return packing.kind === 'packed' ? packing.gpus : Infinity
}

function memoryRatio(model: GpuModel, slot: string): number {
  return (findCatalogProfile(model, slot)?.memorySlices ?? 0) / (model.memorySlices ?? 8)
}
