import t from 'tap'
import type { PlanState } from '../../../src/core/plan/plan-state.ts'
import { growthOf, MOST_GROWTH } from '../../build/growth.ts'
import { aPlan, aState, type ShortNode, type ShortTarget } from './order-case.ts'

interface Case {
  readonly state: PlanState
  readonly target: ShortTarget
}

interface Many {
  readonly name: string
  readonly size: number
  readonly make: (size: number) => Case
}

function many<T>(count: number, make: (nth: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, nth) => make(nth))
}

/** Nodes whose pods all go to as many others: to idle instances, or to ones for which these are drained. */
function drained(size: number, unit: 'card' | 'node'): Case {
  const isNode = unit === 'node'
  const full = many(size, (nth) => [
    `a${nth}`,
    { unit, cards: { [`a${nth}`]: { '1g.10gb@0': `p${nth}`, '1g.10gb@1': `q${nth}` } } }
  ])
  const open = many(size, (nth) => [
    `b${nth}`,
    {
      unit,
      cards: {
        [`b${nth}`]: { '3g.40gb@4': `o${nth}`, ...(isNode ? {} : { '1g.10gb@0': '', '1g.10gb@1': '' }) }
      }
    }
  ])
  const nodes: Readonly<Record<string, ShortNode>> = Object.fromEntries([...full, ...open])
  const moves = many(size, (nth) => [
    [`p${nth}`, `b${nth}/b${nth}/1g.10gb@0`],
    [`q${nth}`, `b${nth}/b${nth}/1g.10gb@1`]
  ]).flat()
  const layouts = isNode ? many(size, (nth) => [`b${nth}`, '1g.10gb@0 1g.10gb@1 3g.40gb@4']) : []
  const freed = many(size, (nth) => `a${nth}`)
  return {
    state: aState(nodes),
    target: {
      moves: Object.fromEntries(moves),
      layouts: Object.fromEntries(layouts),
      freedCards: freed,
      freedNodes: freed
    }
  }
}

/** Pods that go to one another's place, two and two. */
function swapped(size: number): Case {
  const nodes = many(size, (nth): readonly [string, ShortNode] => [
    `n${nth}`,
    {
      unit: 'card',
      cards: { [`a${nth}`]: { '1g.10gb@0': `p${nth}` }, [`b${nth}`]: { '1g.10gb@0': `q${nth}` } }
    }
  ])
  const moves = many(size, (nth) => [
    [`p${nth}`, `n${nth}/b${nth}/1g.10gb@0`],
    [`q${nth}`, `n${nth}/a${nth}/1g.10gb@0`]
  ]).flat()
  return { state: aState(Object.fromEntries(nodes)), target: { moves: Object.fromEntries(moves) } }
}

const cases: readonly Many[] = [
  { name: 'nodes that get free', size: 400, make: (size) => drained(size, 'card') },
  {
    name: 'nodes that get free for nodes that are laid out',
    size: 300,
    make: (size) => drained(size, 'node')
  },
  { name: 'pods that wait for one another', size: 60, make: swapped }
]

for (const { name, size, make } of cases) {
  t.test(`[PLAN20] a plan for four times as many ${name} takes no more than a few times as long`, (t) => {
    const growth = growthOf(size, make, ({ state, target }) => aPlan(state, target))

    t.ok(growth < MOST_GROWTH, `grew by ${growth.toFixed(1)}`)
    t.end()
  })
}
