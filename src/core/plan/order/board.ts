import { AppError } from '../../errors.ts'
import type { Placement } from '../../gpu/placement.ts'
import { WHOLE_CARD } from '../../pack/card-class.ts'
import type { DisruptionUnit, PlanPod, PlanPool } from '../plan-state.ts'
import type { Action } from '../plan-step.ts'
import { isSameSeat, slotKey } from '../seat.ts'
import type { Seat } from '../target.ts'

/** The state as it is while steps are ordered, changed by each of them, with an index of everything. */
export interface Board {
  /** By id, in its order. */
  readonly nodes: ReadonlyMap<string, BoardNode>
  readonly cards: ReadonlyMap<string, BoardCard>
  readonly pods: ReadonlyMap<string, PlanPod>
  /** Where each pod ends. */
  readonly goals: ReadonlyMap<string, Seat>
  /** Where each pod is; absent while it waits. */
  readonly seats: Map<string, Seat>
  readonly waiting: Set<string>
  /** By pod; none where no budget counts it. */
  readonly budgets: ReadonlyMap<string, readonly BoardBudget[]>
  /** What is still to be emptied and laid out, by each of its cards. */
  readonly blocks: Map<string, Block>
}

/** One node on the board. */
export interface BoardNode {
  readonly id: string
  readonly unit: DisruptionUnit
  readonly pool: PlanPool
  /** By id. */
  readonly cards: readonly BoardCard[]
  readonly stays: string | undefined
  /** Infinite where it does not bind. */
  readonly free: { cpuMilli: number; memoryMiB: number }
  /** True where somebody cordoned it before: it is never uncordoned. */
  readonly staysCordoned: boolean
  isCordoned: boolean
}

/** One card on the board; instances by start. */
export interface BoardCard {
  readonly id: string
  readonly node: string
  /** As it is in the beginning, and as it is in the end. */
  readonly first: readonly Placement[]
  readonly wanted: readonly Placement[]
  readonly stays: string | undefined
  /** Pods that share it or have several cards, by id: they are there from beginning to end. */
  readonly shared: readonly string[]
  /** Pods by slot in the end. */
  readonly incoming: Map<string, string>
  /** Pods by slot now. */
  readonly pods: Map<string, string>
  live: readonly Placement[]
}

/** A budget on the board. */
export interface BoardBudget {
  readonly id: string
  readonly allowed: number
  /** Pods of it that were stopped and are not back. */
  readonly waiting: Set<string>
}

/** Cards that must be empty at one time for some of them to be laid out: those of a node, or one card. */
export interface Block {
  readonly id: string
  readonly node: BoardNode
  /** Stop. */
  readonly cards: readonly BoardCard[]
  /** Change. */
  readonly changed: readonly BoardCard[]
}

/** @throws AppError PLAN_INVALID where the state has no such node */
export function nodeOn(board: Board, id: string): BoardNode {
  return known(board.nodes.get(id), `node ${id}`)
}

/** @throws AppError PLAN_INVALID where the state has no such card */
export function cardOn(board: Board, id: string): BoardCard {
  return known(board.cards.get(id), `card ${id}`)
}

/** @throws AppError PLAN_INVALID where the state has no such pod */
export function podOn(board: Board, id: string): PlanPod {
  return known(board.pods.get(id), `pod ${id}`)
}

/** @throws AppError PLAN_INVALID where the pod has no seat now */
export function seatOf(board: Board, pod: string): Seat {
  return known(board.seats.get(pod), `seat of ${pod}`)
}

/** @throws AppError PLAN_INVALID where the pod never has a seat */
export function goalOf(board: Board, pod: string): Seat {
  return known(board.goals.get(pod), `seat of ${pod}`)
}

/** True when no pod is on the card. */
export function isEmpty({ pods, shared }: BoardCard): boolean {
  return pods.size + shared.length === 0
}

/** Pods on a card that have a seat there, by start. */
export function podsOf({ pods, live }: BoardCard): readonly string[] {
  return [WHOLE_CARD, ...live.map(slotKey)].flatMap((key) => pods.get(key) ?? [])
}

/** Pods of a card that are not where they end. */
export function movingPodsOf(board: Board, card: BoardCard): readonly string[] {
  return podsOf(card).filter((pod) => isMoving(board, pod))
}

/** True when the pod is not where it ends. */
export function isMoving(board: Board, pod: string): boolean {
  const seat = board.seats.get(pod)
  return seat === undefined || !isSameSeat(seat, goalOf(board, pod))
}

/** Puts an action on the board. */
export function carryOut(board: Board, action: Action): void {
  switch (action.kind) {
    case 'cordon':
    case 'uncordon':
      nodeOn(board, action.node).isCordoned = action.kind === 'cordon'
      return
    case 'move':
      leave(board, action.from, action.pod)
      arrive(board, action.to, action.pod)
      return
    case 'park':
      leave(board, action.from, action.pod)
      return
    case 'resume':
      arrive(board, action.to, action.pod)
      return
    case 'lay-out':
      for (const { card, after } of action.cards) cardOn(board, card).live = after
      return
    case 'release':
  }
}

function leave(board: Board, from: Seat, pod: string): void {
  cardOn(board, from.card).pods.delete(slotKey(from.placement))
  board.seats.delete(pod)
  board.waiting.add(pod)
  for (const { waiting } of board.budgets.get(pod) ?? []) waiting.add(pod)
  takeRoom(board, from, { pod, sign: 1 })
}

function arrive(board: Board, to: Seat, pod: string): void {
  cardOn(board, to.card).pods.set(slotKey(to.placement), pod)
  board.seats.set(pod, to)
  board.waiting.delete(pod)
  for (const { waiting } of board.budgets.get(pod) ?? []) waiting.delete(pod)
  takeRoom(board, to, { pod, sign: -1 })
}

function takeRoom(board: Board, { node }: Seat, who: { readonly pod: string; readonly sign: 1 | -1 }): void {
  const { cpuMilli = 0, memoryMiB = 0 } = podOn(board, who.pod)
  const { free } = nodeOn(board, node)
  free.cpuMilli += who.sign * cpuMilli
  free.memoryMiB += who.sign * memoryMiB
}

function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AppError('PLAN_INVALID', `the state has no ${what}`)
  return value
}
