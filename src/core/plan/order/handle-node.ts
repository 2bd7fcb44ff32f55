import { isSameLayout } from '../seat.ts'
import { type BoardCard, type BoardNode } from './board.ts'
import { type Course, layOut, perform, rollBack, send, settle, startWave } from './course.ts'
import { tryBlock } from './empty-block.ts'
import { nextLayout } from './next-layout.ts'
import { release } from './release.ts'
import { blocksOn, hasSpare, isNodeOpen, isUnfinished, podsOn, type Work } from './work.ts'

/** Does on a node what can be done, again and again; false when that is nothing. */
export function handleNode(work: Work, node: BoardNode): boolean {
  const { course } = work
  const first = course.steps.length
  startWave(course, node.id)
  closeNode(work, node)
  const begun = course.steps.length
  for (let before = -1; before !== course.steps.length; ) {
    before = course.steps.length
    for (const block of blocksOn(course, node)) tryBlock(course, block)
    for (const pod of podsOn(course, node)) if (send(course, pod)) settle(course)
    for (const card of node.cards) finishCard(course, card)
  }
  if (course.steps.length === begun) rollBack(course, first)
  if (!hasSpare(course, node)) release(course, work.due, node.id)
  return course.steps.length > first
}

/** Keeps others away from a node that gets free, before its pods leave. */
function closeNode({ course, closing }: Work, node: BoardNode): void {
  if (closing.has(node.id) && !node.isCordoned && isNodeOpen(course, node))
    perform(course, { kind: 'cordon', node: node.id })
}

function finishCard(course: Course, card: BoardCard): void {
  const isDue = isUnfinished(course, card) && !course.board.blocks.has(card.id)
  if (isDue && isSameLayout(nextLayout(course.board, card), card.wanted)) layOut(course, card)
}
