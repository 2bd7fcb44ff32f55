import fc from 'fast-check'
import { gpuModels } from '../../src/core/gpu/catalog.ts'
import { legalPlacements, type Placement } from '../../src/core/gpu/placement.ts'
import type { DisruptionUnit, PlanNode, PlanPod, PlanState } from '../../src/core/plan/plan-state.ts'
import type { Seat, Target } from '../../src/core/plan/target.ts'
import { cardByHand, holdsByHand, isValidCard } from '../core/pack/card-by-hand.ts'

/** A small state, a target that it can reach, and cards that are kept for cycles. */
export interface PlanCase {
  readonly state: PlanState
  readonly target: Target
  readonly spares: readonly string[]
}

/** Where each pod is, and how each card is cut, in the end. */
export interface Ending {
  readonly seats: ReadonlyMap<string, Seat>
  readonly layouts: ReadonlyMap<string, readonly Placement[]>
}

type Pick = (below: number) => number

interface DraftCard {
  readonly id: string
  readonly node: string
  readonly pool: string
  readonly unit: DisruptionUnit
  readonly layout: readonly Placement[]
  readonly tenant: string | undefined
}

const WHOLE = 'whole'
const modelIds: readonly string[] = ['a100-sxm4-80gb', 'a30-24gb']
const plain: Readonly<Record<string, readonly string[]>> = {
  'a100-sxm4-80gb': ['1g.10gb', '1g.10gb+me', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
  'a30-24gb': ['1g.6gb', '2g.12gb', '4g.24gb']
}

/** Random states with random targets, made from a list of numbers so that a fault gets small. */
export const planCases: fc.Arbitrary<PlanCase> = fc
  .array(fc.nat({ max: 1 << 20 }), { minLength: 40, maxLength: 300 })
  .map((tape) => planCase(pickFrom(tape)))

/** What a case ends with, by the words of its target alone. */
export function endingOf({ state, target }: PlanCase): Ending {
  const seats = seatsIn(state)
  for (const { pod, to } of target.moves) seats.set(pod, to)
  const layouts = new Map(
    state.nodes.flatMap(({ cards }) =>
      cards.map(({ id, instances }) => [id, byStart(instances.map(({ placement }) => placement))] as const)
    )
  )
  for (const { card, instances } of target.layouts) layouts.set(card, byStart(instances))
  return { seats, layouts }
}

/** Where each pod of a state is. */
export function seatsIn(state: PlanState): Map<string, Seat> {
  const seats = new Map<string, Seat>()
  for (const { id: node, cards } of state.nodes) {
    for (const { id: card, wholePod, instances } of cards) {
      if (wholePod !== undefined) seats.set(wholePod, { node, card })
      for (const { pod, placement } of instances)
        if (pod !== undefined) seats.set(pod, { node, card, placement })
    }
  }
  return seats
}

/** Places for as many instances of each profile, the lowest start first: not where they were wanted, if there is another way. */
export function drivenPlaces(pool: string, wanted: readonly Placement[]): readonly Placement[] {
  const model = gpuModels.find(({ id }) => id === pool)
  const card = cardByHand(pool)
  const place = (
    made: readonly Placement[],
    [next, ...rest]: readonly Placement[]
  ): readonly Placement[] | undefined => {
    if (next === undefined) return made
    const starts = model === undefined ? [] : legalPlacements(model, next.profile).toReversed()
    for (const one of starts) {
      const found = isValidCard(card, [...made, one]) ? place([...made, one], rest) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  return byStart(place([], wanted.toReversed()) ?? wanted)
}

function pickFrom(tape: readonly number[]): Pick {
  let next = 0
  return (below) => (tape[next++ % tape.length] ?? 0) % below
}

function planCase(pick: Pick): PlanCase {
  const cards = Array.from({ length: 1 + pick(4) }, (_, node) => draftNode(pick, node)).flat()
  const pods: PlanPod[] = []
  const before = new Map<string, Seat>()
  for (const card of cards) {
    const seats: Seat[] = card.layout.map((placement) => ({ node: card.node, card: card.id, placement }))
    const open = seats.length === 0 ? [{ node: card.node, card: card.id }] : seats
    for (const seat of open) {
      if (pick(3) === 0) continue
      const pod = draftPod(pick, { card, seat, index: pods.length })
      pods.push(pod)
      before.set(pod.id, seat)
    }
  }
  const ending = endFor(pick, { cards, pods, before })
  const state = stateOf(pick, { cards, pods, before, after: ending.seats })
  const aims = targetOf(pick, { cards, before, ending })
  const closed = withCordons(pick, withShared(pick, { state, ...aims }))
  return { ...closed, state: { ...closed.state, ...budgetsFor(pick, pods) } }
}

/** Some idle cards that the target leaves alone are shared by pods, some of which the state knows. */
function withShared(pick: Pick, example: PlanCase): PlanCase {
  const { state, target, spares } = example
  const used = new Set(
    [...endingOf(example).seats.values(), ...seatsIn(state).values()].map(({ card }) => card)
  )
  const laidOut = new Set(target.layouts.map(({ card }) => card))
  const shared: string[] = []
  const nodes = state.nodes.map((node) => {
    const isStopped = node.unit === 'node' && node.cards.some(({ id }) => laidOut.has(id))
    if (isStopped || target.freedNodes.includes(node.id)) return node
    const cards = node.cards.map((card) => {
      if (used.has(card.id) || laidOut.has(card.id) || spares.includes(card.id) || pick(3) > 0) return card
      shared.push(`ns0/shared-${card.id}`)
      return { ...card, sharedPods: [`ns0/shared-${card.id}`, 'ns0/of-two'] }
    })
    return { ...node, cards }
  })
  const pods = shared.map((id): PlanPod => {
    return { id, workload: 'ns0/Deployment/shared', slots: {}, restartSeconds: 1, replicasLost: 1 }
  })
  return { ...example, state: { ...state, nodes, pods: [...state.pods, ...pods] } }
}

/** Some nodes to which nobody comes are cordoned from the beginning, and then no spare card is on them. */
function withCordons(pick: Pick, example: PlanCase): PlanCase {
  const { state, target, spares } = example
  const comers = new Set(target.moves.map(({ to }) => to.node))
  const laidOut = new Set(target.layouts.map(({ node }) => node))
  const homes = new Set([...endingOf(example).seats.values()].map(({ node }) => node))
  const nodes = state.nodes.map((node) => {
    const isOpen = comers.has(node.id) || (laidOut.has(node.id) && homes.has(node.id))
    return isOpen || pick(3) > 0 ? node : { ...node, isCordoned: true }
  })
  const closed = new Set(
    nodes.flatMap(({ cards, ...node }) => ('isCordoned' in node ? cards.map(({ id }) => id) : []))
  )
  return { target, spares: spares.filter((card) => !closed.has(card)), state: { ...state, nodes } }
}

function budgetsFor(
  pick: Pick,
  pods: readonly PlanPod[]
): { readonly budgets?: PlanState['budgets'] & object } {
  if (pick(3) === 0) return {}
  const groups = [...Map.groupBy(pods, ({ workload }) => workload)]
  return {
    budgets: groups
      .filter(() => pick(4) > 0)
      .map(([workload, own]) => ({
        id: workload,
        pods: [...own.map(({ id }) => id), 'gone'],
        disruptionsAllowed: pick(3)
      }))
  }
}

function draftNode(pick: Pick, index: number): readonly DraftCard[] {
  const unit = (['node', 'card', 'instance'] as const)[pick(3)] ?? 'node'
  const pool = modelIds[pick(4) === 0 ? 1 : 0] ?? ''
  return Array.from({ length: 1 + pick(3) }, (_, card) => ({
    id: `n${index}c${card}`,
    node: `n${index}`,
    pool,
    unit,
    layout: pick(4) === 0 ? [] : randomLayout(pick, pool, []),
    tenant: [undefined, undefined, 't1', 't2'][pick(4)]
  }))
}

/** Adds places in random order for as long as rules that are written down once more allow it. */
function randomLayout(pick: Pick, pool: string, kept: readonly Placement[]): readonly Placement[] {
  const model = gpuModels.find(({ id }) => id === pool)
  const card = cardByHand(pool)
  let all = kept
  for (let tries = 2 + pick(8); tries > 0; tries--) {
    const profiles = plain[pool] ?? []
    const places = model === undefined ? [] : legalPlacements(model, profiles[pick(profiles.length)] ?? '')
    const place = places[pick(places.length)]
    if (place !== undefined && isValidCard(card, [...all, place])) all = [...all, place]
  }
  return byStart(all)
}

function draftPod(
  pick: Pick,
  { card, seat, index }: { readonly card: DraftCard; readonly seat: Seat; readonly index: number }
): PlanPod {
  const namespace = card.tenant ?? `ns${pick(2)}`
  const id = `${namespace}/p${index}`
  return {
    id,
    workload: `${namespace}/Deployment/w${pick(4)}`,
    slots: { [card.pool]: seat.placement?.profile ?? WHOLE },
    restartSeconds: 1 + pick(100),
    replicasLost: 1 + pick(2),
    ...(card.tenant === undefined ? {} : { tenant: card.tenant }),
    ...(pick(3) === 0 ? { cpuMilli: 1 + pick(3), memoryMiB: pick(3) } : {})
  }
}

interface Draft {
  readonly cards: readonly DraftCard[]
  readonly pods: readonly PlanPod[]
  readonly before: ReadonlyMap<string, Seat>
}

/** Recuts some cards and moves some pods; with fewer recuts where not every pod finds a place. */
function endFor(pick: Pick, draft: Draft): Ending {
  const recut = draft.cards.filter(() => pick(2) === 0)
  const moved = new Set(draft.pods.filter(() => pick(3) === 0).map(({ id }) => id))
  for (let count = recut.length; count > 0; count--) {
    const ending = tryEnding(pick, { ...draft, recut: recut.slice(0, count), moved })
    if (ending !== undefined) return ending
  }
  const none = tryEnding(pick, { ...draft, recut: [], moved })
  return none ?? { seats: draft.before, layouts: new Map(draft.cards.map(({ id, layout }) => [id, layout])) }
}

function tryEnding(
  pick: Pick,
  draft: Draft & { readonly recut: readonly DraftCard[]; readonly moved: ReadonlySet<string> }
): Ending | undefined {
  const { cards, pods, before, recut, moved } = draft
  const changed = new Set(recut.map(({ id }) => id))
  const isFixed = (pod: PlanPod): boolean => {
    const card = cards.find(({ id }) => id === before.get(pod.id)?.card)
    if (moved.has(pod.id)) return false
    return card === undefined || !changed.has(card.id) || (card.unit === 'instance' && pick(3) > 0)
  }
  const fixed = pods.filter(isFixed)
  const seats = new Map(fixed.flatMap(({ id }) => seatEntry(id, before.get(id))))
  const layouts = new Map(
    cards.map((card) => {
      const kept = [...seats.values()].flatMap((seat) =>
        seat.card === card.id && seat.placement !== undefined ? [seat.placement] : []
      )
      const isWhole = [...seats.values()].some(
        (seat) => seat.card === card.id && seat.placement === undefined
      )
      if (!changed.has(card.id) || isWhole) return [card.id, card.layout] as const
      return [card.id, kept.length === 0 && pick(4) === 0 ? [] : randomLayout(pick, card.pool, kept)] as const
    })
  )
  for (const pod of pods.filter((one) => !fixed.includes(one))) {
    const open = openSeats(draft, { pod, seats, layouts })
    const seat = open[pick(Math.max(1, open.length))]
    if (seat === undefined) return undefined
    seats.set(pod.id, seat)
  }
  return { seats, layouts }
}

function openSeats(
  { cards, pods, before }: Draft,
  { pod, seats, layouts }: Ending & { readonly pod: PlanPod }
): readonly Seat[] {
  const pool = cards.find(({ id }) => id === before.get(pod.id)?.card)?.pool
  const asked = pool === undefined ? '' : (pod.slots[pool] ?? '')
  return cards
    .filter((card) => card.pool === pool)
    .flatMap((card) => {
      const there = [...seats].filter(([, seat]) => seat.card === card.id)
      const tenants = there.map(([id]) => pods.find((other) => other.id === id)?.tenant)
      if (tenants.some((tenant) => tenant !== pod.tenant)) return []
      const layout = layouts.get(card.id) ?? []
      const place = { node: card.node, card: card.id }
      if (layout.length === 0) return asked === WHOLE && there.length === 0 ? [place] : []
      return layout
        .filter(({ profile }) =>
          holdsByHand(cardByHand(card.pool), profile, { profile: asked, isExact: false })
        )
        .filter(
          ({ profile, start }) =>
            !there.some(([, seat]) => seat.placement?.profile === profile && seat.placement.start === start)
        )
        .map((placement) => ({ ...place, placement }))
    })
}

function stateOf(pick: Pick, draft: Draft & { readonly after: ReadonlyMap<string, Seat> }): PlanState {
  const { cards, pods, before, after } = draft
  const nodes = [...Map.groupBy(cards, ({ node }) => node)].map(([id, own]): PlanNode => {
    const net = (of: (pod: PlanPod) => number | undefined): number =>
      pods.reduce((sum, pod) => {
        const came = Number(after.get(pod.id)?.node === id) - Number(before.get(pod.id)?.node === id)
        return sum + came * (of(pod) ?? 0)
      }, 0)
    const isTight = pick(2) === 0
    return {
      id,
      pool: own[0]?.pool ?? '',
      unit: own[0]?.unit ?? 'node',
      cards: own.map((card) => ({
        id: card.id,
        instances: card.layout.map((placement) => {
          const pod = whoIn(before, { node: id, card: card.id, placement })
          return { placement, ...(pod === undefined ? {} : { pod }) }
        }),
        ...wholeOf(whoIn(before, { node: id, card: card.id }))
      })),
      ...(isTight
        ? {
            freeCpuMilli:
              Math.max(
                0,
                net(({ cpuMilli }) => cpuMilli)
              ) + pick(2)
          }
        : {}),
      ...(isTight
        ? {
            freeMemoryMiB:
              Math.max(
                0,
                net(({ memoryMiB }) => memoryMiB)
              ) + pick(2)
          }
        : {})
    }
  })
  const pools = modelIds.flatMap((id) => {
    const model = gpuModels.find((other) => other.id === id)
    return model === undefined ? [] : [{ id, model, profiles: plain[id] ?? [] }]
  })
  return { pools, nodes, pods }
}

function targetOf(
  pick: Pick,
  { cards, before, ending }: Drawn
): { readonly target: Target; readonly spares: readonly string[] } {
  const moves = [...ending.seats].flatMap(([pod, to]) => {
    const from = before.get(pod)
    return from === undefined || keyOf(from) === keyOf(to) ? [] : [{ pod, from, to }]
  })
  const layouts = cards.flatMap(({ id, node, layout }) => {
    const instances = ending.layouts.get(id) ?? []
    return JSON.stringify(instances) === JSON.stringify(layout) ? [] : [{ node, card: id, instances }]
  })
  const holds = (seats: ReadonlyMap<string, Seat>, test: (seat: Seat) => boolean): boolean =>
    [...seats.values()].some(test)
  const freedCards = cards
    .map(({ id }) => id)
    .filter(
      (id) => holds(before, ({ card }) => card === id) && !holds(ending.seats, ({ card }) => card === id)
    )
  const freedNodes = [...new Set(cards.map(({ node }) => node))].filter(
    (id) => holds(before, ({ node }) => node === id) && !holds(ending.seats, ({ node }) => node === id)
  )
  const idle = cards.filter(
    ({ id }) =>
      !holds(before, ({ card }) => card === id) &&
      !holds(ending.seats, ({ card }) => card === id) &&
      !layouts.some(({ card }) => card === id)
  )
  const spares = idle.map(({ id }) => id).filter(() => pick(3) > 0)
  return { target: { moves, layouts, freedCards, freedNodes }, spares }
}

interface Drawn {
  readonly cards: readonly DraftCard[]
  readonly before: ReadonlyMap<string, Seat>
  readonly ending: Ending
}

function seatEntry(id: string, seat: Seat | undefined): readonly (readonly [string, Seat])[] {
  return seat === undefined ? [] : [[id, seat]]
}

function wholeOf(wholePod: string | undefined): { readonly wholePod?: string } {
  return wholePod === undefined ? {} : { wholePod }
}

function whoIn(seats: ReadonlyMap<string, Seat>, seat: Seat): string | undefined {
  return [...seats].find(([, other]) => keyOf(other) === keyOf(seat))?.[0]
}

function keyOf({ card, placement }: Seat): string {
  return `${card} ${placement?.profile ?? WHOLE} ${placement?.start ?? 0}`
}

function byStart(placements: readonly Placement[]): readonly Placement[] {
  return placements.toSorted((a, b) => a.start - b.start)
}
