import t from 'tap'
import type { Frontier, NoFrontier } from '../../src/core/plan/frontier/frontier.ts'
import type { PlanPod, PlanState } from '../../src/core/plan/plan-state.ts'
import { tellInstances, tellSeat } from '../../src/core/plan/seat.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../../src/ports/solver.ts'
import { HighsSolver } from '../../src/solver/highs-solver.ts'
import { type FrontierAsk, planFrontier } from '../../src/solver/plan-frontier.ts'
import { modelOf } from '../core/pack/instances.ts'
import { aDrain, twoCards } from '../core/plan/frontier/drain-case.ts'
import { faultsOfTarget } from '../core/plan/frontier/target-by-hand.ts'
import { aPod, type ShortNode, slotsOf } from '../core/plan/order-case.ts'

const solver = new HighsSolver()
const limits = { timeLimitMs: 60_000, signal: new AbortController().signal }
t.teardown(() => solver.close())

type Ask = Partial<Omit<FrontierAsk, 'state'>>

function plan(state: PlanState, ask: Ask = {}, by: Solver = solver): Promise<Frontier | NoFrontier> {
  return planFrontier({ state, objective: 'gpus', points: 10, spares: [], ...ask }, by, limits)
}

/** Each point as what it frees, for how many seconds, of how many pods; and what is wrong with it. */
function told(state: PlanState, got: Frontier | NoFrontier): unknown {
  if (got.kind !== 'frontier') return got
  return got.points.map(({ freed, costSeconds, movedPods, target }) =>
    [`${freed} for ${costSeconds} s of ${movedPods}`, ...faultsOfTarget(state, target)].join()
  )
}

/** Moves and layouts of the last point. */
function lastOf(got: Frontier | NoFrontier): readonly string[] {
  const target = got.kind === 'frontier' ? got.points.at(-1)?.target : undefined
  return [
    ...(target?.moves ?? []).map(({ pod, from, to }) => `${pod}: ${tellSeat(from)} to ${tellSeat(to)}`),
    ...(target?.layouts ?? []).map(({ card, instances }) => `${card}: ${tellInstances(instances)}`)
  ]
}

/** A node with one card on it. */
const node = (
  card: string,
  slots: Readonly<Record<string, string>>,
  more: Partial<ShortNode> = {}
): ShortNode => {
  return { unit: 'instance', cards: { [card]: slots }, ...more }
}
const stays = { stays: 'its budget' }
const small = { slots: { a100: '1g.10gb' } }
const whole = { slots: { a100: 'whole' } }

interface Case {
  readonly name: string
  readonly state: PlanState
  readonly ask?: Ask
  readonly want: readonly string[]
  /** Moves and layouts of the last point, where they are the only ones that cost so little. */
  readonly last?: readonly string[]
}

/** Three nodes, each with one uncut card, which a pod has that needs a seventh of it. */
const wholePods = { p: small, q: small, r: small }
const uncut = { l: node('a', { whole: 'p' }), m: node('b', { whole: 'q' }), n: node('c', { whole: 'r' }) }

