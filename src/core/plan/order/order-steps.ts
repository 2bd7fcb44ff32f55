import type { PlanState } from '../plan-state.ts'
import type { PlanStep } from '../plan-step.ts'
import { isSameLayout } from '../seat.ts'
import type { Target } from '../target.ts'
import { type BoardCard, type BoardNode, nodeOn } from './board.ts'
import { checkTarget } from './check-target.ts'
import type { Course } from './course.ts'
import { goOn } from './go-on.ts'
import { handleNode } from './handle-node.ts'
import { dueReleases, release } from './release.ts'
import { setUpBoard } from './set-up-board.ts'
import { hasSpare, isNodeOpen, isWhole, type Work } from './work.ts'

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

/**
 * Steps that bring a state to a target, node by node where that is possible. Each is possible once those before it are
 * done, nobody stops but for a step that says so, and the same input in any order gives the same steps.
 * @throws AppError PLAN_INVALID where no order of steps reaches the target
 */
export function orderSteps(state: PlanState, target: Target, options: OrderOptions): readonly Wave[] {
  const board = setUpBoard(state, target)
  const spares = options.spares.toSorted()
  checkTarget({ board, target, spares })
  const course: Course = { board, spares, steps: [], strains: [], marks: [] }
  const work: Work = {
    course,
    due: dueReleases(board, target),
    open: new Map(board.nodes),
    closing: closingNodes(course, target)
  }
  while (goesOn(work)) {
    if (!handleWholeNodes(work) && !handleFirstNode(work)) goOn(work)
  }
  for (const id of work.due.keys()) release(course, work.due, id)
  return wavesOf(course)
}

/** Not those with a spare card, which takes guests until the end, and not those that are laid out, which are cordoned for that. */
function closingNodes({ board, spares }: Course, { freedNodes }: Target): ReadonlySet<string> {
  const isOpenToGuests = ({ id, live, wanted }: BoardCard): boolean =>
    spares.includes(id) || board.blocks.has(id) || !isSameLayout(live, wanted)
  return new Set(freedNodes.filter((id) => !nodeOn(board, id).cards.some(isOpenToGuests)))
}

/** Handles every node of which nothing waits for another node; false when that brought nothing. */
function handleWholeNodes(work: Work): boolean {
  const { course } = work
  const before = course.steps.length
  for (const node of work.open.values()) if (isWhole(course, node)) handleNode(work, node)
  return course.steps.length > before
}

/** Handles the first node on which anything can be done; false when there is none. */
function handleFirstNode(work: Work): boolean {
  return [...work.open.values()].some((node) => handleNode(work, node))
}

/** False once all is as it should be. Nodes on which nothing is left are taken out, and said to be free if they are to be. */
function goesOn(work: Work): boolean {
  const { course, due, open } = work
  for (const node of open.values()) {
    if (!isDone(course, node)) continue
    open.delete(node.id)
    release(course, due, node.id)
  }
  return course.board.waiting.size > 0 || [...open.values()].some((node) => isNodeOpen(course, node))
}

/** True for a node that is never open again: it is not now, and nobody comes to it for a while. */
function isDone(course: Course, node: BoardNode): boolean {
  return !isNodeOpen(course, node) && !hasSpare(course, node)
}

function wavesOf({ steps, marks }: Course): readonly Wave[] {
  return marks
    .map(({ node, from }, index) => ({ node, steps: steps.slice(from, marks[index + 1]?.from) }))
    .filter((wave) => wave.steps.length > 0)
}
