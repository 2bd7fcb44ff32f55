import type { WhyParked } from '../plan-step.ts'
import type { Blocker } from './blocker.ts'
import { type Block, type Board, goalOf, podsOf, seatOf } from './board.ts'
import { type Course, layOutEmpty, perform, rollBack, sendAll, settle } from './course.ts'
import { findSpareSeats } from './spare-seats.ts'

/**
 * Lays out the cards of a block, if all its pods that end elsewhere can go there: these leave, those that end in it wait,
 * and start anew in it.
 * @returns what keeps the first pod that cannot leave, and then nothing is done
 */
export function tryBlock(course: Course, block: Block): Blocker | undefined {
  const mark = course.steps.length
  const blocker = leaveBlock(course, block)
  if (blocker === undefined) finishBlock(course, block)
  else rollBack(course, mark)
  return blocker
}

/** What keeps the first pod that cannot leave a block; nothing is done. */
export function blockerOfBlock(course: Course, block: Block): Blocker | undefined {
  const mark = course.steps.length
  const blocker = leaveBlock(course, block)
  rollBack(course, mark)
  return blocker
}

/** Empties a block whose pods cannot all go where they end: the others go to a spare card, or wait. */
export function forceOut(course: Course, block: Block): void {
  leaveBlock(course, block)
  displace(course, outgoing(course.board, block))
}

/** Lays out a block that nobody leaves any more; who is still in it waits meanwhile. */
export function finishBlock(course: Course, block: Block): void {
  const { node, cards, changed } = block
  for (const pod of cards.flatMap(podsOf)) park(course, pod, 'lay-out')
  const changes = changed.map(({ id, live, wanted }) => ({ card: id, before: live, after: wanted }))
  perform(course, { kind: 'lay-out', node: node.id, cards: changes })
  for (const { id } of cards) course.board.blocks.delete(id)
  if (node.unit === 'node') perform(course, { kind: 'uncordon', node: node.id })
  settle(course)
}

function leaveBlock(course: Course, block: Block): Blocker | undefined {
  const { node } = block
  if (node.unit === 'node') perform(course, { kind: 'cordon', node: node.id })
  return sendAll(course, outgoing(course.board, block))
}

/** Pods of a block that end outside of it. */
function outgoing(board: Board, { cards }: Block): readonly string[] {
  const ids = new Set(cards.map(({ id }) => id))
  return cards.flatMap(podsOf).filter((pod) => !ids.has(goalOf(board, pod).card))
}

/** Gets pods out of the way: all on one spare card, or those of each card on one, or else they wait. */
export function displace(course: Course, pods: readonly string[]): void {
  if (toSpare(course, pods)) return
  const why = course.spares.length === 0 ? 'no-spare' : 'no-spare-holds-it'
  for (const [, group] of Map.groupBy(pods, (pod) => seatOf(course.board, pod).card)) {
    if (!toSpare(course, group)) for (const pod of group) park(course, pod, why)
  }
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