const cases: readonly Case[] = [
  {
    name: '[PLAN5] of two cards with a small pod each, one is freed by one move beside the other pod',
    state: twoCards('instance', { pods: { q: stays } }),
    want: ['1 for 10 s of 1'],
    last: ['p: m/a/1g.10gb@0 to n/b/1g.10gb@6', 'b: 1g.10gb@0 + 1g.10gb@6']
  },
  {
    name: '[PLAN4] where a card changes as a whole, the pod on it has to move too',
    state: twoCards('card'),
    want: ['1 for 20 s of 2']
  },
  {
    name: '[PLAN5] where a card changes as a whole, an idle instance is used without a change',
    state: aDrain({
      m: node('a', { '1g.10gb@0': 'p' }, { unit: 'card' }),
      n: node('b', { '1g.10gb@0': 'q', '1g.10gb@1': '' }, { unit: 'card' })
    }),
    want: ['1 for 10 s of 1'],
    last: ['p: m/a/1g.10gb@0 to n/b/1g.10gb@1']
  },
  {
    name: '[PLAN4] where a node changes as a whole, all pods on it have to move',
    state: aDrain({
      m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q', '1g.10gb@1': 'r' } } }
    }),
    want: ['1 for 30 s of 3']
  },
  {
    name: '[PLAN4] where a node changes as a whole, one pod that stays holds all',
    state: aDrain(
      { m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } } },
      { pods: { q: stays } }
    ),
    want: []
  },
  {
    name: '[PLAN4] the first cut of a cluster without an empty card empties one first',
    state: aDrain(uncut, { pods: wholePods }),
    want: ['1 for 20 s of 2', '2 for 30 s of 3']
  },
  {
    name: '[PLAN1] the first cut of a cluster takes the empty card, which counts against what is freed',
    state: aDrain({ ...uncut, o: node('e', {}) }, { pods: { ...wholePods, r: { ...small, ...stays } } }),
    want: ['1 for 20 s of 2'],
    last: [
      'p: l/a/whole to o/e/1g.10gb@0',
      'q: m/b/whole to o/e/1g.10gb@1',
      `e: ${tellInstances(slotsOf('1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6'))}`
    ]
  },
  {
    name: '[PLAN2] a pod that stays is where it was, and others come to it',
    state: twoCards('instance', { pods: { p: stays } }),
    want: ['1 for 10 s of 1'],
    last: ['q: n/b/1g.10gb@0 to m/a/1g.10gb@6', 'a: 1g.10gb@0 + 1g.10gb@6']
  },
  {
    name: '[PLAN2] where every pod stays nothing is freed',
    state: twoCards('instance', { pods: { p: stays, q: stays } }),
    want: []
  },
  {
    name: '[PLAN2] tenants are never together',
    state: twoCards('instance', { pods: { p: { tenant: 'red' }, q: { tenant: 'blue' } } }),
    want: []
  },
  {
    name: '[PLAN2] a pod without a tenant does not come to one that has one',
    state: twoCards('instance', { pods: { p: { tenant: 'red' } } }),
    want: []
  },
  {
    name: '[PLAN2] pods of one tenant are together, beside another one on its own card',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }),
        m: node('b', { '1g.10gb@0': 'q' }),
        n: node('c', { '1g.10gb@0': 'r' })
      },
      { pods: { p: { tenant: 'red' }, q: { tenant: 'blue', ...stays }, r: { tenant: 'red', ...stays } } }
    ),
    want: ['1 for 10 s of 1'],
    last: ['p: l/a/1g.10gb@0 to n/c/1g.10gb@6', 'c: 1g.10gb@0 + 1g.10gb@6']
  },
  {
    name: '[PLAN2] a pod takes a larger slot',
    state: aDrain({
      m: node('a', { '1g.10gb@0': 'p' }, { unit: 'card' }),
      n: node('b', { '1g.10gb@0': 'q', '3g.40gb@4': '' }, { unit: 'card' })
    }),
    want: ['1 for 10 s of 1'],
    last: ['p: m/a/1g.10gb@0 to n/b/3g.40gb@4']
  },
  {
    name: '[PLAN2] a pinned pod takes no larger slot, so the card is laid out anew',
    state: aDrain(
      {
        m: node('a', { '1g.10gb@0': 'p' }, { unit: 'card' }),
        n: node('b', { '1g.10gb@0': 'q', '3g.40gb@4': '' }, { unit: 'card' })
      },
      { pods: { p: { isExact: true }, q: { restartSeconds: 5 } } }
    ),
    want: ['1 for 15 s of 2']
  },
  {
    name: '[PLAN2] a pod that wants a whole card comes to an uncut one alone',
    state: aDrain(
      {
        m: { unit: 'card', cards: { a: { whole: 'p' }, b: { '1g.10gb@0': 'r' } } },
        n: { unit: 'node', cards: { c: { whole: 'q' }, d: {} } }
      },
      { pods: { p: whole, q: { ...whole, ...stays } } }
    ),
    ask: { objective: 'nodes' },
    want: []
  },
  {
    name: '[PLAN1] a node is freed by pods that come to an empty card of a node in use',
    state: aDrain(
      {
        m: node('a', { whole: 'p' }, { unit: 'card' }),
        n: { unit: 'node', cards: { c: { whole: 'q' }, d: {} } }
      },
      { pods: { p: whole, q: whole } }
    ),
    ask: { objective: 'nodes' },
    want: ['1 for 10 s of 1'],
    last: ['p: m/a/whole to n/d/whole']
  },
  {
    name: '[PLAN1] the same frees no GPU, for the empty card is then in use',
    state: aDrain(
      {
        m: node('a', { whole: 'p' }, { unit: 'card' }),
        n: { unit: 'node', cards: { c: { whole: 'q' }, d: {} } }
      },
      { pods: { p: whole, q: whole } }
    ),
    want: []
  },
  {
    name: '[PLAN8] a node that is empty is taken into use where it alone has the CPU, and counts against',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 0 }),
        m: node('b', { '1g.10gb@0': 'q' }, { freeCpuMilli: 0 }),
        n: node('c', {}, { freeCpuMilli: 200 })
      },
      { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100 } } }
    ),
    ask: { objective: 'nodes' },
    want: ['1 for 20 s of 2']
  },
  {
    name: '[PLAN8] a node that is empty and does not bind is taken into use as well',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 0 }),
        m: node('b', { '1g.10gb@0': 'q' }, { freeCpuMilli: 0 }),
        n: node('c', {})
      },
      { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100 } } }
    ),
    ask: { objective: 'nodes' },
    want: ['1 for 20 s of 2']
  },
  {
    name: '[PLAN8] a node that does not bind is not counted on once it is free',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 0 }),
        m: node('b', { '1g.10gb@0': 'q' })
      },
      { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100, restartSeconds: 1 } } }
    ),
    ask: { objective: 'nodes' },
    want: ['1 for 10 s of 1'],
    last: ['p: l/a/1g.10gb@0 to m/b/1g.10gb@6', 'b: 1g.10gb@0 + 1g.10gb@6']
  },
  {
    name: '[PLAN1] what a node costs counts, less that of one that is taken into use',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 0, priceUsdPerHour: 3 }),
        m: node('b', { '1g.10gb@0': 'q' }, { freeCpuMilli: 0, priceUsdPerHour: 3 }),
        n: node('c', {}, { freeCpuMilli: 200, priceUsdPerHour: 4.5 })
      },
      { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100 } } }
    ),
    ask: { objective: 'price' },
    want: ['1.5 for 20 s of 2']
  },
  {
    name: '[PLAN3] a dear node costs more moves than a cheap one',
    state: aDrain(
      {
        l: node('a', { '1g.10gb@0': 'p' }, { priceUsdPerHour: 3 }),
        m: node('b', { '1g.10gb@0': 'q' }, { priceUsdPerHour: 1 })
      },
      { pods: { q: { restartSeconds: 5 } } }
    ),
    ask: { objective: 'price' },
    want: ['1 for 5 s of 1', '3 for 10 s of 1']
  },
  {
    name: '[PLAN1] a card that is kept for exchanges stays empty',
    state: aDrain({ ...uncut, o: node('e', {}) }, { pods: { ...wholePods, r: { ...small, ...stays } } }),
    ask: { spares: ['e'] },
    want: ['1 for 20 s of 2']
  },
  {
    name: '[PLAN3] replicas that do not serve meanwhile count each',
    state: twoCards('instance', { pods: { p: { replicasLost: 8 }, q: { restartSeconds: 79 } } }),
    want: ['1 for 79 s of 1']
  },
  {
    name: '[PLAN8] CPU that the nodes together do not have holds all',
    state: aDrain(
      {
        m: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 50 }),
        n: node('b', { '1g.10gb@0': 'q' }, { freeCpuMilli: 50 })
      },
      { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100 } } }
    ),
    ask: { objective: 'nodes' },
    want: []
  },
  {
    name: '[PLAN8] CPU that a node has lets a pod come to it',
    state: aDrain(
      {
        m: node('a', { '1g.10gb@0': 'p' }, { freeCpuMilli: 50 }),
        n: node('b', { '1g.10gb@0': 'q' }, { freeCpuMilli: 100 })
      },
      { pods: { p: { cpuMilli: 100, restartSeconds: 11 }, q: { cpuMilli: 100 } } }
    ),
    ask: { objective: 'nodes' },
    want: ['1 for 11 s of 1'],
    last: ['p: m/a/1g.10gb@0 to n/b/1g.10gb@6', 'b: 1g.10gb@0 + 1g.10gb@6']
  }
]

