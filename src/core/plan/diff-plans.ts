import type { Placement } from '../gpu/placement.ts'
import type { Plan, PlanTotals } from './plan.ts'
import type { PlanStep } from './plan-step.ts'
import { isSameLayout, isSameSeat } from './seat.ts'
import type { Seat } from './target.ts'

/** A value before and after; undefined where there is none. */
interface Change<T> {
  readonly before: T
  readonly after: T
}

/** What is different in another plan. */
export interface PlanDiff {
  /** True when the plans were made for different inputs. */
  readonly inputsDiffer: boolean
  /** Steps of the other plan that do what no step of the first does, and the other way round, in their order. */
  readonly added: readonly PlanStep[]
  readonly removed: readonly PlanStep[]
  /** Steps of both plans that come earlier or later among the others, as few as can be, as the other plan has them. */
  readonly reordered: readonly PlanStep[]
  /** Pods that both plans stop, and that end elsewhere. */
  readonly destinations: readonly ({ readonly pod: string } & Change<Seat>)[]
  /** Cards that both plans lay out, and that end otherwise. */
  readonly layouts: readonly ({ readonly node: string; readonly card: string } & Change<
    readonly Placement[]
  >)[]
  readonly totals: Change<PlanTotals>
}

/** What differs from one plan to another. A pod that goes elsewhere and a card that is cut otherwise are no new steps. */
export function diffPlans(before: Plan, after: Plan): PlanDiff {
  const old = keyed(before.steps)
  const now = keyed(after.steps)
  const places = new Map([...old.keys()].map((key, index) => [key, index]))
  const common = [...now].flatMap(([key, step]) => {
    const place = places.get(key)
    return place === undefined ? [] : [{ step, place }]
  })
  const inOrder = longestRising(common.map(({ place }) => place))
  return {
    inputsDiffer: before.inputsHash !== after.inputsHash,
    added: [...now].flatMap(([key, step]) => (old.has(key) ? [] : [step])),
    removed: [...old].flatMap(([key, step]) => (now.has(key) ? [] : [step])),
    reordered: common.flatMap(({ step }, index) => (inOrder.has(index) ? [] : [step])),
    destinations: changes(destinationsOf(before), destinationsOf(after))
      .filter(({ before: from, after: to }) => !isSameSeat(from, to))
      .map(({ key: pod, ...change }) => ({ pod, ...change })),
    layouts: changes(layoutsOf(before), layoutsOf(after))
      .filter((change) => !isSameLayout(change.before.after, change.after.after))
      .map((change) => ({
        node: change.after.node,
        card: change.key,
        before: change.before.after,
        after: change.after.after
      })),
    totals: { before: before.totals, after: after.totals }
  }
}

/** Steps by what they do and to whom, counted where the same is done again. */
function keyed(steps: readonly PlanStep[]): ReadonlyMap<string, PlanStep> {
  const counts = new Map<string, number>()
  return new Map(
    steps.map((step) => {
      const key = keyOf(step)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return [`${key} ${count}`, step]
    })
  )
}

function keyOf(step: PlanStep): string {
  switch (step.kind) {
    case 'cordon':
    case 'uncordon':
      return `${step.kind} ${step.node}`
    case 'move':
      return `${step.kind} ${step.pod} ${step.purpose}`
    case 'park':
    case 'resume':
      return `${step.kind} ${step.pod}`
    case 'lay-out':
      return `${step.kind} ${step.node} ${step.cards.map(({ card }) => card).join(' ')}`
    case 'release':
      return `${step.kind} ${step.node} ${step.card}`
  }
}

/** Where each pod that a plan stops ends. */
function destinationsOf({ steps }: Plan): ReadonlyMap<string, Seat> {
  return new Map(
    steps.flatMap((step) =>
      step.kind === 'move' || step.kind === 'resume' ? [[step.pod, step.to] as const] : []
    )
  )
}

interface LaidOut {
  readonly node: string
  readonly after: readonly Placement[]
}

/** How each card that a plan lays out ends. */
function layoutsOf({ steps }: Plan): ReadonlyMap<string, LaidOut> {
  return new Map(
    steps.flatMap((step) => {
      if (step.kind !== 'lay-out') return []
      return step.cards.map(({ card, after }) => [card, { node: step.node, after }] as const)
    })
  )
}

/** What is in both, by name. */
function changes<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>
): readonly ({ readonly key: string } & Change<T>)[] {
  return [...before]
    .flatMap(([key, old]) => {
      const now = after.get(key)
      return now === undefined ? [] : [{ key, before: old, after: now }]
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** Places in the list of a longest part of it that rises, the numbers being distinct: `[2, 0, 1]` gives 1 and 2. */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const lowest: number[] = []
  const ends: number[] = []
  const previous = numbers.map((value, index) => {
    const found = lowest.findIndex((low) => low > value)
    const length = found === -1 ? lowest.length : found
    lowest[length] = value
    ends[length] = index
    return ends[length - 1]
  })
  const rising = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rising.add(at)
  return rising
}
