import type { Action, PlanStep } from '../plan-step.ts'
import { isSameLayout } from '../seat.ts'
import { type Blocker, blockerOf, isSlotMissing } from './blocker.ts'
import { type Board, type BoardCard, cardOn, carryOut, goalOf, nodeOn, podsOf } from './board.ts'
import { makeStep } from './make-step.ts'
import { nextLayout } from './next-layout.ts'

/** Steps that are taken one after the other on a board; what is tried can be taken back. */
export interface Course {
  readonly board: Board
  /** Ids of the spare cards, sorted. */
  readonly spares: readonly string[]
  readonly steps: PlanStep[]
  /** The node that is in hand from a step on. */
  readonly marks: { readonly node: string; readonly from: number }[]
}

/** Takes one step. */
export function perform(course: Course, action: Action): void {
  course.steps.push(makeStep(course.board, action))
  carryOut(course.board, action)
}

/** Says that the steps from here on are for one node, until another is named. */
export function startWave({ marks, steps }: Course, node: string): void {
  if (marks.at(-1)?.node !== node) marks.push({ node, from: steps.length })
}

/** Takes back all steps from the one with this number on. */
export function rollBack(course: Course, from: number): void {
  for (const { undo } of course.steps.splice(from).toReversed()) {
    if (undo.kind === 'steps') for (const step of undo.steps) carryOut(course.board, step)
  }
}

/** Sends those of the pods where they end that can go; what keeps the first of the others, if there is one. */
export function sendAll(course: Course, pods: readonly string[]): Blocker | undefined {
  let open = pods
  for (;;) {
    const stuck = open.filter((pod) => !send(course, pod))
    if (stuck.length === open.length) break
    open = stuck
  }
  return open.map((pod) => blockerOf(course.board, pod)).at(0)
}

/** Sends a pod where it ends, and makes the instance first where it is missing; false where that cannot be yet. */
export function send(course: Course, pod: string): boolean {
  const { board, spares } = course
  if (blockerOf(board, pod) !== undefined) return false
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
  if (stopped.every(({ pods }) => pods.size === 0)) layOutEmpty(course, card, card.first)
}

/** Lays out an empty card, all of whose neighbours are empty too where the whole node has to stop for it. */
export function layOutEmpty(course: Course, card: BoardCard, after: BoardCard['live']): void {
  const { node } = card
  const isWhole = nodeOn(course.board, node).unit === 'node'
  if (isWhole) perform(course, { kind: 'cordon', node })
  perform(course, { kind: 'lay-out', node, cards: [{ card: card.id, before: card.live, after }] })
  if (isWhole) perform(course, { kind: 'uncordon', node })
}
