import type { GpuModel } from '../../../src/core/gpu/catalog.ts'
import type { Placement } from '../../../src/core/gpu/placement.ts'
import { slotKey } from '../../../src/core/plan/seat.ts'
import { freePlaces } from './busy-gpus.ts'

/** What is on a card, and what is on it after one more workload; undefined where there is no room for it. */
interface CardState {
  readonly placed: readonly Placement[]
  readonly next: Map<string, CardState | undefined>
}

/**
 * Cards that first fit opens where nothing that runs is moved: each workload takes a place of exactly its profile on the
 * first card that has one, there at the highest start. Looks through all cards for each workload, so for some thousands.
 */
export function placedFirstFit(model: GpuModel, workloads: readonly string[]): number {
  const states = new Map<string, CardState>()
  const stateOf = (placed: readonly Placement[]): CardState => {
    const key = placed.map(slotKey).toSorted().join()
    const state = states.get(key) ?? { placed, next: new Map() }
    states.set(key, state)
    return state
  }
  const withOne = ({ placed, next }: CardState, profile: string): CardState | undefined => {
    if (next.has(profile)) return next.get(profile)
    const [place] = freePlaces(model, placed, profile)
    const state = place === undefined ? undefined : stateOf([...placed, place])
    next.set(profile, state)
    return state
  }
  const empty = stateOf([])
  const cards: CardState[] = []
  for (const profile of workloads) {
    const card = cards.findIndex((state) => withOne(state, profile) !== undefined)
    const state = withOne(cards[card] ?? empty, profile)
    if (state === undefined) throw new Error(`no place for ${profile} on ${model.id}`)
    cards[card === -1 ? cards.length : card] = state
  }
  return cards.length
}
