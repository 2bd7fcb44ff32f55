import type { Action, PlanStep } from '../plan-step.ts'
import { isSameLayout } from '../seat.ts'
import { type Blocker, blockerOf, firstBlocker, isSlotMissing } from './blocker.ts'
import { type Board, type BoardCard, cardOn, carryOut, goalOf, isEmpty, nodeOn, podsOf } from './board.ts'
import { strainOf } from './board-budget.ts'
import { inverseOf } from './inverse.ts'
import { makeStep } from './make-step.ts'
import { nextLayout } from './next-layout.ts'

/** Steps that are taken one after the other on a board; what is tried can be taken back. */
export interface Course {
  readonly board: Board
  /** Ids of the spare cards, sorted. */
  readonly spares: readonly string[]
  readonly steps: PlanStep[]
  /** By step: by how many pods it exceeds a budget. */
  readonly strains: number[]
  /** The node that is in hand from a step on. */
  readonly marks: { readonly node: string; readonly from: number }[]
}

/** Takes one step. */
export function perform(course: Course, action: Action): void {
  const isStop = action.kind === 'move' || action.kind === 'park'
  course.strains.push(isStop ? strainOf(course.board, action.pod) : 0)
  course.steps.push(makeStep(course.board, action))
  carryOut(course.board, action)
}

/** Says that the steps from here on are for one node, until another is named. */
export function startWave({ marks, steps }: Course, node: string): void {
  if (marks.at(-1)?.from === steps.length) marks.pop()
  if (marks.at(-1)?.node !== node) marks.push({ node, from: steps.length })
}

/** Takes back all steps from the one with this number on. */
export function rollBack(course: Course, from: number): void {
  course.strains.splice(from)
  for (const step of course.steps.splice(from).toReversed()) {
    if (step.kind !== 'release') carryOut(course.board, inverseOf(step))
  }
}

/** How pods are sent. */
export interface Sending {
  /** True where nobody is held back for a budget. */
  readonly isForced: boolean
}

const patient: Sending = { isForced: false }

/** Sends those of the pods where they end that can go; what keeps the first of the others, if there is one. */
export function sendAll(course: Course, pods: readonly string[], how = patient): Blocker | undefined {
  let open = pods
  for (;;) {
    const stuck = open.filter((pod) => !send(course, pod, how))
    if (stuck.length === open.length) break
    open = stuck
  }
  return firstBlocker(course.board, open)
}

/** Sends a pod where it ends, and makes the instance first where it is missing; false where that cannot be yet. */
export function send(course: Course, pod: string, { isForced } = patient): boolean {
  const { board, spares } = course
  const blocker = blockerOf(board, pod)
  if (blocker !== undefined && !(isForced && blocker.kind === 'budget')) return false
  const from = board.seats.get(pod)
  const to = goalOf(board, pod)
  const card = cardOn(board, to.card)
  if (isSlotMissing(card, to)) layOut(course, card)
  if (from === undefined) perform(course, { kind: 'resume', node: to.node, pod, to })
  else {
    const purpose = spares.includes(from.card) ? 'from-spare' : 'target'
    perform(course, { kind: 'move', node: from.node, pod, from, to, purpose })
  }
  return true
}

/** Lays out what can be laid out of a card whose instances are made one by one. */
export function layOut(course: Course, card: BoardCard): void {
  const after = nextLayout(course.board, card)
  perform(course, { kind: 'lay-out', node: card.node, cards: [{ card: card.id, before: card.live, after }] })
}

/** Gives pods that wait, or that are on a spare, the places where they end, as far as these are there; spares are left as they were. */
export function settle(course: Course): void {
  const { board, spares } = course
  const guests = spares.flatMap((id) => podsOf(cardOn(board, id)))
  sendAll(course, [...[...board.waiting].toSorted(), ...guests])
  for (const id of spares) {
    const card = cardOn(board, id)
    if (!isSameLayout(card.live, card.first)) restore(course, card)
  }
}

function restore(course: Course, card: BoardCard): void {
  const { unit, cards } = nodeOn(course.board, card.node)
  const stopped = unit === 'node' ? cards : [card]
  if (stopped.every(isEmpty)) layOutEmpty(course, card, card.first)
}

/** Lays out an empty card, all of whose neighbours are empty too where the whole node has to stop for it. */
export function layOutEmpty(course: Course, card: BoardCard, after: BoardCard['live']): void {
  const { node } = card
  closeFor(course, node)
  perform(course, { kind: 'lay-out', node, cards: [{ card: card.id, before: card.live, after }] })
  reopenAfter(course, node)
}

/** Cordons a node that has to be empty for its cards, where nobody else did. */
export function closeFor(course: Course, node: string): void {
  const { unit, isCordoned } = nodeOn(course.board, node)
  if (unit === 'node' && !isCordoned) perform(course, { kind: 'cordon', node })
}

/** Uncordons a node that was cordoned for its cards, but not one that somebody else cordoned. */
export function reopenAfter(course: Course, node: string): void {
  const { unit, staysCordoned } = nodeOn(course.board, node)
  if (unit === 'node' && !staysCordoned) perform(course, { kind: 'uncordon', node })
}
