import { AppError } from '../errors.ts'
import type { Action, PlanStep } from './plan-step.ts'
import { type PlanWorld, withLayout, withoutPodIn, withPodIn } from './plan-world.ts'
import { holds } from './precondition.ts'
import { tellAction } from './tell-action.ts'

/**
 * The world after a step.
 * @throws AppError PLAN_INVALID where a condition of the step does not hold, with the first that does not
 */
export function applyStep(world: PlanWorld, step: PlanStep): PlanWorld {
  const broken = step.precondition.find((condition) => !holds(condition, world))
  if (broken !== undefined) {
    throw new AppError('PLAN_INVALID', `${tellAction(step)}: not so: ${JSON.stringify(broken)}`)
  }
  return carriedOut(world, step)
}

function carriedOut(world: PlanWorld, action: Action): PlanWorld {
  const { state, cordoned, waiting } = world
  switch (action.kind) {
    case 'cordon':
      return { ...world, cordoned: withOne(cordoned, action.node) }
    case 'uncordon':
      return { ...world, cordoned: withoutOne(cordoned, action.node) }
    case 'move':
      return {
        ...world,
        state: withPodIn(withoutPodIn(state, action.from, action.pod), action.to, action.pod)
      }
    case 'park':
      return {
        ...world,
        state: withoutPodIn(state, action.from, action.pod),
        waiting: withOne(waiting, action.pod)
      }
    case 'resume':
      return {
        ...world,
        state: withPodIn(state, action.to, action.pod),
        waiting: withoutOne(waiting, action.pod)
      }
    case 'lay-out':
      return { ...world, state: laidOut(world, action) }
    case 'release':
      return world
  }
}

function laidOut({ state }: PlanWorld, { node, cards }: Extract<Action, { readonly kind: 'lay-out' }>) {
  return cards.reduce((before, { card, after }) => withLayout(before, { node, card }, after), state)
}

function withOne(names: readonly string[], name: string): readonly string[] {
  return [...names, name].toSorted()
}

function withoutOne(names: readonly string[], name: string): readonly string[] {
  return names.filter((other) => other !== name)
}