for (const { name, state, ask, want, last } of cases) {
  t.test(name, async (t) => {
    const got = await plan(state, ask)

    t.strictSame(told(state, got), want)
    if (last !== undefined) t.strictSame(lastOf(got), last)
    if (got.kind !== 'frontier') return t.fail('no frontier')
    const most = got.points.at(-1)?.freed ?? 0
    t.match(got, { most, mostBound: most, isComplete: true, knee: most === 0 ? undefined : Number })
    t.ok(got.points.every(({ gapRatio, provedBy }) => gapRatio === 0 && provedBy !== 'none'))
    return t.end()
  })
}

t.test('[PLAN1] a card that is kept for exchanges is not among those that change', async (t) => {
  const state = aDrain({ ...uncut, o: node('e', {}) }, { pods: wholePods })

  const got = await plan(state, { spares: ['e'], points: 1 })

  t.strictSame(told(state, got), ['2 for 30 s of 3'])
  t.notOk(lastOf(got).some((text) => text.includes('e:') || text.includes('o/e')))
  t.end()
})

t.test('[PLAN2] a pod goes to whichever pool it names', async (t) => {
  const [one] = slotsOf('1g.10gb@0')
  if (one === undefined) return t.fail('no slot')
  const { pools, nodes, pods } = aDrain(
    { m: node('a', { '1g.10gb@0': 'p' }) },
    { pods: { p: { slots: { a100: '1g.10gb', a30: '1g.6gb' } } } }
  )
  const a30 = { id: 'a30', model: modelOf('a30-24gb'), profiles: ['1g.6gb'] }
  const card = { id: 'b', instances: [{ placement: { ...one, profile: '1g.6gb' }, pod: 'q' }] }
  const both = (q: Partial<PlanPod>): PlanState => ({
    pools: [...pools, a30],
    nodes: [...nodes, { id: 'n', pool: 'a30', unit: 'instance', cards: [card] }],
    pods: [...pods, aPod('q', { slots: { a30: '1g.6gb' }, ...q })]
  })

  const here = await plan(both({ restartSeconds: 1 }))
  const there = await plan(both({ restartSeconds: 1, slots: { a30: '1g.6gb', a100: '1g.10gb' } }))

  t.strictSame(lastOf(here), ['p: m/a/1g.10gb@0 to n/b/1g.6gb@3', 'b: 1g.6gb@0 + 1g.6gb@3'])
  t.strictSame(lastOf(there), ['q: n/b/1g.6gb@0 to m/a/1g.10gb@6', 'a: 1g.10gb@0 + 1g.10gb@6'])
  t.strictSame(
    [told(both({}), here), told(both({ slots: { a30: '1g.6gb', a100: '1g.10gb' } }), there)],
    [['1 for 10 s of 1'], ['1 for 1 s of 1']]
  )
  return t.end()
})

