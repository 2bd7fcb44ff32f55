import { findCatalogProfile, type GpuModel } from '../../gpu/catalog.ts'
import { firstMisplaced } from '../../gpu/placed-sets.ts'
import { WHOLE_CARD } from '../../pack/card-class.ts'
import { firstTwice } from '../../pack/first-twice.ts'
import { faultOfPrice } from '../../pack/refuse-fleet.ts'
import { moveCostSeconds, type PlanCard, type PlanState } from '../plan-state.ts'
import { podsOnCard } from '../pods-on-card.ts'
import { slotKey } from '../seat.ts'
import type { DrainObjective } from './gains.ts'

/** Why nothing is planned for a state. */
export type NoState =
  | { readonly kind: 'no-cards' }
  /** Two of the same id, or one pod in two places. */
  | {
      readonly kind: 'twice'
      readonly what: 'pool' | 'node' | 'card' | 'pod' | 'budget' | 'spare'
      readonly id: string
    }
  | {
      readonly kind: 'unknown'
      readonly what: 'pool' | 'pod' | 'card' | 'profile'
      readonly id: string
      readonly by: string
    }
  | { readonly kind: 'bad-number'; readonly by: string; readonly detail: string }
  | { readonly kind: 'bad-price'; readonly node: string; readonly detail: string }
  /** Instances that no card of the model can hold together, or a pod on an uncut card that is cut. */
  | { readonly kind: 'bad-card'; readonly card: string; readonly detail: string }

/** What is asked, as far as it can be wrong. */
export interface RefusedAsk {
  readonly state: PlanState
  readonly objective: DrainObjective
  readonly points: number
  readonly spares: readonly string[]
}

/** The first thing that is wrong with what is asked; undefined where nothing is. */
export function refuseState({ state, objective, points, spares }: RefusedAsk): NoState | undefined {
  if (state.nodes.every(({ cards }) => cards.length === 0)) return { kind: 'no-cards' }
  return (
    findTwice(state, spares) ??
    findUnknown(state, spares) ??
    findBadSpare(state, new Set(spares)) ??
    findBadPoints(points) ??
    findBadNumber(state) ??
    findBadBudget(state) ??
    findBadPrice(state, objective) ??
    findBadCard(state)
  )
}

/** Each point is a question to the solver. */
const MOST_POINTS = 1000

function findBadPoints(points: number): NoState | undefined {
  return Number.isInteger(points) && points > 0 && points <= MOST_POINTS
    ? undefined
    : {
        kind: 'bad-number',
        by: 'points',
        detail: `points is ${points}, not a whole number from 1 to ${MOST_POINTS}`
      }
}

function findBadBudget({ budgets = [] }: PlanState): NoState | undefined {
  const id = firstTwice(budgets.map((budget) => budget.id))
  if (id !== undefined) return { kind: 'twice', what: 'budget', id }
  for (const { id: by, disruptionsAllowed } of budgets) {
    const detail = notWholeOf({ disruptionsAllowed })
    if (detail !== undefined) return { kind: 'bad-number', by, detail }
  }
  return undefined
}

function findTwice({ pools, nodes, pods }: PlanState, spares: readonly string[]): NoState | undefined {
  const cards = nodes.flatMap((node) => node.cards)
  const seated = cards.flatMap((card) => podsOnCard({ ...card, sharedPods: [] })).map((id) => ({ id }))
  for (const [what, list] of [
    ['pool', pools],
    ['node', nodes],
    ['card', cards],
    ['pod', pods],
    ['pod', seated],
    ['spare', spares.map((id) => ({ id }))]
  ] as const) {
    const id = firstTwice(list.map((entry) => entry.id))
    if (id !== undefined) return { kind: 'twice', what, id }
  }
  const shared = new Set(cards.flatMap(({ sharedPods = [] }) => sharedPods))
  const both = seated.find(({ id }) => shared.has(id))
  return both && { kind: 'twice', what: 'pod', id: both.id }
}

function findUnknown({ pools, nodes, pods }: PlanState, spares: readonly string[]): NoState | undefined {
  const unnamed = findUnknownProfile(pools, pods)
  if (unnamed !== undefined) return unnamed
  const poolIds = new Set(pools.map(({ id }) => id))
  const podIds = new Set(pods.map(({ id }) => id))
  const lost = nodes.find(({ pool }) => !poolIds.has(pool))
  if (lost !== undefined) return { kind: 'unknown', what: 'pool', id: lost.pool, by: lost.id }
  const cards = nodes.flatMap((node) => node.cards)
  const cardIds = new Set(cards.map(({ id }) => id))
  const noSpare = spares.find((spare) => !cardIds.has(spare))
  if (noSpare !== undefined) return { kind: 'unknown', what: 'card', id: noSpare, by: 'spares' }
  for (const card of cards) {
    const id = podsOnCard(card).find((pod) => !podIds.has(pod))
    if (id !== undefined) return { kind: 'unknown', what: 'pod', id, by: card.id }
  }
  return undefined
}

