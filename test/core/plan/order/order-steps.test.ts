import t from 'tap'
import { orderSteps } from '../../../../src/core/plan/order/order-steps.ts'
import { aState, aTarget, type OrderCase, testOrder } from '../order-case.ts'

const cases: readonly OrderCase[] = [
  {
    name: '[PLAN20] takes no step where nothing is to be reached',
    state: aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } } }),
    target: { moves: { p: 'n/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } },
    want: []
  },
  {
    name: '[PLAN23] handles nodes one after the other, those that wait for others after these',
    state: aState({
      a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' } } },
      b: { unit: 'card', cards: { d: { '1g.10gb@0': 'q' } } },
      e: { unit: 'card', cards: { f: { '1g.10gb@0': '', '1g.10gb@1': '' } } }
    }),
    target: {
      moves: { p: 'b/d/2g.20gb@0', o: 'e/f/1g.10gb@0', q: 'e/f/1g.10gb@1' },
      layouts: { d: '2g.20gb@0' }
    },
    want: [
      'move q from b/d/1g.10gb@0 to e/f/1g.10gb@1',
      'lay out b: d 2g.20gb@0',
      'move p from a/c/1g.10gb@0 to b/d/2g.20gb@0',
      'move o from a/c/1g.10gb@1 to e/f/1g.10gb@0'
    ]
  },
  {
    name: '[PLAN23] where no node can be handled whole, does what can be done of one',
    state: aState({
      a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' } } },
      b: { unit: 'card', cards: { d: { '1g.10gb@0': 'q', '1g.10gb@1': 'r' } } },
      e: { unit: 'card', cards: { f: { '1g.10gb@0': '', '1g.10gb@1': '' } } }
    }),
    target: {
      moves: { p: 'b/d/1g.10gb@0', o: 'e/f/1g.10gb@0', q: 'e/f/1g.10gb@1', r: 'a/c/1g.10gb@1' }
    },
    want: [
      'move o from a/c/1g.10gb@1 to e/f/1g.10gb@0',
      'move q from b/d/1g.10gb@0 to e/f/1g.10gb@1',
      'move r from b/d/1g.10gb@1 to a/c/1g.10gb@1',
      'move p from a/c/1g.10gb@0 to b/d/1g.10gb@0'
    ]
  },
  {
    name: '[PLAN29] says when nodes and cards are free, one that is empty at once, a node with a spare card last',
    state: aState({
      a: { unit: 'node', cards: { a: { '1g.10gb@0': 'o' }, s: {} } },
      b: { unit: 'node', cards: { b: { '1g.10gb@0': 'p' } } },
      c: { unit: 'node', cards: { c: { '1g.10gb@0': 'q' }, d: { '1g.10gb@0': '', '1g.10gb@1': '' } } },
      e: { unit: 'node', cards: { e: {} } },
      f: { unit: 'node', cards: { f: { '1g.10gb@0': '' } } }
    }),
    target: {
      moves: { o: 'f/f/1g.10gb@0', p: 'c/d/1g.10gb@0', q: 'c/d/1g.10gb@1' },
      freedCards: ['a', 'b', 'c'],
      freedNodes: ['e', 'b', 'a']
    },
    spares: ['s'],
    want: [
      'release e',
      'move o from a/a/1g.10gb@0 to f/f/1g.10gb@0',
      'cordon b',
      'move p from b/b/1g.10gb@0 to c/d/1g.10gb@0',
      'release b',
      'move q from c/c/1g.10gb@0 to c/d/1g.10gb@1',
      'release c/c',
      'release a'
    ]
  }
]

testOrder(cases)

t.test('[PLAN23] names the node that is in hand', (t) => {
  const state = aState({
    a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
    b: { unit: 'card', cards: { d: { '1g.10gb@0': 'q' }, e: { '1g.10gb@0': '' } } }
  })
  const target = aTarget(state, { moves: { p: 'b/d/1g.10gb@0', q: 'b/e/1g.10gb@0' } })

  const waves = orderSteps(state, target, { spares: [] })

  t.strictSame(
    waves.map(({ node, steps }) => [node, steps.length]),
    [
      ['b', 1],
      ['a', 1]
    ]
  )
  t.end()
})