/** Two nodes that can be freed, and two with CPU that hold pods that stay. */
function crowded(free: readonly [number, number]): PlanState {
  return aDrain(
    {
      k: node('b', { '1g.10gb@0': 's' }, { freeCpuMilli: 0 }),
      l: node('a', { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, { freeCpuMilli: 0 }),
      m: node('c', { '1g.10gb@0': 'r' }, { freeCpuMilli: free[0] }),
      n: node('d', { '1g.10gb@0': 'u' }, { freeCpuMilli: free[1] })
    },
    {
      pods: {
        p: { cpuMilli: 100 },
        q: { cpuMilli: 100 },
        r: stays,
        s: { cpuMilli: 100, restartSeconds: 50 },
        u: stays
      }
    }
  )
}

/** The same beside so many others that stay that nodes are not planned one by one. */
function amongMany(state: PlanState): PlanState {
  const names = Array.from({ length: 250 }, (_, index) => `z${index}`)
  const [like] = state.pods
  const [here] = state.nodes
  const [card] = here?.cards ?? []
  if (like === undefined || here === undefined || card === undefined) return state
  return {
    ...state,
    nodes: [
      ...state.nodes,
      ...names.map((id) => {
        const instances = card.instances.slice(0, 1).map(({ placement }) => ({ placement, pod: id }))
        return { ...here, id, stays: 'another team', cards: [{ id, instances }] }
      })
    ],
    pods: [...state.pods, ...names.map((id) => ({ ...like, id, stays: 'another team' }))]
  }
}

t.test('[PLAN2] nobody comes to a node that was cordoned before, and who is there may leave', async (t) => {
  const state = aDrain({
    m: node('a', { '1g.10gb@0': 'p' }, { isCordoned: true }),
    n: node('b', { '1g.10gb@0': 'q' }),
    o: node('c', {}, { isCordoned: true })
  })

  const got = await plan(state, { objective: 'gpus' })

  t.strictSame(lastOf(got), ['p: m/a/1g.10gb@0 to n/b/1g.10gb@6', 'b: 1g.10gb@0 + 1g.10gb@6'])
  t.match(got, { most: 1, mostBound: 1 })
  t.end()
})

t.test('[PLAN2] a card that pods share stays, and its node with it', async (t) => {
  const both = aDrain({
    m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, s: {} } },
    n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q', '1g.10gb@1': '' }, u: {} } }
  })
  const shared = new Set(['s', 'u'])
  const state: PlanState = {
    ...both,
    pods: [...both.pods, aPod('x', {})],
    nodes: both.nodes.map((own) => ({
      ...own,
      cards: own.cards.map((card) => (shared.has(card.id) ? { ...card, sharedPods: ['x'] } : card))
    }))
  }

  t.match(await plan(state, { objective: 'gpus' }), {
    most: 1,
    points: [{ target: { freedCards: ['a'], freedNodes: [] } }]
  })
  t.match(await plan(state, { objective: 'nodes' }), { most: 0, points: [] })
  t.end()
})

