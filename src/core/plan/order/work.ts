import { isSameLayout } from '../seat.ts'
import { type Blocker, blockerOf, nodeBehind } from './blocker.ts'
import { type Block, type BoardCard, type BoardNode, movingPodsOf } from './board.ts'
import type { Course } from './course.ts'
import { blockerOfBlock } from './empty-block.ts'
import type { DueReleases } from './release.ts'

/** What is in hand while steps are ordered. */
export interface Work {
  readonly course: Course
  readonly due: DueReleases
  /** Nodes on which something may still have to be done, by id; one on which nothing is left is taken out. */
  readonly open: Map<string, BoardNode>
  /** Nodes that get free: nobody may come to them while their pods leave, nor afterwards. */
  readonly closing: ReadonlySet<string>
}

/** True for a node on which pods or cards are not yet what they are in the end. */
export function isNodeOpen(course: Course, { cards }: BoardNode): boolean {
  const { board } = course
  return cards.some(
    (card) => board.blocks.has(card.id) || movingPodsOf(board, card).length > 0 || isUnfinished(course, card)
  )
}

/** True for a card whose instances are not yet what they are in the end; a spare is left as it was by itself. */
export function isUnfinished({ spares }: Course, { id, live, wanted }: BoardCard): boolean {
  return !isSameLayout(live, wanted) && !spares.includes(id)
}

/** True for a node on which something is to be done and nothing waits for another node. */
export function isWhole(course: Course, node: BoardNode): boolean {
  if (!isNodeOpen(course, node)) return false
  const isOwn = (blocker: Blocker | undefined): boolean =>
    blocker === undefined || nodeBehind(blocker) === node.id
  return (
    podsOn(course, node).every((pod) => isOwn(blockerOf(course.board, pod))) &&
    blocksOn(course, node).every((block) => isOwn(blockerOfBlock(course, block)))
  )
}

/** True for a node with a spare card, to which pods may come for a while until the end. */
export function hasSpare({ spares }: Course, { cards }: BoardNode): boolean {
  return cards.some(({ id }) => spares.includes(id))
}

/** What keeps blocks and pods of a node. */
export function blockersOn(course: Course, node: BoardNode): readonly Blocker[] {
  const blocks = blocksOn(course, node).flatMap((block) => blockerOfBlock(course, block) ?? [])
  const pods = podsOn(course, node).flatMap((pod) => blockerOf(course.board, pod) ?? [])
  return [...blocks, ...pods]
}

/** What is still to be emptied and laid out of a node. */
export function blocksOn({ board }: Course, { cards }: BoardNode): readonly Block[] {
  return [...new Set(cards.flatMap(({ id }) => board.blocks.get(id) ?? []))]
}

/** Pods that leave cards of the node by themselves. */
export function podsOn({ board }: Course, { cards }: BoardNode): readonly string[] {
  return cards.filter(({ id }) => !board.blocks.has(id)).flatMap((card) => movingPodsOf(board, card))
}
