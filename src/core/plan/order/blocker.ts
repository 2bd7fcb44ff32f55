import { slotKey, tellSeat } from '../seat.ts'
import type { Seat } from '../target.ts'
import {
  type Block,
  type Board,
  type BoardCard,
  cardOn,
  goalOf,
  nodeOn,
  podOn,
  podsOf,
  seatOf
} from './board.ts'
import { fullBudget } from './board-budget.ts'
import { nextLayout, podsInTheWay } from './next-layout.ts'

/** What a pod waits for before it can go where it ends. */
export type Blocker =
  /** Cards that are still to be laid out. */
  | { readonly kind: 'block'; readonly block: Block }
  /** Pods of one node that leave it too: all of them are in the way. */
  | { readonly kind: 'pods'; readonly node: string; readonly pods: readonly string[] }
  /** Pods of a budget that has no room before they are back, on the node where the first of them ends; and who is held back. */
  | {
      readonly kind: 'budget'
      readonly node: string
      readonly budget: string
      readonly pods: readonly string[]
      readonly held: Block | string
    }
  /** Nothing that the target changes. */
  | { readonly kind: 'never'; readonly why: string }

/** A name for a blocker, the same for the same one. */
export function blockerKey(blocker: Blocker): string {
  switch (blocker.kind) {
    case 'block':
      return `block ${blocker.block.id}`
    case 'pods':
      return `pods ${blocker.pods.join(' ')}`
    case 'budget': {
      const { budget, held } = blocker
      return `budget ${budget} ${typeof held === 'string' ? held : held.id}`
    }
    case 'never':
      return blocker.why
  }
}

/** The node on which something has to happen first; undefined where nothing does. */
export function nodeBehind(blocker: Blocker): string | undefined {
  switch (blocker.kind) {
    case 'block':
      return blocker.block.node.id
    case 'pods':
    case 'budget':
      return blocker.node
    case 'never':
      return undefined
  }
}

/** What keeps a pod from where it ends; undefined when it can go there now. */
export function blockerOf(board: Board, pod: string): Blocker | undefined {
  const goal = goalOf(board, pod)
  const card = cardOn(board, goal.card)
  const block = board.blocks.get(card.id)
  if (block !== undefined) return { kind: 'block', block }
  const inTheWay = podsInSlot(board, card, goal) ?? podsOfOthers(board, card, pod)
  if (inTheWay !== undefined) return asBlocker(board, goal, inTheWay)
  return shortage(board, goal, pod) ?? (board.seats.has(pod) ? heldBack(board, [pod], pod) : undefined)
}

/** What holds pods back that would be stopped together, though nothing else does: a budget that has no room for them yet. */
export function heldBack(board: Board, pods: readonly string[], held: Block | string): Blocker | undefined {
  const full = fullBudget(board, pods)
  const [first] = full?.waiting ?? []
  if (full === undefined || first === undefined) return undefined
  return { kind: 'budget', node: goalOf(board, first).node, budget: full.budget, pods: full.waiting, held }
}

/** Whether an uncut card, or the instance, has to be made before the pod can go there. */
export function isSlotMissing({ live }: BoardCard, { placement }: Seat): boolean {
  if (placement === undefined) return live.length > 0
  return !live.some((other) => slotKey(other) === slotKey(placement))
}

function podsInSlot(board: Board, card: BoardCard, seat: Seat): readonly string[] | undefined {
  const key = slotKey(seat.placement)
  const holder = card.pods.get(key) ?? card.pods.get(slotKey(undefined))
  if (holder !== undefined) return [holder]
  if (!isSlotMissing(card, seat)) return undefined
  const next = nextLayout(board, card)
  if (seat.placement === undefined) return next.length === 0 ? undefined : podsOf(card)
  return next.some((placement) => slotKey(placement) === key)
    ? undefined
    : podsInTheWay(board, card, seat.placement)
}

function podsOfOthers(board: Board, card: BoardCard, pod: string): readonly string[] | undefined {
  const { tenant } = podOn(board, pod)
  const others = podsOf(card).filter((other) => podOn(board, other).tenant !== tenant)
  return others.length === 0 ? undefined : others
}

/** CPU or memory that a pod that comes from elsewhere does not find on the node yet. */
function shortage(board: Board, goal: Seat, pod: string): Blocker | undefined {
  const { id, free, cards } = nodeOn(board, goal.node)
  const { cpuMilli = 0, memoryMiB = 0 } = podOn(board, pod)
  if (board.seats.get(pod)?.node === id) return undefined
  if (free.cpuMilli >= cpuMilli && free.memoryMiB >= memoryMiB) return undefined
  const leaving = cards.flatMap(podsOf).find((other) => isRelief(board, other))
  if (leaving !== undefined) return asBlocker(board, goal, [leaving])
  return { kind: 'never', why: `${tellSeat(goal)} has no CPU or memory left for ${pod}` }
}

/** True for a pod that takes CPU or memory of its node and will take them with it. */
function isRelief(board: Board, pod: string): boolean {
  const { cpuMilli = 0, memoryMiB = 0 } = podOn(board, pod)
  return cpuMilli + memoryMiB > 0 && goalOf(board, pod).node !== seatOf(board, pod).node
}

function asBlocker(board: Board, { node }: Seat, pods: readonly string[]): Blocker {
  const block = pods.flatMap((pod) => board.blocks.get(seatOf(board, pod).card) ?? []).at(0)
  return block === undefined ? { kind: 'pods', node, pods } : { kind: 'block', block }
}

/** What keeps the first of the pods that cannot go where they end; undefined when all can. */
export function firstBlocker(board: Board, pods: readonly string[]): Blocker | undefined {
  for (const pod of pods) {
    const blocker = blockerOf(board, pod)
    if (blocker !== undefined) return blocker
  }
  return undefined
}