t.test('[PLAN3] a pod keeps its seat on a card that is filled anew one by one', async (t) => {
  const state: PlanState = {
    ...aDrain(
      {
        m: node('a', { '1g.10gb@0': 'q', '1g.10gb@5': 'p' }),
        n: { unit: 'card', cards: { b: { '4g.40gb@0': 'r' } } }
      },
      {
        profiles: ['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
        pods: { p: { ...small, restartSeconds: 100 }, q: small, r: { slots: { a100: '4g.40gb' } } }
      }
    )
  }

  const got = await plan(state)

  t.match(got, { points: [{ freed: 1, movedPods: 2, costSeconds: 20, provedBy: 'none' }] })
  t.end()
})

t.test('[PLAN1] nodes that are cordoned are freed beside others that are alike', async (t) => {
  const used = (card: string, pod: string, isCordoned: boolean): ShortNode => {
    return { unit: 'node', cards: { [card]: { '7g.80gb@0': pod } }, ...(isCordoned ? { isCordoned } : {}) }
  }
  const state = aDrain(
    { m: used('a', 'p', true), n: used('b', 'q', false), o: used('c', 'r', true) },
    { pods: { p: small, q: small, r: small } }
  )

  t.match(await plan(state, { objective: 'nodes' }), { most: 2, mostBound: 2 })
  t.end()
})

t.test('[PLAN8] of few nodes each is held to its CPU exactly', async (t) => {
  for (const objective of ['nodes', 'gpus'] as const) {
    const got = await plan(crowded([150, 50]), { objective })
    const none = await plan(crowded([60, 60]), { objective })

    t.match(got, { most: 1, mostBound: 1, points: [{ costSeconds: 50, provedBy: 'solver' }] }, objective)
    t.match(none, { kind: 'frontier', most: 0, mostBound: 0, points: [] }, objective)
  }
  t.end()
})

const gaps = [
  { objective: 'nodes', points: 1, isComplete: true },
  // Both cards count as what might be freed, for what pods leave behind is there for who comes to the same node.
  { objective: 'gpus', points: 2, isComplete: false }
] as const

for (const { objective, points, isComplete } of gaps) {
  t.test(
    `[PLAN8] where no single node has the CPU for the best plan, a dearer one frees ${objective}`,
    async (t) => {
      const got = await plan(amongMany(crowded([150, 50])), { objective, points })

      t.match(got, {
        kind: 'frontier',
        most: 1,
        points: [
          { freed: 1, movedPods: 1, costSeconds: 50, boundSeconds: 20, gapRatio: 0.6, provedBy: 'none' }
        ],
        isComplete
      })
      t.strictSame(lastOf(got), ['s: k/b/1g.10gb@0 to m/c/1g.10gb@6', 'c: 1g.10gb@0 + 1g.10gb@6'])
      t.end()
    }
  )
}

t.test('[PLAN8] a pod that no single node has the CPU for is named where nothing can be freed', async (t) => {
  for (const objective of ['nodes', 'gpus'] as const) {
    const got = await plan(amongMany(crowded([60, 60])), { objective, points: 1 })

    t.match(got, { kind: 'no-host', pool: 'a100', pod: /^[pqs]$/ }, objective)
  }
  t.end()
})

const mixed = aDrain(
  {
    k: {
      unit: 'instance',
      priceUsdPerHour: 2,
      cards: { a: { '1g.10gb@0': 'p', '2g.20gb@2': 'q', '1g.10gb@6': '' } }
    },
    l: {
      unit: 'card',
      priceUsdPerHour: 2,
      cards: { b: { '3g.40gb@4': 'r', '1g.10gb@0': '' }, c: { whole: 's' } }
    },
    m: { unit: 'node', priceUsdPerHour: 3, cards: { d: { '1g.10gb@0': 'u' }, e: { '1g.10gb@3': '' } } },
    n: { unit: 'instance', priceUsdPerHour: 1, freeCpuMilli: 100, cards: { f: { '1g.10gb@2': 'v' }, g: {} } }
  },
  {
    profiles: ['1g.10gb', '2g.20gb', '3g.40gb'],
    pods: {
      s: { slots: { a100: '2g.20gb' } },
      u: { tenant: 'red', cpuMilli: 50 },
      v: { tenant: 'red', cpuMilli: 50, restartSeconds: 7 }
    }
  }
)

t.test('[PLAN10] the same state gives the same frontier in whatever order it comes', async (t) => {
  const shuffled: PlanState = {
    pools: mixed.pools.toReversed(),
    nodes: mixed.nodes.toReversed().map((one) => ({
      ...one,
      cards: one.cards.toReversed().map((card) => ({ ...card, instances: card.instances.toReversed() }))
    })),
    pods: mixed.pods.toReversed()
  }

  for (const objective of ['gpus', 'nodes', 'price'] as const) {
    const first = await plan(mixed, { objective })
    const second = await plan(shuffled, { objective })

    t.ok(first.kind === 'frontier' && first.points.length > 0, objective)
    t.equal(JSON.stringify(second), JSON.stringify(first))
  }
  t.end()
})

t.test('[PLAN10] the same state gets the same refusal in whatever order it comes', async (t) => {
  const { pods, ...others } = twoCards('instance', { pods: { p: { cpuMilli: -1 }, q: { cpuMilli: -2 } } })

  const want = {
    kind: 'bad-number',
    by: 'p',
    detail: 'cpuMilli is -1, not a whole number from 0 to 1000000000'
  }
  t.strictSame(await plan({ ...others, pods }), want)
  t.strictSame(await plan({ ...others, pods: pods.toReversed() }), want)
  t.strictSame(await plan(twoCards('card'), { spares: ['y', 'x'] }), {
    kind: 'unknown',
    what: 'card',
    id: 'x',
    by: 'spares'
  })
  t.end()
})

t.test('[PLAN9] what cannot be planned is refused before the solver is asked', async (t) => {
  const never: Solver = { solve: () => Promise.reject(new Error('asked')) }

  t.match(await plan(twoCards('card'), { points: 0 }, never), { kind: 'bad-number', by: 'points' })
  t.strictSame(await plan({ pools: [], nodes: [], pods: [] }, {}, never), { kind: 'no-cards' })
  t.end()
})

t.test('[PLAN9] cards without pods have a frontier without points', async (t) => {
  for (const objective of ['gpus', 'nodes'] as const) {
    const got = await plan(aDrain({ m: node('a', {}), n: node('b', { '1g.10gb@0': '' }) }), { objective })

    t.strictSame(got, {
      kind: 'frontier',
      objective,
      most: 0,
      mostBound: 0,
      points: [],
      knee: undefined,
      isComplete: true
    })
  }
  t.end()
})

/** Answers from a list, in turn, and what was asked. */
class Stub implements Solver {
  readonly asked: (Parameters<Solver['solve']>[0] & SolveLimits)[] = []
  readonly #answers: readonly Answer[]

  constructor(answers: readonly Answer[]) {
    this.#answers = answers
  }

  readonly solve: Solver['solve'] = async (program, given) => {
    this.asked.push({ ...program, ...given })
    const answer = this.#answers[this.asked.length - 1] ?? this.#answers.at(-1)
    const real = await solver.solve(program, limits)
    return typeof answer === 'function' ? answer(real) : (answer ?? real)
  }
}

/** A given answer, or one that is made from the true one. */
type Answer = SolverAnswer | ((real: SolverAnswer) => SolverAnswer)

const asIs: Answer = (real) => real
const late: Answer = { kind: 'out-of-time', prices: [] }
const latePriced: Answer = (real) => ({
  kind: 'out-of-time',
  prices: real.kind === 'infeasible' ? [] : real.prices
})
const impossible: Answer = { kind: 'infeasible' }

/** Values of the true answer, changed. */
function changed(change: (values: readonly number[]) => readonly number[]): Answer {
  return (real) => (real.kind === 'solved' ? { ...real, values: change(real.values) } : real)
}

/** Three nodes with a small pod each, of which two can be freed. */
const three = aDrain({
  l: node('a', { '1g.10gb@0': 'p' }),
  m: node('b', { '1g.10gb@0': 'q' }),
  n: node('c', { '1g.10gb@0': 'r' })
})

t.test(
  '[PLAN6] where time is up before anything is found, the most that any plan could free is told',
  async (t) => {
    // Without prices, all that is in use; with those of the rows, all but one, for the pods need a card.
    t.strictSame(await plan(three, {}, new Stub([late])), { kind: 'undecided', mostBound: 3 })
    t.strictSame(await plan(three, {}, new Stub([latePriced])), { kind: 'undecided', mostBound: 2 })
    t.end()
  }
)

t.test('[PLAN6] a solver that denies what is possible is wrong', async (t) => {
  const want = { kind: 'wrong-answer', broken: ['infeasible'] }

  t.strictSame(await plan(three, {}, new Stub([impossible])), want)
  t.strictSame(await plan(three, {}, new Stub([asIs, impossible])), want)
  t.end()
})

t.test(
  '[PLAN8] who fits the smallest slot takes a larger one where only that node has the CPU',
  async (t) => {
    const state = aDrain(
      {
        m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } }, freeCpuMilli: 0 },
        n: { unit: 'card', cards: { b: { '1g.10gb@0': 'r', '2g.20gb@2': '' } }, freeCpuMilli: 10_000 },
        o: { unit: 'card', cards: { c: { '1g.10gb@0': 's', '1g.10gb@1': '' } }, freeCpuMilli: 1000 }
      },
      {
        pods: {
          p: { ...small, cpuMilli: 10_000 },
          q: { ...small, cpuMilli: 1000 },
          r: { ...small, ...stays },
          s: { ...small, ...stays }
        }
      }
    )

    const got = await plan(state)

    t.strictSame(lastOf(got), ['p: m/a/1g.10gb@0 to n/b/2g.20gb@2', 'q: m/a/1g.10gb@1 to o/c/1g.10gb@1'])
    t.end()
  }
)

