import t from 'tap'
import {
  type NoState,
  type RefusedAsk,
  refuseState
} from '../../../../src/core/plan/frontier/refuse-state.ts'
import type { PlanBudget, PlanNode, PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { slotsOf } from '../order-case.ts'
import { aDrain, twoCards } from './drain-case.ts'

const two = twoCards('card')

/** The state with the first pod changed. */
function podWith(fields: Partial<PlanPod>): PlanState {
  return { ...two, pods: two.pods.map((pod, index) => (index === 0 ? { ...pod, ...fields } : pod)) }
}

/** The state with the second node changed. */
function nodeWith(fields: Partial<PlanNode>): PlanState {
  return { ...two, nodes: two.nodes.map((node, index) => (index === 1 ? { ...node, ...fields } : node)) }
}

/** A state with one card of these instances, by a list of slots; nobody runs on it. */
function cardWith(slots: string): PlanState {
  const card = { id: 'a', instances: slotsOf(slots).map((placement) => ({ placement })) }
  return { ...two, pods: [], nodes: [{ id: 'm', pool: 'a100', unit: 'card', cards: [card] }] }
}

const aBudget = (id: string, disruptionsAllowed: number): PlanBudget => ({
  id,
  pods: ['p'],
  disruptionsAllowed
})

const priced = (...prices: readonly (number | undefined)[]): PlanState => ({
  ...two,
  nodes: two.nodes.map((node, index) => {
    const price = prices[index]
    return price === undefined ? node : { ...node, priceUsdPerHour: price }
  })
})

interface Case extends Partial<RefusedAsk> {
  readonly name: string
  readonly want: NoState | undefined
}

/** Fields that are none of the numbers that they may be; `told` is by whom, and what is said of it. */
function badNumbers<T extends string>(
  fields: readonly T[],
  stateWith: (changed: Partial<Record<T, number>>) => PlanState,
  told: string
): readonly Case[] {
  const [by = '', what = ''] = told.split(', ')
  return fields.flatMap((field) =>
    [-1, Number.NaN, Infinity].map((value): Case => {
      const changed: Partial<Record<T, number>> = {}
      changed[field] = value
      const detail = `${field} is ${value}, ${what} from 0 to 1000000000`
      return {
        name: `${field} of ${value}`,
        state: stateWith(changed),
        want: { kind: 'bad-number', by, detail }
      }
    })
  )
}

const cases: readonly Case[] = [
  { name: 'a state without fault is not refused', want: undefined },
  {
    name: 'a spare that is there and empty is not refused',
    state: nodeWith({ cards: [{ id: 'b', instances: [] }] }),
    spares: ['b'],
    want: undefined
  },
  {
    name: 'prices that are known are not refused',
    state: priced(0, 2.5),
    objective: 'price',
    want: undefined
  },
  {
    name: 'prices that are not known do not matter where cards are freed',
    state: priced(undefined),
    want: undefined
  },
  {
    name: 'a price that is none, whatever is to be freed',
    state: priced(-1),
    want: { kind: 'bad-price', node: 'm', detail: '-1 is no price' }
  },
  {
    name: 'a spare that is told twice',
    state: nodeWith({ cards: [{ id: 'b', instances: [] }] }),
    spares: ['b', 'b'],
    want: { kind: 'twice', what: 'spare', id: 'b' }
  },
  {
    name: 'a spare on a node that is cordoned',
    state: nodeWith({ cards: [{ id: 'b', instances: [] }], isCordoned: true }),
    spares: ['b'],
    want: { kind: 'bad-card', card: 'b', detail: 'it is a spare, yet it stays: its node is cordoned' }
  },
  {
    name: 'a pod with a seat that shares a card too',
    state: nodeWith({ cards: [{ id: 'b', instances: [], sharedPods: ['p'] }] }),
    want: { kind: 'twice', what: 'pod', id: 'p' }
  },
  {
    name: 'a budget that is there twice',
    state: { ...two, budgets: [aBudget('x', 1), aBudget('x', 1)] },
    want: { kind: 'twice', what: 'budget', id: 'x' }
  },
  {
    name: 'a budget that allows half a pod',
    state: { ...two, budgets: [aBudget('x', 0.5)] },
    want: {
      kind: 'bad-number',
      by: 'x',
      detail: 'disruptionsAllowed is 0.5, not a whole number from 0 to 1000000000'
    }
  },
  {
    name: 'CPU in parts',
    state: podWith({ cpuMilli: 0.1 }),
    want: { kind: 'bad-number', by: 'p', detail: 'cpuMilli is 0.1, not a whole number from 0 to 1000000000' }
  },
  { name: 'a state without nodes', state: { ...two, nodes: [] }, want: { kind: 'no-cards' } },
  {
    name: 'nodes without cards',
    state: aDrain({ m: { unit: 'card', cards: {} } }),
    want: { kind: 'no-cards' }
  },
  {
    name: 'a pool that is there twice',
    state: { ...two, pools: [...two.pools, ...two.pools] },
    want: { kind: 'twice', what: 'pool', id: 'a100' }
  },
  {
    name: 'a node that is there twice',
    state: { ...two, nodes: [...two.nodes, ...two.nodes] },
    want: { kind: 'twice', what: 'node', id: 'm' }
  },
  {
    name: 'a card that is on two nodes',
    state: nodeWith({ cards: [{ id: 'a', instances: [] }] }),
    want: { kind: 'twice', what: 'card', id: 'a' }
  },
  {
    name: 'a pod that is told of twice',
    state: { ...two, pods: two.pods.map((pod) => ({ ...pod, id: 'p' })) },
    want: { kind: 'twice', what: 'pod', id: 'p' }
  },
  {
    name: 'a pod in two places',
    state: nodeWith({ cards: [{ id: 'b', instances: [], wholePod: 'p' }] }),
    want: { kind: 'twice', what: 'pod', id: 'p' }
  },
  {
    name: 'a node of no pool',
    state: nodeWith({ pool: 'z' }),
    want: { kind: 'unknown', what: 'pool', id: 'z', by: 'n' }
  },
  {
    name: 'a spare that is no card',
    spares: ['a', 'x'],
    want: { kind: 'unknown', what: 'card', id: 'x', by: 'spares' }
  },
  {
    name: 'a spare with a pod',
    spares: ['b'],
    want: { kind: 'bad-card', card: 'b', detail: 'it is a spare, yet q is on it' }
  },
  {
    name: 'a spare that stays',
    state: nodeWith({ cards: [{ id: 'b', instances: [], stays: 'it is broken' }] }),
    spares: ['b'],
    want: { kind: 'bad-card', card: 'b', detail: 'it is a spare, yet it stays: it is broken' }
  },
  {
    name: 'a spare on a node that stays',
    state: nodeWith({ cards: [{ id: 'b', instances: [] }], stays: 'it is cordoned' }),
    spares: ['b'],
    want: { kind: 'bad-card', card: 'b', detail: 'it is a spare, yet it stays: it is cordoned' }
  },
  {
    name: 'a profile of a pool that the model does not have',
    state: { ...two, pools: two.pools.map((pool) => ({ ...pool, profiles: ['1g.10gbb'] })) },
    want: { kind: 'unknown', what: 'profile', id: '1g.10gbb', by: 'a100' }
  },
  {
    name: 'a slot of a pool that is not there',
    state: podWith({ slots: { A100: '1g.10gb' } }),
    want: { kind: 'unknown', what: 'pool', id: 'A100', by: 'p' }
  },
  {
    name: 'a slot that the model does not have',
    state: podWith({ slots: { a100: '1g.10GB' } }),
    want: { kind: 'unknown', what: 'profile', id: '1g.10GB', by: 'p' }
  },
  {
    name: 'an uncut card as the slot is not refused',
    state: podWith({ slots: { a100: 'whole' } }),
    want: undefined
  },
  {
    name: 'a cost that is no number a cluster has',
    state: podWith({ restartSeconds: 1e8, replicasLost: 1e8 }),
    want: {
      kind: 'bad-number',
      by: 'p',
      detail: 'restartCost is 10000000000000000, not a number from 0 to 1000000000'
    }
  },
  {
    name: 'a pod that nothing is known of',
    state: { ...two, pods: two.pods.slice(0, 1) },
    want: { kind: 'unknown', what: 'pod', id: 'q', by: 'b' }
  },
  {
    name: 'an instance where none may be',
    state: cardWith('3g.40gb@1'),
    want: { kind: 'bad-card', card: 'a', detail: '3g.40gb@1 cannot be on NVIDIA A100-SXM4-80GB' }
  },
  {
    name: 'an instance of another size',
    state: nodeWith({
      cards: [{ id: 'b', instances: [{ placement: { profile: '3g.40gb', start: 0, size: 3 }, pod: 'q' }] }]
    }),
    want: { kind: 'bad-card', card: 'b', detail: '3g.40gb@0 cannot be on NVIDIA A100-SXM4-80GB' }
  },
  {
    name: 'an instance that the model does not have',
    state: cardWith('1g.6gb@0'),
    want: { kind: 'bad-card', card: 'a', detail: '1g.6gb@0 cannot be on NVIDIA A100-SXM4-80GB' }
  },
  {
    name: 'instances that overlap',
    state: cardWith('1g.10gb@0 1g.10gb@5 3g.40gb@4'),
    want: {
      kind: 'bad-card',
      card: 'a',
      detail: '1g.10gb@5 cannot be on NVIDIA A100-SXM4-80GB beside 1g.10gb@0, 3g.40gb@4'
    }
  },
  {
    name: 'more instances with the media engines than there are engines',
    state: cardWith('1g.10gb+me@0 1g.10gb+me@1'),
    want: {
      kind: 'bad-card',
      card: 'a',
      detail: '1g.10gb+me@1 cannot be on NVIDIA A100-SXM4-80GB beside 1g.10gb+me@0'
    }
  },
  {
    name: 'a card that a pod has uncut and that is cut',
    state: nodeWith({
      cards: [{ id: 'b', instances: slotsOf('1g.10gb@0').map((placement) => ({ placement })), wholePod: 'q' }]
    }),
    want: { kind: 'bad-card', card: 'b', detail: 'q has it uncut, yet it is cut' }
  },
  {
    name: 'a price that is not known',
    state: priced(1),
    objective: 'price',
    want: { kind: 'bad-price', node: 'n', detail: 'no price is known' }
  },
  ...[-1, Number.NaN].map(
    (price): Case => ({
      name: `a price of ${price}`,
      state: priced(1, price),
      objective: 'price',
      want: { kind: 'bad-price', node: 'n', detail: `${price} is no price` }
    })
  ),
  {
    name: 'a price of Infinity',
    state: priced(1, Infinity),
    objective: 'price',
    want: { kind: 'bad-price', node: 'n', detail: 'Infinity is above 10000 USD an hour' }
  },
  ...[0, -1, 1.5, Number.NaN, Infinity, 2 ** 53].map(
    (points): Case => ({
      name: `points of ${points}`,
      points,
      want: {
        kind: 'bad-number',
        by: 'points',
        detail: `points is ${points}, not a whole number from 1 to 1000`
      }
    })
  ),
  ...badNumbers(['restartSeconds', 'replicasLost'], podWith, 'p, not a number'),
  ...badNumbers(['cpuMilli', 'memoryMiB'], podWith, 'p, not a whole number'),
  ...badNumbers(['freeCpuMilli', 'freeMemoryMiB'], nodeWith, 'n, not a whole number')
]

for (const { name, want, ...ask } of cases) {
  t.test(`[PLAN9] ${name}${want === undefined ? '' : ' is refused'}`, (t) => {
    t.strictSame(refuseState({ state: two, objective: 'gpus', points: 1, spares: [], ...ask }), want)
    t.end()
  })
}

t.test('[PLAN9] numbers of 0 are numbers', (t) => {
  const state = podWith({ restartSeconds: 0, replicasLost: 0, cpuMilli: 0, memoryMiB: 0 })
  const nodes = state.nodes.map((node) => ({ ...node, freeCpuMilli: 0, freeMemoryMiB: 0 }))

  t.equal(refuseState({ state: { ...state, nodes }, objective: 'gpus', points: 1, spares: [] }), undefined)
  t.end()
})
