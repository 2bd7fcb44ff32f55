import { AppError } from '../../errors.ts'
import { firstMisplaced } from '../../gpu/placed-sets.ts'
import { isCount } from '../../pack/pack-model.ts'
import { isSameSeat, slotKey, tellInstances, tellSeat } from '../seat.ts'
import type { Move, Place, Target } from '../target.ts'
import { type Board, type BoardCard, cardOn, isMoving, nodeOn, podOn, podsOf } from './board.ts'

/** What a target is checked against. */
export interface TargetInput {
  readonly board: Board
  readonly target: Target
  /** Ids of empty cards that are kept for cycles. */
  readonly spares: readonly string[]
}

/**
 * Refuses a target that no order of steps reaches, or that changes what stays.
 * @throws AppError PLAN_INVALID with the first fault
 */
export function checkTarget(input: TargetInput): void {
  const { board, target, spares } = input
  const faults = [
    ...twice(target.moves.map(({ pod }) => `pod ${pod}`)),
    ...twice(target.layouts.map(({ card }) => `layout of ${card}`)),
    ...twice(spares.map((card) => `spare ${card}`)),
    ...twice([...board.goals.values()].map((seat) => `seat ${tellSeat(seat)}`)),
    ...target.moves.flatMap((move) => moveFaults(board, move)),
    ...arrivalFaults(board),
    ...target.layouts.flatMap(({ node, card }) => placeFaults(board, { node, card })),
    ...[...board.cards.values()].flatMap((card) => cardFaults(board, card)),
    ...[...board.blocks.values()].flatMap(({ cards }) => cards.flatMap((card) => stopFaults(board, card))),
    ...freedFaults(input),
    ...budgetFaults(board),
    ...spares.flatMap((card) => spareFaults(board, cardOn(board, card)))
  ]
  const fault = faults.toSorted().at(0)
  if (fault !== undefined) throw new AppError('PLAN_INVALID', `the target cannot be reached: ${fault}`)
}

function twice(names: readonly string[]): readonly string[] {
  return [...Map.groupBy(names, (name) => name)].flatMap(([name, { length }]) =>
    length > 1 ? [`${name} is named twice`] : []
  )
}

function moveFaults(board: Board, { pod, from, to }: Move): readonly string[] {
  const seat = board.seats.get(pod)
  const stays = podOn(board, pod).stays
  const isThere = seat !== undefined && isSameSeat(seat, from)
  return [
    ...(isThere ? [] : [`${pod} does not run in ${tellSeat(from)}`]),
    ...(stays === undefined ? [] : [`${pod} stays: ${stays}`]),
    ...placeFaults(board, from),
    ...placeFaults(board, to)
  ]
}

/** Pods that would come to a node that somebody cordoned, or come back to it once they have stopped. */
function arrivalFaults(board: Board): readonly string[] {
  const cards = [...board.nodes.values()].filter((node) => node.staysCordoned).flatMap((node) => node.cards)
  return cards.flatMap(({ id, node, incoming }) =>
    [...incoming.values()]
      .filter((pod) => board.blocks.has(id) || isMoving(board, pod))
      .map((pod) => `${node} is cordoned, and ${pod} would come to it`)
  )
}

/** A card that is on another node, or that stays as it is. */
function placeFaults(board: Board, { node, card }: Place): readonly string[] {
  const there = cardOn(board, card)
  const stays = there.stays ?? nodeOn(board, node).stays
  return [
    ...(there.node === node ? [] : [`card ${card} is not on ${node}`]),
    ...(stays === undefined ? [] : [`card ${card} stays: ${stays}`])
  ]
}

/** Instances that cannot be on the card together, and pods that end where they cannot be. */
function cardFaults(board: Board, card: BoardCard): readonly string[] {
  const slots = [...card.incoming.keys()]
  const wanted = card.wanted.length === 0 ? [slotKey(undefined)] : card.wanted.map(slotKey)
  const tenants = new Set([...card.incoming.values()].map((pod) => podOn(board, pod).tenant))
  const hasNew = board.blocks.has(card.id) || [...card.incoming.values()].some((pod) => isMoving(board, pod))
  return [
    ...slots.filter((slot) => !wanted.includes(slot)).map((slot) => `${card.id} has no ${slot} in the end`),
    ...(hasNew && tenants.size > 1 ? [`${card.id} would hold two tenants`] : []),
    ...(card.wanted === card.first || isValidLayout(board, card)
      ? []
      : [`${card.id} cannot hold ${tellInstances(card.wanted)}`])
  ]
}

function isValidLayout(board: Board, { node, wanted }: BoardCard): boolean {
  return firstMisplaced(nodeOn(board, node).pool.model, wanted) < 0
}

/** Pods that stay on cards that stop. */
function stopFaults(board: Board, card: BoardCard): readonly string[] {
  const stopped = podsOf(card).flatMap((pod) => {
    const stays = card.stays ?? podOn(board, pod).stays
    return stays === undefined ? [] : [`${pod} would be stopped, but stays: ${stays}`]
  })
  const shared = card.shared.map(
    (pod) => `${pod} would be stopped, but stays: it shares a card or has several`
  )
  return [...stopped, ...shared]
}

function freedFaults({ board, target }: TargetInput): readonly string[] {
  const cards = [
    ...target.freedCards.map((card) => cardOn(board, card)),
    ...target.freedNodes.flatMap((node) => nodeOn(board, node).cards)
  ]
  return cards
    .filter(({ incoming, shared }) => incoming.size + shared.length > 0)
    .map(({ id }) => `${id} is to be free and is not`)
}

function budgetFaults({ budgets }: Board): readonly string[] {
  const all = [...new Set([...budgets.values()].flat())]
  return [
    ...twice(all.map(({ id }) => `budget ${id}`)),
    ...all
      .filter(({ allowed }) => !isCount(allowed))
      .map(({ id, allowed }) => `budget ${id} allows ${allowed}, which is no whole number`)
  ]
}

function spareFaults(board: Board, card: BoardCard): readonly string[] {
  const stays = card.stays ?? nodeOn(board, card.node).stays
  const isUsed = card.pods.size + card.incoming.size > 0 || card.wanted !== card.first
  const isClosed = nodeOn(board, card.node).staysCordoned
  return [
    ...(isClosed ? [`spare ${card.id} is on ${card.node}, which is cordoned`] : []),
    ...(stays === undefined ? [] : [`spare ${card.id} stays: ${stays}`]),
    ...(isUsed ? [`spare ${card.id} is in use`] : [])
  ]
}