t.test(
  '[PLAN6] where time is up later, a point is missing and the last is the most that was found',
  async (t) => {
    const got = await plan(three, { points: 2 }, new Stub([asIs, late]))

    t.match(got, {
      kind: 'frontier',
      most: 2,
      mostBound: 2,
      points: [{ freed: 2, costSeconds: 20, boundSeconds: 0, gapRatio: 1, provedBy: 'none' }],
      knee: 0,
      isComplete: false
    })
    t.equal(got.kind === 'frontier' && got.points.length, 1)
    t.end()
  }
)

t.test('[PLAN6] where time is up, prices of rows still bound the last point', async (t) => {
  const got = await plan(three, { points: 1 }, new Stub([asIs, latePriced]))

  t.match(got, {
    points: [{ freed: 2, costSeconds: 20, boundSeconds: 20, gapRatio: 0, provedBy: 'prices' }],
    isComplete: true
  })
  t.end()
})

t.test('[PLAN6] a bound that the solver alone tells is told as its own', async (t) => {
  const noPrices: Answer = (real) => (real.kind === 'solved' ? { ...real, prices: [] } : real)
  const noBound: Answer = (real) => (real.kind === 'solved' ? { ...real, prices: [], bound: 5.5 } : real)

  const proved = await plan(three, { points: 1 }, new Stub([asIs, noPrices]))
  const open = await plan(three, { points: 1 }, new Stub([asIs, noBound]))

  t.match(proved, { points: [{ boundSeconds: 20, gapRatio: 0, provedBy: 'solver' }] })
  t.match(open, { points: [{ boundSeconds: 6, gapRatio: 0.7, provedBy: 'none' }] })
  t.end()
})

