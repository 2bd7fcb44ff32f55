import type { Action } from './plan-step.ts'
import { tellInstances, tellSeat } from './seat.ts'

/** What a step does, in one line. */
export function tellAction(action: Action): string {
  switch (action.kind) {
    case 'cordon':
    case 'uncordon':
      return `${action.kind} ${action.node}`
    case 'move':
      return `move ${action.pod} from ${tellSeat(action.from)} to ${tellSeat(action.to)}${tellPurpose(action.purpose)}`
    case 'park':
      return `park ${action.pod} from ${tellSeat(action.from)} until ${tellSeat(action.until)} is there`
    case 'resume':
      return `resume ${action.pod} in ${tellSeat(action.to)}`
    case 'lay-out':
      return `lay out ${action.node}: ${action.cards.map(({ card, after }) => `${card} ${tellInstances(after)}`).join('; ')}`
    case 'release':
      return `release ${action.card === undefined ? action.node : `${action.node}/${action.card}`}`
  }
}

function tellPurpose(purpose: Extract<Action, { readonly kind: 'move' }>['purpose']): string {
  return purpose === 'to-spare' ? ' for a while' : ''
}
