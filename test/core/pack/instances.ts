import { type CatalogProfile, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { fitsBeside, legalPlacements, type Placement } from '../../../src/core/gpu/placement.ts'
import { type CardClass, emptyCards, frozenCards, keptCards } from '../../../src/core/pack/card-class.ts'
import { type CardByHand, cardByHand } from './card-by-hand.ts'
import { type CardsByHand, waysByHand } from './fewest-by-hand.ts'

/** Models whose cards can be cut. */
export const cuttable: readonly GpuModel[] = gpuModels.filter(
  ({ placementGrid, profiles }) => placementGrid !== undefined && profiles.length > 0
)

/** The model of the catalogue with this id. */
export function modelOf(id: string): GpuModel {
  const model = gpuModels.find((candidate) => candidate.id === id)
  if (model === undefined) throw new Error(`no model ${id}`)
  return model
}

/** Profiles without attributes. */
export function plainProfiles({ profiles }: GpuModel): readonly CatalogProfile[] {
  return profiles.filter(({ name }) => name.endsWith('gb'))
}

/** Names of the profiles without attributes. */
export function plainNames(model: GpuModel): readonly string[] {
  return plainProfiles(model).map(({ name }) => name)
}

/** Cards of one model under one policy, once for the packing and once for brute force. */
export interface Site {
  readonly model: GpuModel
  readonly card: CardByHand
  /** Profiles that may be cut. */
  readonly allowed: readonly string[]
  readonly cards: readonly CardClass[]
  readonly byHand: readonly CardsByHand[]
}

/** Cards of the site that are in use: whose instances stay, and whose layout stays. */
export interface InUse {
  readonly kept?: { readonly live: readonly Placement[]; readonly supply: number }
  readonly frozen?: { readonly free: readonly Placement[]; readonly supply: number }
}

/** A site of empty cards and of cards in use. */
export function siteOf(
  model: GpuModel,
  allowed: readonly string[],
  { supply, kept, frozen }: InUse & { readonly supply?: number }
): Site {
  const card = cardByHand(model.id)
  const empty = emptyCards(model, allowed, { id: 'empty', ...(supply === undefined ? {} : { supply }) })
  const cards: CardClass[] = empty.kind === 'class' ? [empty.cards] : []
  const byHand: CardsByHand[] = [
    { id: 'empty', cost: 1, supply: supply ?? Infinity, ways: waysByHand(card, allowed) }
  ]
  if (kept !== undefined) {
    const made = keptCards(model, allowed, { id: 'kept', ...kept })
    if (made.kind === 'class') cards.push(made.cards)
    byHand.push({ id: 'kept', cost: 0, supply: kept.supply, ways: waysByHand(card, allowed, kept.live) })
  }
  if (frozen !== undefined) {
    cards.push(frozenCards({ id: 'frozen', ...frozen }))
    const slots = frozen.free.map(({ profile }) => profile)
    byHand.push({ id: 'frozen', cost: 0, supply: frozen.supply, ways: slots.length === 0 ? [] : [slots] })
  }
  return { model, card, allowed, cards, byHand }
}

/** Instances put on a card one after the other where `choose` says, up to `most`. */
export function randomLive(
  model: GpuModel,
  { choose, most }: { readonly choose: <T>(list: readonly T[]) => T | undefined; readonly most: number }
): readonly Placement[] {
  const names = model.profiles.map(({ name }) => name)
  let live: readonly Placement[] = []
  for (let tries = 0; tries < most; tries++) {
    const name = choose(names)
    const next = name === undefined ? undefined : choose(legalPlacements(model, name))
    if (next !== undefined && fitsBeside(model, live, next)) live = [...live, next]
  }
  return live
}
