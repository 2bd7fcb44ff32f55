import type { WhyParked } from '../plan-step.ts'
import { type Blocker, heldBack } from './blocker.ts'
import { type Block, type Board, goalOf, podsOf, seatOf } from './board.ts'
import { overBudget } from './board-budget.ts'
import {
  type Course,
  closeFor,
  layOutEmpty,
  perform,
  reopenAfter,
  rollBack,
  type Sending,
  sendAll,
  settle
} from './course.ts'
import { findSpareSeats } from './spare-seats.ts'

/**
 * Lays out the cards of a block, if all its pods that end elsewhere can go there and no budget holds back the others: these
 * leave, those that end in it wait, and start anew in it.
 * @returns what keeps the first pod that cannot leave, or holds back those who wait, and then nothing is done
 */
export function tryBlock(course: Course, block: Block): Blocker | undefined {
  const mark = course.steps.length
  const blocker = leaveBlock(course, block)
  if (blocker === undefined) finishBlock(course, block)
  else rollBack(course, mark)
  return blocker
}

/** What keeps the first pod that cannot leave a block, or holds back those who would wait; nothing is done. */
export function blockerOfBlock(course: Course, block: Block): Blocker | undefined {
  const mark = course.steps.length
  const blocker = leaveBlock(course, block)
  rollBack(course, mark)
  return blocker
}

/** Empties a block whose pods cannot all go where they end: the others go to a spare card, or wait. */
export function forceOut(course: Course, block: Block): void {
  leaveBlock(course, block, { isForced: true })
  displace(course, outgoing(course.board, block))
}

/** Lays out a block that nobody leaves any more; who is still in it waits meanwhile. */
export function finishBlock(course: Course, block: Block): void {
  const { node, cards, changed } = block
  stopRest(course, block)
  const changes = changed.map(({ id, live, wanted }) => ({ card: id, before: live, after: wanted }))
  perform(course, { kind: 'lay-out', node: node.id, cards: changes })
  for (const { id } of cards) course.board.blocks.delete(id)
  reopenAfter(course, node.id)
  settle(course)
}

/** Stops who is still in a block: who would be more than a budget allows goes to a spare card where one holds them, the others wait. */
export function stopRest(course: Course, { cards }: Block): void {
  const over = overBudget(course.board, cards.flatMap(podsOf))
  const groups = byCard(course, over)
  if (groups.length < 2 || !toSpare(course, over)) for (const group of groups) toSpare(course, group)
  for (const pod of cards.flatMap(podsOf)) park(course, pod, 'lay-out')
}

function leaveBlock(course: Course, block: Block, how?: Sending): Blocker | undefined {
  closeFor(course, block.node.id)
  const blocker = sendAll(course, outgoing(course.board, block), how)
  if (blocker !== undefined || how?.isForced === true) return blocker
  return heldBack(course.board, block.cards.flatMap(podsOf), block)
}

/** Pods of a block that end outside of it. */
function outgoing(board: Board, { cards }: Block): readonly string[] {
  const ids = new Set(cards.map(({ id }) => id))
  return cards.flatMap(podsOf).filter((pod) => !ids.has(goalOf(board, pod).card))
}

/** Gets pods out of the way: all on one spare card, or those of each card on one, or else they wait. */
export function displace(course: Course, pods: readonly string[]): void {
  const groups = byCard(course, pods)
  if (groups.length > 1 && toSpare(course, pods)) return
  const why = course.spares.length === 0 ? 'no-spare' : 'no-spare-holds-it'
  for (const group of groups) {
    if (!toSpare(course, group)) for (const pod of group) park(course, pod, why)
  }
}

function byCard({ board }: Course, pods: readonly string[]): readonly (readonly string[])[] {
  return [...Map.groupBy(pods, (pod) => seatOf(board, pod).card).values()]
}

function toSpare(course: Course, pods: readonly string[]): boolean {
  const { board, spares } = course
  const isGuest = pods.some((pod) => spares.includes(seatOf(board, pod).card))
  const found = isGuest ? undefined : findSpareSeats(board, spares, pods)
  if (found === undefined) return false
  if (found.layout !== found.card.live) layOutEmpty(course, found.card, found.layout)
  for (const { pod, to } of found.seats) {
    const from = seatOf(board, pod)
    perform(course, { kind: 'move', node: from.node, pod, from, to, purpose: 'to-spare' })
  }
  return true
}

function park(course: Course, pod: string, why: WhyParked): void {
  const from = seatOf(course.board, pod)
  const until = goalOf(course.board, pod)
  perform(course, { kind: 'park', node: from.node, pod, from, until, why })
}