t.test('[PLAN6] the most that any plan could free is told where the best was not found', async (t) => {
  const nothing: Answer = { kind: 'solved', values: [], prices: [], bound: -2 }

  const got = await plan(three, {}, new Stub([nothing]))

  t.match(got, { kind: 'frontier', most: 0, mostBound: 2, points: [], isComplete: true })
  t.end()
})

const nonsense: readonly { readonly name: string; readonly answer: Answer }[] = [
  { name: 'more than there is', answer: changed((values) => values.map(() => 1000)) },
  { name: 'parts of cards', answer: changed((values) => values.map((value) => value + 0.5)) },
  { name: 'numbers that are none', answer: changed((values) => values.map(() => Number.NaN)) },
  { name: 'less than nothing', answer: changed((values) => values.map(() => -1)) },
  {
    name: 'cards without their pods',
    answer: changed((values) => values.map((value, index) => (index === 0 ? value : 0)))
  }
]

for (const { name, answer } of nonsense) {
  t.test(`[PLAN6] an answer with ${name} is refused, whichever question it is to`, async (t) => {
    for (const answers of [
      [answer, asIs],
      [asIs, answer],
      [asIs, asIs, answer]
    ]) {
      const got = await plan(three, { points: 2 }, new Stub(answers))

      t.equal(got.kind, 'wrong-answer')
      t.ok(got.kind === 'wrong-answer' && got.broken.length > 0)
    }
    t.end()
  })
}

