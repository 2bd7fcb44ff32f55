import { AppError } from '../../errors.ts'
import { type Blocker, blockerOf } from './blocker.ts'
import { type BoardNode, cardOn, isEmpty, nodeOn } from './board.ts'
import { breakCycle } from './break-cycle.ts'
import type { Course } from './course.ts'
import { handleNode } from './handle-node.ts'
import { blockersOn, isWhole, type Work } from './work.ts'

/**
 * Breaks cycles, for everything waits for something else: where budgets can be kept, or else where they are exceeded least.
 * @throws AppError PLAN_INVALID where there is none to break, for what is waited for never comes
 */
export function goOn(work: Work): void {
  if (breakCycles(work, 0) || breakCycles(work, Infinity)) return
  const blockers = placesOfBlockers(work).flatMap((blockersThere) => blockersThere())
  const whys = blockers.flatMap((blocker) => (blocker.kind === 'never' ? [blocker.why] : []))
  throw new AppError('PLAN_INVALID', `the target cannot be reached: ${whys.join('; ')}`)
}

/** Breaks one cycle, and others for as long as each comes to its end by itself; false where there is none to break. */
function breakCycles(work: Work, mostStrain: number): boolean {
  let isBroken = false
  for (const blockersThere of placesOfBlockers(work)) {
    while (breakFirst(work, blockersThere(), mostStrain)) {
      isBroken = true
      if (!isClean(work.course)) return true
    }
  }
  return isBroken
}

/** Breaks the first cycle that one of these comes to, and handles what is open by that. */
function breakFirst(work: Work, blockers: readonly Blocker[], mostStrain: number): boolean {
  for (const blocker of blockers) {
    const nodes = breakCycle(work.course, blocker, mostStrain)
    if (nodes.length > 0) {
      finishCycle(work, nodes)
      return true
    }
  }
  return false
}

/** Handles nodes of a cycle that was broken for as long as they can be handled whole. */
function finishCycle(work: Work, ids: readonly string[]): void {
  const nodes = ids.toSorted().map((id) => nodeOn(work.course.board, id))
  const handle = (node: BoardNode): boolean => isWhole(work.course, node) && handleNode(work, node)
  while (nodes.filter(handle).length > 0);
}

/** True when nobody waits, or is on a spare card. */
function isClean({ board, spares }: Course): boolean {
  return board.waiting.size === 0 && spares.every((id) => isEmpty(cardOn(board, id)))
}

/** What keeps blocks and pods, as it is when it is asked for: by node, then of pods that wait. */
function placesOfBlockers({ course, open }: Work): readonly (() => readonly Blocker[])[] {
  const { board } = course
  const waiting = (): readonly Blocker[] =>
    [...board.waiting].toSorted().flatMap((pod) => blockerOf(board, pod) ?? [])
  return [...[...open.values()].map((node) => () => blockersOn(course, node)), waiting]
}
