import { AppError } from '../errors.ts'
import { type CatalogProfile, findCatalogProfile, type GpuModel } from '../gpu/catalog.ts'
import { type Ask, mergeAsks } from './ask.ts'
import { assignSlots } from './assign-slots.ts'
import type { CardClass } from './card-class.ts'
import { type Cover, cover } from './cover.ts'
import { firstTwice } from './first-twice.ts'
import { modelProgram, readProof } from './model-program.ts'
import { type NoPacking, type Packing, slotsOf, type UsedCards } from './packing.ts'
import { printSlots } from './patterns.ts'
import { serves } from './serving.ts'

/** Workloads of one model and the cards they may run on. */
export interface ModelDemand {
  readonly model: GpuModel
  readonly cards: readonly CardClass[]
  readonly asks: readonly Ask[]
}

/** Relaxations after which a search ends with the best that it found; some seconds on the largest instances. */
const MAX_STEPS = 20_000

/**
 * The fewest cards of one model that hold all asks, with a proof that fewer do not. The same asks give the same packing
 * in whatever order they come.
 * @example 4,000 asks for 1g.10gb on A100-80: 572 cards, each 6 x 1g.10gb and one 1g.20gb
 */
export function packModel({ model, cards, asks }: ModelDemand, maxSteps = MAX_STEPS): Packing | NoPacking {
  const wanted = mergeAsks(asks)
  const hasPins = wanted.some(({ isExact }) => isExact)
  const ways = cards.map((entry) => (hasPins ? { ...entry, patterns: entry.full } : entry))
  const demand = { model, asks: wanted, cards: ways.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
  const refusal = refuse(asks, demand)
  if (refusal !== undefined) return refusal
  const program = modelProgram(demand)
  const found = cover(program, maxSteps)
  if (found.kind === 'undecided') return { kind: 'undecided', bound: found.bound }
  const proof = readProof(demand, found)
  return found.kind === 'covered' ? packingOf(demand, found, proof) : { kind: 'too-few-cards', proof }
}

function refuse(asks: readonly Ask[], { model, cards, asks: wanted }: ModelDemand): NoPacking | undefined {
  const twice = firstTwice(cards.map(({ id }) => id))
  if (twice !== undefined) return { kind: 'twice', id: twice }
  const bad = badCount(asks, cards)
  if (bad !== undefined) return bad
  if (wanted.length === 0) return undefined
  if (cards.every(({ patterns, supply }) => patterns.length === 0 || supply === 0))
    return { kind: 'no-cards' }
  const slots = [
    ...new Set(cards.flatMap(({ patterns }) => patterns.flatMap((pattern) => Object.keys(pattern.slots))))
  ]
  const unmet = wanted.find((ask) => !slots.some((slot) => isSlotFor(model, slot, ask)))
  return unmet && { kind: 'no-slot', ask: { profile: unmet.profile, isExact: unmet.isExact } }
}

function badCount(asks: readonly Ask[], cards: readonly CardClass[]): NoPacking | undefined {
  const counts = [
    ...asks.map(({ profile, count }) => [count, `of ${profile}`] as const),
    ...cards.map(({ id, supply = 0 }) => [supply, `cards of ${id}`] as const),
    ...cards.flatMap(({ id, patterns }) =>
      patterns.flatMap(({ slots }) =>
        Object.entries(slots).map(([slot, count]) => [count, `of ${slot} on ${id}`] as const)
      )
    )
  ]
  const bad = counts.find(([count]) => !isCount(count))
  return bad && { kind: 'bad-count', detail: `${bad[0]} ${bad[1]} is not a whole number from 0 on` }
}

/** True for a whole number from 0 on. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** True when a slot of some card may be given to the ask; one of an uncut card, which the model does not know, by its name. */
function isSlotFor(model: GpuModel, slot: string, ask: Omit<Ask, 'count'>): boolean {
  return slot === ask.profile || mayServe(model, slot, ask)
}

/** True when a workload of the ask may run in a slot of this profile on the model. */
export function mayServe(model: GpuModel, slot: string, { profile, isExact }: Omit<Ask, 'count'>): boolean {
  if (slot === profile) return findCatalogProfile(model, slot) !== undefined
  const [offered, asked]: readonly (CatalogProfile | undefined)[] = [slot, profile].map((name) =>
    findCatalogProfile(model, name)
  )
  return !isExact && offered !== undefined && asked !== undefined && serves(offered, asked)
}

function packingOf(
  { model, cards, asks }: ModelDemand,
  found: Extract<Cover, { readonly kind: 'covered' }>,
  proof: Packing['proof']
): Packing {
  const ways = cards.flatMap((cardClass) =>
    cardClass.patterns.map((pattern) => ({ cardClass: cardClass.id, pattern }))
  )
  const used = ways
    .map((way, index) => ({ ...way, cards: found.counts[index] ?? 0 }))
    .filter((way) => way.cards > 0)
    .toSorted(compareUsed)
  const uses = assignSlots({
    slots: slotsOf(used),
    asks,
    mayServe: (slot, ask) => isSlotFor(model, slot, ask)
  })
  if (uses === undefined) throw new AppError('PLAN_INVALID', 'the slots of a packing do not serve its asks')
  return { kind: 'packed', cards: used, uses, gpus: found.cost, bound: found.bound, proof }
}

function compareUsed(a: UsedCards, b: UsedCards): number {
  if (a.cardClass !== b.cardClass) return a.cardClass < b.cardClass ? -1 : 1
  return printSlots(a.pattern.slots) < printSlots(b.pattern.slots) ? -1 : 1
}