t.test('[PLAN3] an answer that frees less than was asked is refused', async (t) => {
  const got = await plan(three, { points: 1 }, new Stub([asIs, changed(() => [])]))

  t.strictSame(got, { kind: 'wrong-answer', broken: ['freed'] })
  t.end()
})

t.test('[PLAN6] all questions share the time, and what one leaves the others have', async (t) => {
  const stub = new Stub([asIs])
  const timeLimitMs = 4e9
  const { signal } = new AbortController()

  await planFrontier({ state: three, objective: 'gpus', points: 3, spares: [] }, stub, {
    timeLimitMs,
    signal
  })

  // Of three points two are alike, so the last share is not asked for.
  t.equal(stub.asked.length, 3)
  for (const [index, asked] of stub.asked.entries()) {
    const share = timeLimitMs / (4 - index)
    t.ok(asked.timeLimitMs <= share && asked.timeLimitMs > 0.99 * share, `${asked.timeLimitMs} of ${share}`)
    t.equal(asked.signal, signal)
  }
  t.end()
})

t.test(
  '[PLAN6] no question has less time than none, and one that is asked twice has what is left',
  async (t) => {
    const none = new Stub([asIs])
    const twice = new Stub([asIs])

    await planFrontier({ state: three, objective: 'gpus', points: 1, spares: [] }, none, {
      ...limits,
      timeLimitMs: 0
    })
    await planFrontier(
      { state: amongMany(crowded([150, 50])), objective: 'nodes', points: 1, spares: [] },
      twice,
      limits
    )

    t.strictSame(
      none.asked.map((asked) => asked.timeLimitMs),
      [0, 0]
    )
    t.equal(twice.asked.length, 3)
    t.ok(twice.asked.every((asked) => asked.timeLimitMs > 0 && asked.timeLimitMs <= limits.timeLimitMs))
    t.end()
  }
)

t.test(
  '[PLAN8] where time is up for the more cautious question, the pod without a place is named',
  async (t) => {
    const state = amongMany(crowded([150, 50]))

    for (const answer of [late, impossible]) {
      const got = await plan(state, { objective: 'nodes', points: 1 }, new Stub([asIs, asIs, answer]))

      t.match(got, { kind: 'no-host', pool: 'a100' })
    }
    t.end()
  }
)

t.test('[PLAN6] what the solver throws is thrown', async (t) => {
  const broken: Solver = { solve: () => Promise.reject(new Error('broken')) }

  await t.rejects(plan(three, {}, broken), { message: 'broken' })
  t.end()
})

t.test('[PLAN3] 100,000 pods of few kinds are a small program', async (t) => {
  const two = slotsOf('1g.10gb@0 2g.20gb@2')
  const pods: PlanPod[] = []
  const nodes = Array.from({ length: 6250 }, (_, index) => ({
    id: `n${index}`,
    pool: 'a100',
    unit: 'card' as const,
    cards: Array.from({ length: 8 }, (__, place) => {
      const instances = two.map((placement) => {
        const pod = aPod(`p${pods.length}`, { slots: { a100: placement.profile } })
        pods.push(pod)
        return { placement, pod: pod.id }
      })
      return { id: `c${index}-${place}`, instances }
    })
  }))
  const { pools } = aDrain({}, { profiles: ['1g.10gb', '2g.20gb'] })
  const stub = new Stub([asIs])

  const got = await plan({ pools, nodes, pods }, { points: 2 }, stub)

  t.equal(pods.length, 100_000)
  // Cards to clear; ways to lay one out, or to leave it uncut; two kinds of pods to move.
  t.strictSame(
    stub.asked.map(({ columns }) => columns.map(({ name }) => name.split(' ')[0]).join(' ')),
    Array.from({ length: 3 }, () => 'clear fill fill fill fill fill move move')
  )
  t.match(got, { kind: 'frontier', points: [{ provedBy: /prices|solver/ }, { provedBy: /prices|solver/ }] })
  t.end()
})
