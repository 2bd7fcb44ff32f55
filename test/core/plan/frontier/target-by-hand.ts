import type { Placement } from '../../../../src/core/gpu/placement.ts'
import type { PlanCard, PlanNode, PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import type { CardLayout, Move, Seat, Target } from '../../../../src/core/plan/target.ts'
import { type CardByHand, cardByHand, holdsByHand, isValidCard } from '../../pack/card-by-hand.ts'

type Seats = ReadonlyMap<string, Seat>

/** A state and what a target makes of it. */
interface Outcome {
  readonly state: PlanState
  readonly target: Target
  readonly pods: ReadonlyMap<string, PlanPod>
  readonly hands: ReadonlyMap<string, CardByHand>
  readonly layouts: ReadonlyMap<string, CardLayout>
  readonly moved: ReadonlySet<string>
  readonly before: Seats
  readonly byCard: ReadonlyMap<string, readonly (readonly [string, Seat])[]>
  /** Nodes that some pod has not left. */
  readonly stayedOn: ReadonlySet<string>
}

/** What is wrong with a target, looked at without the code that made it: who is where afterwards, on which instances. */
export function faultsOfTarget(state: PlanState, target: Target): readonly string[] {
  const before = seatsIn(state)
  const after = new Map([...before, ...target.moves.map(({ pod, to }) => [pod, to] as const)])
  const moved = new Set(target.moves.map(({ pod }) => pod))
  const stayed = [...before].filter(([pod]) => !moved.has(pod))
  const outcome: Outcome = {
    state,
    target,
    pods: new Map(state.pods.map((pod) => [pod.id, pod])),
    hands: new Map(state.pools.map(({ id, model }) => [id, cardByHand(model.id)])),
    layouts: new Map(target.layouts.map((layout) => [layout.card, layout])),
    moved,
    before,
    byCard: Map.groupBy(after, ([, seat]) => seat.card),
    stayedOn: new Set(stayed.map(([, seat]) => seat.node))
  }
  const fixed = new Set(
    state.nodes.flatMap(({ stays, cards }) =>
      cards.filter((card) => (stays ?? card.stays) !== undefined).map(({ id }) => id)
    )
  )
  return [
    ...target.moves.flatMap((move) => faultsOfMove(outcome, move, fixed)),
    ...state.nodes.flatMap((node) => node.cards.flatMap((card) => faultsOfCard(outcome, node, card))),
    ...faultsOfFreed(outcome),
    ...faultsOfHosts(outcome)
  ]
}

function seatsIn({ nodes }: PlanState): Seats {
  return new Map(
    nodes.flatMap((node) =>
      node.cards.flatMap(({ id, instances, wholePod }) => [
        ...instances.flatMap(({ pod, placement }) =>
          pod === undefined ? [] : [[pod, { node: node.id, card: id, placement }] as const]
        ),
        ...(wholePod === undefined ? [] : [[wholePod, { node: node.id, card: id }] as const])
      ])
    )
  )
}

function faultsOfMove(
  { before, pods }: Outcome,
  { pod, from, to }: Move,
  fixed: ReadonlySet<string>
): readonly string[] {
  const isThere = printSeat(before.get(pod)) === printSeat(from)
  return [
    ...(isThere ? [] : [`${pod} is not at ${printSeat(from)}`]),
    ...(pods.get(pod)?.stays === undefined ? [] : [`${pod} stays`]),
    ...[from.card, to.card].filter((card) => fixed.has(card)).map((card) => `${card} stays`)
  ]
}

function faultsOfCard(outcome: Outcome, node: PlanNode, card: PlanCard): readonly string[] {
  const { layouts, byCard } = outcome
  const hand = handOf(outcome, node.pool)
  const layout = layouts.get(card.id)
  const instances = layout?.instances ?? card.instances.map(({ placement }) => placement)
  const here = byCard.get(card.id) ?? []
  const places = here.map(([, seat]) => printSeat(seat))
  return [
    ...(isValidCard(hand, instances) ? [] : [`${card.id} cannot hold its instances`]),
    ...(new Set(places).size === places.length ? [] : [`two in one place on ${card.id}`]),
    ...(isMixed(outcome, here) ? [`two tenants on ${card.id}`] : []),
    ...(layout === undefined || isQuiet(outcome, node, here) ? [] : [`${card.id} is laid out under a pod`]),
    ...here.flatMap(([pod, seat]) => faultsOfSeat(outcome, { pod, seat, instances, pool: node.pool }))
  ]
}

/** Two tenants on a card to which one of them came. */
function isMixed({ pods, moved }: Outcome, here: readonly (readonly [string, Seat])[]): boolean {
  return (
    new Set(here.map(([pod]) => pods.get(pod)?.tenant ?? '')).size > 1 && here.some(([pod]) => moved.has(pod))
  )
}

/** Whether everything has left that has to before a card of the node is laid out. */
function isQuiet(
  { moved, stayedOn }: Outcome,
  node: PlanNode,
  here: readonly (readonly [string, Seat])[]
): boolean {
  if (node.unit === 'instance') return true
  return node.unit === 'node' ? !stayedOn.has(node.id) : here.every(([pod]) => moved.has(pod))
}

interface SeatOf {
  readonly pod: string
  readonly seat: Seat
  readonly instances: readonly Placement[]
  readonly pool: string
}

function faultsOfSeat(outcome: Outcome, at: SeatOf): readonly string[] {
  const { pod, seat, instances } = at
  const { placement } = seat
  const isThere =
    placement === undefined ||
    instances.some(({ profile, start }) => profile === placement.profile && start === placement.start)
  return [
    ...(isThere ? [] : [`${pod} has no instance on ${seat.card}`]),
    ...(!outcome.moved.has(pod) || isServed(outcome, at) ? [] : [`${pod} does not fit`])
  ]
}

function isServed(outcome: Outcome, { pod, seat, pool }: SeatOf): boolean {
  const own = outcome.pods.get(pod)
  const profile = own?.slots[pool]
  const offered = seat.placement?.profile
  if (profile === undefined || offered === undefined || profile === 'whole')
    return profile === 'whole' && offered === undefined
  const hand = handOf(outcome, pool)
  return holdsByHand(hand, offered, { profile, isExact: own?.isExact ?? false })
}

function faultsOfFreed({ state, before, byCard, target }: Outcome): readonly string[] {
  const used = new Set([...before.values()].map(({ card }) => card))
  const freed = state.nodes
    .flatMap(({ cards }) => cards.map(({ id }) => id))
    .filter((id) => used.has(id) && !byCard.has(id))
    .toSorted()
  return freed.join() === target.freedCards.join() ? [] : [`freed are ${freed.join()}`]
}

function handOf({ hands }: Outcome, pool: string): CardByHand {
  const hand = hands.get(pool)
  if (hand === undefined) throw new Error(`no pool ${pool}`)
  return hand
}

/** CPU that is asked of a node beyond what it has free and what left it. */
function faultsOfHosts({ state, target, pods }: Outcome): readonly string[] {
  return state.nodes.flatMap(({ id, freeCpuMilli = Infinity }) => {
    const cpuOf = (moves: Target['moves']): number =>
      moves.reduce((sum, { pod }) => sum + (pods.get(pod)?.cpuMilli ?? 0), 0)
    const come = cpuOf(target.moves.filter(({ to }) => to.node === id))
    const left = cpuOf(target.moves.filter(({ from }) => from.node === id))
    return come > freeCpuMilli + left ? [`${id} lacks CPU`] : []
  })
}

function printSeat(seat: Seat | undefined): string {
  return `${seat?.node}/${seat?.card}/${seat?.placement?.profile ?? 'whole'}@${seat?.placement?.start ?? ''}`
}