/** A name that is spelled wrong would read as if nothing could be freed. */
function findUnknownProfile(pools: PlanState['pools'], pods: PlanState['pods']): NoState | undefined {
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  for (const { id: by, model, profiles } of pools) {
    const id = profiles.find((profile) => findCatalogProfile(model, profile) === undefined)
    if (id !== undefined) return { kind: 'unknown', what: 'profile', id, by }
  }
  for (const { id: by, slots } of pods) {
    for (const [id, profile] of Object.entries(slots)) {
      const pool = byId.get(id)
      if (pool === undefined) return { kind: 'unknown', what: 'pool', id, by }
      if (profile !== WHOLE_CARD && findCatalogProfile(pool.model, profile) === undefined)
        return { kind: 'unknown', what: 'profile', id: profile, by }
    }
  }
  return undefined
}

/** A spare takes guests for a while, so it is empty and may be laid out. */
function findBadSpare({ nodes }: PlanState, spares: ReadonlySet<string>): NoState | undefined {
  for (const { stays: nodeStays, isCordoned = false, cards } of nodes) {
    for (const card of cards.filter(({ id }) => spares.has(id))) {
      const [pod] = podsOnCard(card)
      const stays = card.stays ?? nodeStays ?? (isCordoned ? 'its node is cordoned' : undefined)
      if (pod !== undefined)
        return { kind: 'bad-card', card: card.id, detail: `it is a spare, yet ${pod} is on it` }
      if (stays !== undefined)
        return { kind: 'bad-card', card: card.id, detail: `it is a spare, yet it stays: ${stays}` }
    }
  }
  return undefined
}

function findBadNumber({ nodes, pods }: PlanState): NoState | undefined {
  for (const pod of pods) {
    const { restartSeconds, replicasLost, cpuMilli = 0, memoryMiB = 0 } = pod
    const bad =
      badOf({ restartSeconds, replicasLost, restartCost: moveCostSeconds(pod) }) ??
      notWholeOf({ cpuMilli, memoryMiB })
    if (bad !== undefined) return { kind: 'bad-number', by: pod.id, detail: bad }
  }
  for (const node of nodes) {
    const { freeCpuMilli = 0, freeMemoryMiB = 0 } = node
    const bad = notWholeOf({ freeCpuMilli, freeMemoryMiB })
    if (bad !== undefined) return { kind: 'bad-number', by: node.id, detail: bad }
  }
  return undefined
}

/** Larger numbers are none that a cluster has, and sums of them would no longer be exact. */
const MOST = 1e9

function badOf(numbers: Readonly<Record<string, number>>): string | undefined {
  const bad = Object.entries(numbers).find(([, value]) => !(value >= 0 && value <= MOST))
  return bad && `${bad[0]} is ${bad[1]}, not a number from 0 to ${MOST}`
}

/** Sums of parts are not exact, and what is as much as there is could seem more. */
function notWholeOf(numbers: Readonly<Record<string, number>>): string | undefined {
  const bad = Object.entries(numbers).find(
    ([, value]) => !(Number.isInteger(value) && value >= 0 && value <= MOST)
  )
  return bad && `${bad[0]} is ${bad[1]}, not a whole number from 0 to ${MOST}`
}

/** A price has to be known where it is what counts, and has to be one wherever it is said. */
function findBadPrice({ nodes }: PlanState, objective: DrainObjective): NoState | undefined {
  for (const { id, priceUsdPerHour } of nodes) {
    const isAsked = objective === 'price' || priceUsdPerHour !== undefined
    const detail = isAsked ? faultOfPrice(priceUsdPerHour) : undefined
    if (detail !== undefined) return { kind: 'bad-price', node: id, detail }
  }
  return undefined
}

function findBadCard({ pools, nodes }: PlanState): NoState | undefined {
  const models = new Map(pools.map(({ id, model }) => [id, model]))
  for (const { pool, cards } of nodes) {
    const model = models.get(pool)
    if (model === undefined) continue
    for (const card of cards) {
      const detail = whyBad(model, card)
      if (detail !== undefined) return { kind: 'bad-card', card: card.id, detail }
    }
  }
  return undefined
}

function whyBad(model: GpuModel, { instances, wholePod }: PlanCard): string | undefined {
  if (wholePod !== undefined && instances.length > 0) return `${wholePod} has it uncut, yet it is cut`
  const live = instances.map(({ placement }) => placement)
  const bad = firstMisplaced(model, live)
  const [placement, others] = [live[bad], live.slice(0, bad)]
  if (placement === undefined) return undefined
  const beside = others.length === 0 ? '' : ` beside ${others.map(slotKey).join(', ')}`
  return `${slotKey(placement)} cannot be on ${model.name}${beside}`
}
