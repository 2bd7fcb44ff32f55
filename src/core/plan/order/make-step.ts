import { moveCostSeconds } from '../plan-state.ts'
import type { Action, CardChange, PlanStep, StepCost, Undo } from '../plan-step.ts'
import type { Condition } from '../precondition.ts'
import { slotKey } from '../seat.ts'
import type { Seat } from '../target.ts'
import { type Board, cardOn, nodeOn, podOn, podsOf } from './board.ts'
import { inverseOf } from './inverse.ts'

/** An action as a step: with what must be so before it, what it costs, and how it is undone. */
export function makeStep(board: Board, action: Action): PlanStep {
  return {
    ...action,
    precondition: conditionsOf(board, action),
    cost: costOf(board, action),
    undo: undoOf(board, action)
  }
}

function conditionsOf(board: Board, action: Action): readonly Condition[] {
  switch (action.kind) {
    case 'cordon':
      return [{ kind: 'node-takes-pods', node: action.node }]
    case 'uncordon':
      return [{ kind: 'node-is-cordoned', node: action.node }]
    case 'move':
      return [
        { kind: 'pod-runs-in', pod: action.pod, seat: action.from },
        ...arrival(board, action.to, { pod: action.pod, from: action.from.node })
      ]
    case 'park':
      return [{ kind: 'pod-runs-in', pod: action.pod, seat: action.from }]
    case 'resume':
      return [{ kind: 'pod-waits', pod: action.pod }, ...arrival(board, action.to, { pod: action.pod })]
    case 'lay-out':
      return [
        ...unitConditions(board, action),
        ...action.cards.map(({ card, before }): Condition => {
          return { kind: 'card-holds', node: action.node, card, instances: before }
        })
      ]
    case 'release':
      return action.card === undefined
        ? [{ kind: 'node-has-no-gpu-pods', node: action.node }]
        : [{ kind: 'card-has-no-pods', node: action.node, card: action.card }]
  }
}

/** What a pod needs where it arrives. A card that tenants already share is not refused to one that comes back to it. */
function arrival(
  board: Board,
  seat: Seat,
  who: { readonly pod: string; readonly from?: string }
): readonly Condition[] {
  const { node, card } = seat
  const { tenant, cpuMilli = 0, memoryMiB = 0 } = podOn(board, who.pod)
  const isShared = podsOf(cardOn(board, card)).some((pod) => podOn(board, pod).tenant !== tenant)
  const needsRoom = who.from !== node && cpuMilli + memoryMiB > 0
  const alone: Condition = {
    kind: 'no-other-tenant',
    node,
    card,
    ...(tenant === undefined ? {} : { tenant })
  }
  return [
    { kind: 'node-takes-pods', node },
    { kind: 'seat-is-free', seat },
    ...(isShared ? [] : [alone]),
    ...(needsRoom ? [{ kind: 'node-has-room', node, cpuMilli, memoryMiB } as const] : [])
  ]
}

/** What has to have stopped, by what stops when a card of the node is laid out. */
function unitConditions(
  board: Board,
  { node, cards }: Extract<Action, { readonly kind: 'lay-out' }>
): readonly Condition[] {
  const { unit } = nodeOn(board, node)
  if (unit === 'node') {
    return [
      { kind: 'node-is-cordoned', node },
      { kind: 'node-has-no-gpu-pods', node }
    ]
  }
  if (unit === 'card') return cards.map(({ card }) => ({ kind: 'card-has-no-pods', node, card }))
  return cards.map((change) => ({
    kind: 'slots-are-idle',
    node,
    card: change.card,
    placements: goneOf(change)
  }))
}

function goneOf({ before, after }: CardChange): CardChange['before'] {
  const stay = new Set(after.map(slotKey))
  return before.filter((placement) => !stay.has(slotKey(placement)))
}

function costOf(board: Board, action: Action): StepCost {
  return action.kind === 'move' || action.kind === 'park'
    ? { replicaSeconds: moveCostSeconds(podOn(board, action.pod)), pods: 1 }
    : { replicaSeconds: 0, pods: 0 }
}

function undoOf(board: Board, action: Action): Undo {
  if (action.kind === 'release') return { kind: 'none', why: 'nothing was changed' }
  const inverse = inverseOf(action)
  const closed = 'to' in inverse ? inverse.to.node : undefined
  if (closed !== undefined && nodeOn(board, closed).staysCordoned)
    return { kind: 'none', why: `${closed} is cordoned, and takes no pod back` }
  const undo = { kind: 'none', why: 'it is an undo itself' } as const
  const steps = letIn(board, closed, inverse).map((step) => ({
    ...step,
    precondition: conditionsOf(board, step),
    cost: costOf(board, step),
    undo
  }))
  return { kind: 'steps', steps }
}

/** A node that was cordoned takes a pod back only while it is not. */
function letIn(board: Board, node: string | undefined, action: Action): readonly Action[] {
  if (node === undefined || !nodeOn(board, node).isCordoned) return [action]
  return [{ kind: 'uncordon', node }, action, { kind: 'cordon', node }]
}
