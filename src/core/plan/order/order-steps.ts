import { AppError } from '../../errors.ts'
import type { PlanState } from '../plan-state.ts'
import type { PlanStep } from '../plan-step.ts'
import { isSameLayout } from '../seat.ts'
import type { Target } from '../target.ts'
import { type Blocker, blockerOf, nodeBehind } from './blocker.ts'
import { type Block, type BoardCard, type BoardNode, movingPodsOf, nodeOn } from './board.ts'
import { breakCycle } from './break-cycle.ts'
import { checkTarget } from './check-target.ts'
import { type Course, layOut, perform, rollBack, send, settle, startWave } from './course.ts'
import { blockerOfBlock, tryBlock } from './empty-block.ts'
import { nextLayout } from './next-layout.ts'
import { type DueReleases, dueReleases, release } from './release.ts'
import { setUpBoard } from './set-up-board.ts'

/** Steps that are taken for one node, in one go. */
export interface Wave {
  readonly node: string
  readonly steps: readonly PlanStep[]
}

/** What is kept free to order steps with. */
export interface OrderOptions {
  /** Ids of empty cards that the target leaves alone: pods go there for a while where they wait for one another. */
  readonly spares: readonly string[]
}

/** What is in hand while steps are ordered. */
interface Work {
  readonly course: Course
  readonly due: DueReleases
  /** Nodes that get free: nobody may come to them while their pods leave, nor afterwards. */
  readonly closing: ReadonlySet<string>
}

/**
 * Steps that bring a state to a target, node by node where that is possible. Each is possible once those before it are
 * done, nobody stops but for a step that says so, and the same input in any order gives the same steps.
 * @throws AppError PLAN_INVALID where no order of steps reaches the target
 */
export function orderSteps(state: PlanState, target: Target, options: OrderOptions): readonly Wave[] {
  const board = setUpBoard(state, target)
  const spares = options.spares.toSorted()
  checkTarget({ board, target, spares })
  const course: Course = { board, spares, steps: [], marks: [] }
  const work: Work = { course, due: dueReleases(board, target), closing: closingNodes(course, target) }
  while (isOpen(course)) {
    if (!handleWholeNodes(work) && !handleFirstNode(work)) goOn(course)
  }
  for (const id of work.due.keys()) finishNode(work, id)
  return wavesOf(course)
}

/** Not those with a spare card, which takes guests until the end, and not those that are laid out, which are cordoned for that. */
function closingNodes({ board, spares }: Course, { freedNodes }: Target): ReadonlySet<string> {
  const isOpenToGuests = ({ id, live, wanted }: BoardCard): boolean =>
    spares.includes(id) || board.blocks.has(id) || !isSameLayout(live, wanted)
  return new Set(freedNodes.filter((id) => !nodeOn(board, id).cards.some(isOpenToGuests)))
}

function isOpen({ board, spares }: Course): boolean {
  const nodes = [...board.nodes.values()]
  return board.waiting.size > 0 || nodes.some((node) => isNodeOpen({ board, spares }, node))
}

function isNodeOpen({ board, spares }: Pick<Course, 'board' | 'spares'>, { cards }: BoardNode): boolean {
  return cards.some(
    (card) =>
      board.blocks.has(card.id) || movingPodsOf(board, card).length > 0 || isUnfinished({ spares }, card)
  )
}

/** A card whose instances are not yet what they are in the end; a spare is left as it was by itself. */
function isUnfinished({ spares }: Pick<Course, 'spares'>, { id, live, wanted }: BoardCard): boolean {
  return !isSameLayout(live, wanted) && !spares.includes(id)
}

/** Handles every node of which nothing waits for another node; false when that brought nothing. */
function handleWholeNodes(work: Work): boolean {
  const { course } = work
  const before = course.steps.length
  for (const node of course.board.nodes.values()) {
    if (!isNodeOpen(course, node)) continue
    if (blockersOn(course, node).every((blocker) => nodeBehind(blocker) === node.id)) handleNode(work, node)
  }
  return course.steps.length > before
}

/** Handles the first node on which anything can be done; false when there is none. */
function handleFirstNode(work: Work): boolean {
  return [...work.course.board.nodes.values()].some((node) => handleNode(work, node))
}

/** Does on a node what can be done, again and again; false when that is nothing. */
function handleNode(work: Work, node: BoardNode): boolean {
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
  if (!node.cards.some(({ id }) => course.spares.includes(id))) finishNode(work, node.id)
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

function finishNode({ course, due }: Work, id: string): void {
  startWave(course, id)
  release(course, due, id)
}

/** Breaks a cycle, for everything waits for something else. */
function goOn(course: Course): void {
  const { board } = course
  const waiting = [...board.waiting].toSorted().map((pod) => blockerOf(board, pod))
  const onNodes = [...board.nodes.values()].flatMap((node) => blockersOn(course, node))
  const blockers = [...onNodes, ...waiting].filter((blocker) => blocker !== undefined)
  if (blockers.some((blocker) => breakCycle(course, blocker))) return
  const whys = blockers.flatMap((blocker) => (blocker.kind === 'never' ? [blocker.why] : []))
  throw new AppError('PLAN_INVALID', `the target cannot be reached: ${whys.join('; ')}`)
}

/** What keeps blocks and pods of a node. */
function blockersOn(course: Course, node: BoardNode): readonly Blocker[] {
  const blocks = blocksOn(course, node).flatMap((block) => blockerOfBlock(course, block) ?? [])
  const pods = podsOn(course, node).flatMap((pod) => blockerOf(course.board, pod) ?? [])
  return [...blocks, ...pods]
}

function blocksOn({ board }: Course, { cards }: BoardNode): readonly Block[] {
  return [...new Set(cards.flatMap(({ id }) => board.blocks.get(id) ?? []))]
}

/** Pods that leave cards of the node by themselves. */
function podsOn({ board }: Course, { cards }: BoardNode): readonly string[] {
  return cards.filter(({ id }) => !board.blocks.has(id)).flatMap((card) => movingPodsOf(board, card))
}

function wavesOf({ steps, marks }: Course): readonly Wave[] {
  return marks
    .map(({ node, from }, index) => ({ node, steps: steps.slice(from, marks[index + 1]?.from) }))
    .filter((wave) => wave.steps.length > 0)
}
