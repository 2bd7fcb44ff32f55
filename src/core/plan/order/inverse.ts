import type { Action } from '../plan-step.ts'

/** An action that something is undone for. */
export type Undoable = Exclude<Action, { readonly kind: 'release' }>

/** What takes an action back; whether that may be done then is another question. */
export function inverseOf(action: Undoable): Undoable {
  const { node } = action
  switch (action.kind) {
    case 'cordon':
      return { kind: 'uncordon', node }
    case 'uncordon':
      return { kind: 'cordon', node }
    case 'lay-out': {
      const cards = action.cards.map(({ card, before, after }) => ({ card, before: after, after: before }))
      return { kind: 'lay-out', node, cards }
    }
    case 'move': {
      const { pod, from, to } = action
      return { kind: 'move', node: to.node, pod, from: to, to: from, purpose: 'target' }
    }
    case 'park':
      return { kind: 'resume', node, pod: action.pod, to: action.from }
    case 'resume':
      return { kind: 'park', node, pod: action.pod, from: action.to, until: action.to, why: 'undo' }
  }
}
