import type { Action } from '../plan-step.ts'
import type { Target } from '../target.ts'
import { type Board, cardOn, isEmpty, nodeOn } from './board.ts'
import { type Course, perform, startWave } from './course.ts'

type Release = Extract<Action, { readonly kind: 'release' }>

/** What is still to be given free, by node. */
export type DueReleases = Map<string, readonly Release[]>

/** Nodes that get free, and cards that do on nodes that do not. */
export function dueReleases(board: Board, { freedCards, freedNodes }: Target): DueReleases {
  const whole = new Set(freedNodes)
  const nodes = freedNodes.map((node): Release => ({ kind: 'release', node }))
  const cards = freedCards
    .map((card): Release => ({ kind: 'release', node: cardOn(board, card).node, card }))
    .filter(({ node }) => !whole.has(node))
  const sorted = [...nodes, ...cards].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return Map.groupBy(sorted, ({ node }) => node)
}

/** Says of what is empty on the node that it is free now, if it is to be. */
export function release(course: Course, due: DueReleases, id: string): void {
  const all = due.get(id) ?? []
  if (all.length === 0) return
  const { cards } = nodeOn(course.board, id)
  const isFree = ({ card }: Release): boolean =>
    cards.every((other) => isEmpty(other) || (card !== undefined && card !== other.id))
  startWave(course, id)
  for (const action of all) if (isFree(action)) perform(course, action)
  due.set(
    id,
    all.filter((action) => !isFree(action))
  )
}

function keyOf({ node, card = '' }: Release): string {
  return `${node} ${card}`
}
