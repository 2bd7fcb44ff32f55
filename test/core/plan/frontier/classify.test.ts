import t from 'tap'
import { classesOf } from '../../../../src/core/plan/frontier/classify.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import type { ShortNode } from '../order-case.ts'
import {
  aDrain,
  classesIn,
  type DrainExtras,
  type ShortAsk,
  tellClasses,
  tellClear,
  twoCards
} from './drain-case.ts'

type Told = ReturnType<typeof tellClasses>

interface Case {
  readonly name: string
  readonly state: PlanState
  readonly ask?: ShortAsk
  readonly want: Partial<Told>
}

const oneNode = (node: ShortNode, extras?: DrainExtras): PlanState => aDrain({ m: node }, extras)
const slots = (pods: Readonly<Record<string, Partial<{ slots: Record<string, string> }>>>): DrainExtras => ({
  pods
})

const cases: readonly Case[] = [
  {
    name: '[PLAN5] beside pods on cards whose instances are made one by one there is room for more',
    state: twoCards('instance'),
    want: {
      asks: ['p+q'],
      kept: ['a+b of anyone beside: 6 x 1g.10gb'],
      clears: ['card a+b'],
      empty: []
    }
  },
  {
    name: '[PLAN5] cards that are laid out as a whole give what is idle on them alone',
    state: aDrain({
      m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@3': 'q' } } },
      n: { unit: 'card', cards: { c: { '1g.10gb@0': 'r', '1g.10gb@1': '', '1g.10gb@2': '' } } }
    }),
    want: {
      asks: ['p+q+r'],
      kept: ['a+b of anyone as-is: nothing', 'c of anyone as-is: 2 x 1g.10gb'],
      clears: ['card a+b', 'card c'],
      empty: []
    }
  },
  {
    name: '[PLAN4] cards of a node that is laid out as a whole are cleared together',
    state: oneNode({ unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' }, c: {} } }),
    want: {
      kept: ['a+b of anyone as-is: nothing', 'c of idle as-is: 1 x whole'],
      clears: ['node m'],
      empty: []
    }
  },
  {
    name: '[PLAN4] an empty card can be laid out anew where nothing else on the node has to stop',
    state: aDrain({
      m: { unit: 'node', cards: { a: {} } },
      n: { unit: 'card', cards: { b: { '1g.10gb@0': 'p' }, c: { '1g.10gb@0': '' } } }
    }),
    want: { kept: ['b of anyone as-is: nothing'], clears: ['card b'], empty: ['a', 'c'] }
  },
  {
    name: '[PLAN5] idle instances beside cards in use of a node that stays as it is are given away',
    state: oneNode({ unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': '' } } }),
    want: { kept: ['a of anyone as-is: nothing', 'b of idle as-is: 1 x 1g.10gb'], clears: ['node m'] }
  },
  {
    name: '[PLAN2] a card with pods of two tenants takes nobody, and can be cleared',
    state: oneNode(
      { unit: 'instance', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
      { pods: { p: { tenant: 'red' } } }
    ),
    want: { kept: ['a of red as-is: nothing'], clears: ['card a'] }
  },
  {
    name: '[PLAN2] cards of different tenants are of different kinds',
    state: twoCards('instance', { pods: { p: { tenant: 'red' } } }),
    want: {
      asks: ['p', 'q'],
      kept: ['a of red beside: 6 x 1g.10gb', 'b of anyone beside: 6 x 1g.10gb'],
      clears: ['card a', 'card b']
    }
  },
  {
    name: '[PLAN2] a card with a pod that stays takes others and is not cleared',
    state: twoCards('instance', { pods: { p: { stays: 'its budget' } } }),
    want: { kept: ['a+b of anyone beside: 6 x 1g.10gb'], clears: ['card b'] }
  },
  {
    name: '[PLAN2] a node with a pod that stays is not cleared',
    state: twoCards('node', { pods: { p: { stays: 'its budget' } } }),
    ask: { objective: 'nodes' },
    want: { kept: ['a+b of anyone as-is: nothing'], clears: ['freed n', 'node n'] }
  },
  {
    name: '[PLAN2] a node that stays is not there',
    state: aDrain({
      m: { unit: 'instance', stays: 'cordoned', cards: { a: { '1g.10gb@0': 'p' }, b: {} } }
    }),
    want: { asks: ['p'], kept: [], clears: [], empty: [] }
  },
  {
    name: '[PLAN2] a card that has its pod uncut takes nobody',
    state: oneNode({ unit: 'instance', cards: { a: { whole: 'p' } } }),
    want: { kept: ['a of anyone as-is: nothing'], clears: ['card a'] }
  },
  {
    name: '[PLAN2] a card that is kept empty is not there, nor is its node cleared',
    state: aDrain({
      m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, s: {} } },
      n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' }, r: {} } }
    }),
    ask: { objective: 'nodes', spares: ['r', 's'] },
    want: { kept: ['a+b of anyone as-is: nothing'], clears: ['card b'], empty: [] }
  },
  {
    name: '[PLAN1] a node is freed with all its cards, whether they are cleared one by one or not',
    state: oneNode({ unit: 'instance', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' }, c: {} } }),
    ask: { objective: 'nodes' },
    want: { kept: ['a+b of anyone beside: 6 x 1g.10gb'], clears: ['card a+b', 'freed m'], empty: ['c'] }
  },
  {
    name: '[PLAN1] a node without a pod is taken into use where nodes are freed',
    state: aDrain({ m: { unit: 'node', cards: { a: {}, b: {} } }, n: { unit: 'card', cards: { c: {} } } }),
    ask: { objective: 'nodes' },
    want: { kept: [], clears: ['opened m', 'opened n'], empty: [] }
  },
  {
    name: '[PLAN1] a node of which every card is kept is not taken into use',
    state: oneNode({ unit: 'card', cards: { s: {} } }),
    ask: { objective: 'nodes', spares: ['s'] },
    want: { kept: [], clears: [], empty: [] }
  },
  {
    name: '[PLAN2] pods that ask for the same slots are of one kind, in whatever order they name them',
    state: twoCards(
      'card',
      slots({ p: { slots: { x: '1g.10gb', y: '1g.5gb' } }, q: { slots: { y: '1g.5gb', x: '1g.10gb' } } })
    ),
    want: { asks: ['p+q'] }
  },
  {
    name: '[PLAN2] pods that ask for other slots are of other kinds',
    state: twoCards('card', slots({ p: { slots: { x: '1g.10gb' } }, q: { slots: { y: '1g.10gb' } } })),
    want: { asks: ['p', 'q'] }
  },
  {
    name: '[PLAN2] pinned pods are of a kind of their own',
    state: twoCards('card', { pods: { p: { isExact: true } } }),
    want: { asks: ['p', 'q'] }
  },
  {
    name: '[PLAN8] what pods need of nodes counts nothing where no node can run out of it',
    state: twoCards('card', { pods: { p: { cpuMilli: 100, memoryMiB: 1 } } }),
    want: { asks: ['p+q'] }
  },
  {
    name: '[PLAN3] cards whose pods cost more to move are of another kind',
    state: twoCards('card', { pods: { p: { replicasLost: 2 } } }),
    want: { clears: ['card a', 'card b'] }
  },
  {
    name: '[PLAN1] nodes of another price are of another kind where they are freed',
    state: aDrain({
      l: { unit: 'card', priceUsdPerHour: 1, cards: { a: { '1g.10gb@0': 'p' } } },
      m: { unit: 'card', priceUsdPerHour: 1, cards: { b: { '1g.10gb@0': 'q' } } },
      n: { unit: 'card', priceUsdPerHour: 2, cards: { c: { '1g.10gb@0': 'r' } } }
    }),
    ask: { objective: 'price' },
    want: { clears: ['card a+b+c', 'freed l+m', 'freed n'] }
  }
]

for (const { name, state, ask, want } of cases) {
  t.test(name, (t) => {
    const told = tellClasses(classesIn(state, ask))

    t.strictSame(told, { ...told, ...want })
    t.end()
  })
}

for (const what of ['Cpu', 'Memory'] as const) {
  t.test(`[PLAN8] ${what} that some node can run out of tells pods apart`, (t) => {
    const { nodes, ...others } = twoCards('card', { pods: { p: { cpuMilli: 100, memoryMiB: 10 } } })
    const free = what === 'Cpu' ? { freeCpuMilli: 0 } : { freeMemoryMiB: 0 }

    const { asks } = classesIn({ ...others, nodes: nodes.map((node) => ({ ...node, ...free })) })

    t.strictSame(
      [...asks.values()].map(({ cpuMilli, memoryMiB }) => [cpuMilli, memoryMiB]),
      what === 'Cpu'
        ? [
            [100, 0],
            [0, 0]
          ]
        : [
            [0, 10],
            [0, 0]
          ]
    )
    t.end()
  })
}

t.test('[PLAN4] a kind of nodes counts who leaves, what that costs, and the cards that change', (t) => {
  const state = oneNode(
    {
      unit: 'instance',
      cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: { '1g.10gb@0': 'r', '1g.10gb@1': 's' }, c: {} }
    },
    { pods: { r: { restartSeconds: 3, replicasLost: 2 } } }
  )

  const { clears, kept, asks } = classesIn(state, { objective: 'nodes' })

  const freed = clears.find(({ scope }) => scope === 'freed')
  const [ask] = asks.keys()
  t.match(freed, { costSeconds: 36, empty: 1, inUse: 2, pool: 'a100' })
  t.strictSame([...(freed?.leaving ?? [])], [[ask, 4]])
  t.strictSame([...(freed?.kept ?? [])], [[kept[0]?.key, 2]])
  t.strictSame(
    [...(freed?.cleared ?? [])].map(([key, count]) => {
      const clear = clears.find((other) => other.key === key)
      return [clear && tellClear(clear), count]
    }),
    clears.filter(({ scope }) => scope === 'card').map((clear) => [tellClear(clear), 1])
  )
  t.end()
})

t.test('[PLAN2] a card of no pool takes nobody, and a pod that is not told of does not count', (t) => {
  const { nodes, pools, pods } = twoCards('instance')

  const told = tellClasses(
    classesOf({ nodes, pools: [], pods: pods.slice(0, 1) }, { freesNodes: false, spares: new Set() })
  )

  t.strictSame(told, { asks: ['p'], kept: ['a of anyone as-is: nothing'], clears: ['card a'], empty: ['b'] })
  t.equal(pools.length, 1)
  t.end()
})
