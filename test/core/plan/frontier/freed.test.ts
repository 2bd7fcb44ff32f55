import t from 'tap'
import { freedBy } from '../../../../src/core/plan/frontier/freed.ts'
import type { DrainObjective } from '../../../../src/core/plan/frontier/gains.ts'
import { aTarget } from '../order-case.ts'
import { aDrain } from './drain-case.ts'

const state = aDrain({
  m: {
    unit: 'instance',
    priceUsdPerHour: 0.1,
    cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q', '1g.10gb@1': 'r' } }
  },
  n: { unit: 'instance', priceUsdPerHour: 0.7, cards: { c: { whole: 's' }, d: {} } },
  o: { unit: 'instance', priceUsdPerHour: 0.4, cards: { e: {} } },
  u: { unit: 'instance', cards: { f: {} } }
})

interface Case {
  readonly name: string
  readonly moves: Readonly<Record<string, string>>
  readonly want: Readonly<Record<DrainObjective, number>>
}

const cases: readonly Case[] = [
  { name: 'nothing moves, nothing is freed', moves: {}, want: { gpus: 0, nodes: 0, price: 0 } },
  {
    name: 'a card is freed onto one in use',
    moves: { p: 'm/b/1g.10gb@2' },
    want: { gpus: 1, nodes: 0, price: 0 }
  },
  {
    name: 'a card on which a pod stays is not freed',
    moves: { q: 'm/a/1g.10gb@1' },
    want: { gpus: 0, nodes: 0, price: 0 }
  },
  {
    name: 'a card and a node that are taken into use count against those that are freed',
    moves: { s: 'o/e/whole' },
    want: { gpus: 0, nodes: 0, price: 0.3 }
  },
  {
    name: 'two cards and a node are freed for one card on another node',
    moves: { p: 'n/d/1g.10gb@0', q: 'n/d/1g.10gb@1', r: 'n/d/1g.10gb@2' },
    want: { gpus: 1, nodes: 1, price: 0.1 }
  },
  {
    name: 'more can be taken into use than is freed',
    moves: { q: 'o/e/1g.10gb@0' },
    want: { gpus: -1, nodes: -1, price: -0.4 }
  },
  {
    name: 'a node without a price costs nothing',
    moves: { p: 'u/f/1g.10gb@0', q: 'u/f/1g.10gb@1', r: 'u/f/1g.10gb@2', s: 'u/f/whole' },
    want: { gpus: 2, nodes: 1, price: 0.8 }
  },
  {
    name: 'a pod that comes back to its card frees nothing',
    moves: { p: 'm/a/1g.10gb@6' },
    want: { gpus: 0, nodes: 0, price: 0 }
  }
]

for (const { name, moves, want } of cases) {
  t.test(`[PLAN1] ${name}`, (t) => {
    const target = aTarget(state, { moves })

    const objectives: readonly DrainObjective[] = ['gpus', 'nodes', 'price']
    const got = objectives.map((objective) => [objective, freedBy(state, target, objective)] as const)

    t.strictSame(Object.fromEntries(got), want)
    t.end()
  })
}
