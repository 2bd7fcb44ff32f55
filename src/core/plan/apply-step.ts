import { AppError } from '../errors.ts'
import type { Action, PlanStep } from './plan-step.ts'
import type { PlanWorld } from './plan-world.ts'
import { holds } from './precondition.ts'
import { tellAction } from './tell-action.ts'
import { WorldIndex } from './world-index.ts'

/**
 * The world after a step.
 * @throws AppError PLAN_INVALID where a condition of the step does not hold, with the first that does not
 */
export function applyStep(world: PlanWorld, step: PlanStep): PlanWorld {
  return applySteps(world, [step])
}

/**
 * The world after steps that are taken one after the other; cheaper than one by one, for what is in the world is looked up once.
 * @throws AppError PLAN_INVALID where a condition of a step does not hold by then, with the first that does not
 */
export function applySteps(world: PlanWorld, steps: readonly PlanStep[]): PlanWorld {
  const index = new WorldIndex(world)
  for (const step of steps) {
    const broken = step.precondition.find((condition) => !holds(condition, index))
    if (broken !== undefined) {
      throw new AppError('PLAN_INVALID', `${tellAction(step)}: not so: ${JSON.stringify(broken)}`)
    }
    carryOut(index, step)
  }
  return index.world()
}

function carryOut(index: WorldIndex, action: Action): void {
  switch (action.kind) {
    case 'cordon':
    case 'uncordon':
      index.setCordoned(action.node, action.kind === 'cordon')
      return
    case 'move':
      index.unseat(action.pod, action.from)
      index.seat(action.pod, action.to)
      return
    case 'park':
      index.unseat(action.pod, action.from)
      index.setWaiting(action.pod, true)
      return
    case 'resume':
      index.seat(action.pod, action.to)
      index.setWaiting(action.pod, false)
      return
    case 'lay-out':
      for (const { card, after } of action.cards) index.layOut({ node: action.node, card }, after)
      return
    case 'release':
  }
}
