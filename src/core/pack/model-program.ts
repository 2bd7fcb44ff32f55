import { findCatalogProfile, type GpuModel } from '../gpu/catalog.ts'
import type { Ask } from './ask.ts'
import type { CardClass } from './card-class.ts'
import type { Cover } from './cover.ts'
import type { CoveringColumn, CoveringProgram } from './covering-program.ts'
import { greatestDivisor } from './greatest-divisor.ts'
import type { Proof } from './packing.ts'
import { servingSteps } from './serving.ts'

/** Asks without repetition, sorted, and classes of cards in the order of their columns. */
export interface ProgramInput {
  readonly model: GpuModel
  readonly cards: readonly CardClass[]
  readonly asks: readonly Ask[]
}

/** What a row of the program is about, in the order of the rows. */
type Row =
  | { readonly kind: 'slots'; readonly profile: string; readonly isExact: boolean; readonly demand: number }
  | { readonly kind: 'supply'; readonly cardClass: string; readonly demand: number }

/**
 * The covering program of a packing: a column for each class of cards and pattern; then columns at no cost that give a
 * slot away as a smaller one. A row for each profile, one more for its pinned workloads, and one for each supply.
 */
export function modelProgram(input: ProgramInput): CoveringProgram {
  const rows = rowsOf(input)
  const index = (profile: string, isExact: boolean): number =>
    rows.findIndex((row) => row.kind === 'slots' && row.profile === profile && row.isExact === isExact)
  const entry = (profile: string): number => Math.max(index(profile, true), index(profile, false))
  return {
    demand: rows.map(({ demand }) => demand),
    columns: [
      ...input.cards.flatMap((cardClass) => cardColumns(cardClass, rows, entry)),
      ...stepColumns(input, rows, index)
    ]
  }
}

function rowsOf({ cards, asks }: ProgramInput): readonly Row[] {
  const profiles = [
    ...cards.flatMap(({ patterns }) => patterns.flatMap(({ slots }) => Object.keys(slots))),
    ...asks.map(({ profile }) => profile)
  ]
  const count = (profile: string, isExact: boolean): number =>
    asks.find((ask) => ask.profile === profile && ask.isExact === isExact)?.count ?? 0
  const slots = [...new Set(profiles)].toSorted().flatMap((profile): readonly Row[] => {
    const pinned = count(profile, true)
    const open: Row = { kind: 'slots', profile, isExact: false, demand: count(profile, false) }
    return pinned === 0 ? [open] : [open, { kind: 'slots', profile, isExact: true, demand: pinned }]
  })
  const supplies = cards.flatMap(({ id, supply }): readonly Row[] =>
    supply === undefined ? [] : [{ kind: 'supply', cardClass: id, demand: -supply }]
  )
  return [...slots, ...supplies]
}

function cardColumns(
  { id, cost, patterns }: CardClass,
  rows: readonly Row[],
  entry: (profile: string) => number
): readonly CoveringColumn[] {
  const supply = rows.findIndex((row) => row.kind === 'supply' && row.cardClass === id)
  return patterns.map(({ slots }) => ({
    cost,
    isWhole: true,
    adds: [
      ...Object.entries(slots).map(([profile, count]) => [entry(profile), count] as const),
      ...(supply < 0 ? [] : [[supply, -1] as const])
    ]
  }))
}

/** A slot that no pinned workload takes is open to others; an open slot serves what is smaller. */
function stepColumns(
  { model }: ProgramInput,
  rows: readonly Row[],
  index: (profile: string, isExact: boolean) => number
): readonly CoveringColumn[] {
  const slots = rows.filter((row) => row.kind === 'slots')
  const step = (from: number, to: number): CoveringColumn => {
    return { cost: 0, isWhole: false, adds: [[from, -1] as const, [to, 1] as const] }
  }
  const profiles = slots
    .filter(({ isExact }) => !isExact)
    .flatMap(({ profile }) => findCatalogProfile(model, profile) ?? [])
  return [
    ...slots
      .filter(({ isExact }) => isExact)
      .map(({ profile }) => step(index(profile, true), index(profile, false))),
    ...servingSteps(profiles).map(({ from, to }) => step(index(from, false), index(to, false)))
  ]
}

/** What a cover proves, in the words of the packing. */
export function readProof(input: ProgramInput, found: Exclude<Cover, { readonly kind: 'undecided' }>): Proof {
  const { byPrices, steps } = found
  if (byPrices === undefined) return { kind: 'search', steps }
  const divisor = [byPrices.denominator, ...byPrices.prices].reduce(greatestDivisor, 0) || 1
  const priced = rowsOf(input).map((row, index) => ({ row, price: (byPrices.prices[index] ?? 0) / divisor }))
  return {
    kind: 'prices',
    perCard: byPrices.denominator / divisor,
    prices: input.asks.map(({ profile, isExact }) => ({
      profile,
      isExact,
      price: priced.find(({ row }) => isRowOf(row, profile, isExact))?.price ?? 0
    })),
    rents: priced.flatMap(({ row, price }) =>
      row.kind === 'supply' ? [{ cardClass: row.cardClass, rent: price }] : []
    )
  }
}

function isRowOf(row: Row, profile: string, isExact: boolean): boolean {
  return row.kind === 'slots' && row.profile === profile && row.isExact === isExact
}
