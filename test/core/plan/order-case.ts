import t from 'tap'
import { findCatalogProfile, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import type { Placement } from '../../../src/core/gpu/placement.ts'
import { WHOLE_CARD } from '../../../src/core/pack/card-class.ts'
import type { Course } from '../../../src/core/plan/order/course.ts'
import { orderSteps } from '../../../src/core/plan/order/order-steps.ts'
import { setUpBoard } from '../../../src/core/plan/order/set-up-board.ts'
import { makePlan, type Plan } from '../../../src/core/plan/plan.ts'
import type { DisruptionUnit, PlanNode, PlanPod, PlanState } from '../../../src/core/plan/plan-state.ts'
import type { PlanStep } from '../../../src/core/plan/plan-step.ts'
import { seatsInState } from '../../../src/core/plan/pods-on-card.ts'
import { tellSeat } from '../../../src/core/plan/seat.ts'
import type { Seat, Target } from '../../../src/core/plan/target.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'

/** A node in short: pods by slot (`1g.10gb@0`, `whole`) by card; nobody where the text is empty. */
export interface ShortNode extends Partial<Omit<PlanNode, 'cards'>> {
  readonly unit: DisruptionUnit
  readonly cards: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A target in short: seats by pod as `node/card/slot`, slots by card as `1g.10gb@0 3g.40gb@4`. */
export interface ShortTarget {
  readonly moves?: Readonly<Record<string, string>>
  readonly layouts?: Readonly<Record<string, string>>
  readonly freedCards?: readonly string[]
  readonly freedNodes?: readonly string[]
}

/** An A100 with 80 GB. */
export const a100: GpuModel = modelOf('a100-sxm4-80gb')

function modelOf(id: string): GpuModel {
  const model = gpuModels.find((other) => other.id === id)
  if (model === undefined) throw new Error(`no model ${id}`)
  return model
}

/** A slot from its text; none for the uncut card. */
export function slotOf(text: string): Placement | undefined {
  if (text === WHOLE_CARD) return undefined
  const [profile = '', start = ''] = text.split('@')
  const size = findCatalogProfile(a100, profile)?.placements?.size ?? 1
  return { profile, start: Number(start), size }
}

/** Slots from their texts, by start. */
export function slotsOf(text: string): readonly Placement[] {
  return text
    .split(' ')
    .flatMap((one) => slotOf(one === '' ? WHOLE_CARD : one) ?? [])
    .toSorted((a, b) => a.start - b.start)
}

/** A seat from `node/card/slot`. */
export function seatOf(text: string): Seat {
  const [node = '', card = '', slot = ''] = text.split('/')
  const placement = slotOf(slot)
  return { node, card, ...(placement === undefined ? {} : { placement }) }
}

/** A state of A100s, with a pod for each name that is in a slot; it needs the slot that it is in. */
export function aState(
  nodes: Readonly<Record<string, ShortNode>>,
  pods: Readonly<Record<string, Partial<PlanPod>>> = {}
): PlanState {
  const made: PlanPod[] = []
  const list = Object.entries(nodes).map(([id, { cards, ...node }]): PlanNode => {
    const short = Object.entries(cards).map(([card, slots]) => {
      for (const [slot, pod] of Object.entries(slots)) {
        if (pod !== '') made.push(aPod(pod, { slots: { a100: slot.split('@')[0] ?? '' }, ...pods[pod] }))
      }
      const { [WHOLE_CARD]: wholePod, ...cut } = slots
      const instances = slotsOf(Object.keys(cut).join(' ')).map((placement) => {
        const pod = cut[`${placement.profile}@${placement.start}`] ?? ''
        return { placement, ...(pod === '' ? {} : { pod }) }
      })
      return { id: card, instances, ...(wholePod === undefined ? {} : { wholePod }) }
    })
    return { id, pool: 'a100', cards: short, ...node }
  })
  const profiles = a100.profiles.map(({ name }) => name)
  return { pools: [{ id: 'a100', model: a100, profiles }], nodes: list, pods: made }
}

/** A pod of a workload of its own that is back after 10 seconds. */
export function aPod(id: string, fields: Partial<PlanPod>): PlanPod {
  return { id, workload: `team/Deployment/${id}`, slots: {}, restartSeconds: 10, replicasLost: 1, ...fields }
}

/** A target for a state. */
export function aTarget(state: PlanState, short: ShortTarget): Target {
  const seats = new Map(seatsInState(state))
  return {
    moves: Object.entries(short.moves ?? {}).map(([pod, to]) => {
      return { pod, from: seats.get(pod) ?? { node: 'nowhere', card: 'nowhere' }, to: seatOf(to) }
    }),
    layouts: Object.entries(short.layouts ?? {}).map(([card, slots]) => {
      const node = state.nodes.find(({ cards }) => cards.some(({ id }) => id === card))?.id ?? 'nowhere'
      return { node, card, instances: slotsOf(slots) }
    }),
    freedCards: short.freedCards ?? [],
    freedNodes: short.freedNodes ?? []
  }
}

/** The steps to a target. */
export function stepsTo(
  state: PlanState,
  short: ShortTarget,
  spares: readonly string[] = []
): readonly PlanStep[] {
  return orderSteps(state, aTarget(state, short), { spares }).flatMap(({ steps }) => steps)
}

/** The steps to a target in words. */
export function told(
  state: PlanState,
  short: ShortTarget,
  spares: readonly string[] = []
): readonly string[] {
  return stepsTo(state, short, spares).map(tellAction)
}

/** A state, a target, and the steps to it in words. */
export interface OrderCase {
  readonly name: string
  readonly state: PlanState
  readonly target: ShortTarget
  readonly spares?: readonly string[]
  readonly want: readonly string[]
}

/** A test for each case: that these are its steps. */
export function testOrder(cases: readonly OrderCase[]): void {
  for (const { name, state, target, spares, want } of cases) {
    t.test(name, (t) => {
      t.strictSame(told(state, target, spares), want)
      t.end()
    })
  }
}

/** A target that changes nothing. */
export const noTarget: Target = { moves: [], layouts: [], freedCards: [], freedNodes: [] }

/** Where each pod of a state is, in words. */
export function seatsTold(state: PlanState): Readonly<Record<string, string>> {
  return Object.fromEntries(seatsInState(state).map(([pod, seat]) => [pod, tellSeat(seat)]))
}

/** The beginning of a way to a target. */
export function aCourse(state: PlanState, short: ShortTarget, spares: readonly string[] = []): Course {
  return { board: setUpBoard(state, aTarget(state, short)), spares, steps: [], strains: [], marks: [] }
}

/** A plan for a target, with a hash that is the length of what is hashed. */
export function aPlan(state: PlanState, short: ShortTarget, spares: readonly string[] = []): Plan {
  return makePlan(state, aTarget(state, short), { spares, settings: {}, hashOf: (text) => `${text.length}` })
}
