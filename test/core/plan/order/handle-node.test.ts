import t from 'tap'
import { aState, type OrderCase, testOrder, told } from '../order-case.ts'

const cases: readonly OrderCase[] = [
  {
    name: '[PLAN21] moves a pod once the one in its place has left',
    state: aState({
      n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' }, d: { '1g.10gb@0': 'q', '1g.10gb@1': '' } } }
    }),
    target: { moves: { p: 'n/d/1g.10gb@0', q: 'n/d/1g.10gb@1' } },
    want: ['move q from n/d/1g.10gb@0 to n/d/1g.10gb@1', 'move p from n/c/1g.10gb@0 to n/d/1g.10gb@0']
  },
  {
    name: '[PLAN21] makes instances beside those that run, and deletes idle ones in the way',
    state: aState({
      m: { unit: 'instance', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@4': '' } } },
      n: { unit: 'card', cards: { d: { '3g.40gb@0': 'q' } } }
    }),
    target: { moves: { q: 'm/c/3g.40gb@4' }, layouts: { c: '1g.10gb@0 3g.40gb@4' } },
    want: ['lay out m: c 1g.10gb@0 + 3g.40gb@4', 'move q from n/d/3g.40gb@0 to m/c/3g.40gb@4']
  },
  {
    name: '[PLAN21] makes an instance in the place of one that its pod has left, and uncuts a card that is given away whole',
    state: aState({
      m: { unit: 'instance', cards: { c: { '1g.10gb@0': 'p' }, e: { '3g.40gb@0': '', '1g.10gb@4': 'o' } } },
      n: { unit: 'card', cards: { d: { '7g.80gb@0': 'q' }, f: { '1g.10gb@0': '' }, g: { whole: 'w' } } }
    }),
    target: {
      moves: { p: 'n/f/1g.10gb@0', q: 'm/c/7g.80gb@0', o: 'n/d/1g.10gb@0', w: 'm/e/whole' },
      layouts: { c: '7g.80gb@0', e: '', d: '1g.10gb@0' }
    },
    want: [
      'move p from m/c/1g.10gb@0 to n/f/1g.10gb@0',
      'lay out m: c 7g.80gb@0',
      'move q from n/d/7g.80gb@0 to m/c/7g.80gb@0',
      'lay out n: d 1g.10gb@0',
      'move o from m/e/1g.10gb@4 to n/d/1g.10gb@0',
      'lay out m: e uncut',
      'move w from n/g/whole to m/e/whole'
    ]
  },
  {
    name: '[PLAN21] cuts a card once the pod that had it uncut has left',
    state: aState({
      m: { unit: 'instance', cards: { c: { whole: 'w' } } },
      n: { unit: 'card', cards: { d: { '1g.10gb@0': 'p' }, e: {} } }
    }),
    target: { moves: { w: 'n/e/whole', p: 'm/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } },
    want: [
      'move w from m/c/whole to n/e/whole',
      'lay out m: c 1g.10gb@0',
      'move p from n/d/1g.10gb@0 to m/c/1g.10gb@0'
    ]
  },
  {
    name: '[PLAN22] empties a card before it is laid out, and leaves the others of its node alone',
    state: aState({
      n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' }, d: { '1g.10gb@0': 'q', '1g.10gb@1': '' } } }
    }),
    target: { moves: { p: 'n/d/1g.10gb@1' }, layouts: { c: '7g.80gb@0' } },
    want: ['move p from n/c/1g.10gb@0 to n/d/1g.10gb@1', 'lay out n: c 7g.80gb@0']
  },
  {
    name: '[PLAN22] drains a node whole before any card of it is laid out; who ends on it waits',
    state: aState({
      m: { unit: 'node', cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, d: { whole: 'w' }, e: {} } },
      n: { unit: 'node', cards: { f: { '1g.10gb@0': '' } } }
    }),
    target: {
      moves: { p: 'n/f/1g.10gb@0', q: 'm/c/2g.20gb@0' },
      layouts: { c: '2g.20gb@0', e: '7g.80gb@0' }
    },
    want: [
      'cordon m',
      'move p from m/c/1g.10gb@0 to n/f/1g.10gb@0',
      'park q from m/c/1g.10gb@1 until m/c/2g.20gb@0 is there',
      'park w from m/d/whole until m/d/whole is there',
      'lay out m: c 2g.20gb@0; e 7g.80gb@0',
      'uncordon m',
      'resume q in m/c/2g.20gb@0',
      'resume w in m/d/whole'
    ]
  },
  {
    name: '[PLAN24] lets a tenant come to a card once another has left it',
    state: aState(
      {
        a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
        b: { unit: 'card', cards: { d: { '1g.10gb@0': 'q', '1g.10gb@1': '' }, e: { '1g.10gb@0': '' } } }
      },
      { p: { tenant: 't1' }, q: { tenant: 't2' } }
    ),
    target: { moves: { p: 'b/d/1g.10gb@1', q: 'b/e/1g.10gb@0' } },
    want: ['move q from b/d/1g.10gb@0 to b/e/1g.10gb@0', 'move p from a/c/1g.10gb@0 to b/d/1g.10gb@1']
  },
  {
    name: '[PLAN26] lets a pod come to a node once others have left CPU and memory for it',
    state: aState(
      {
        a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
        b: {
          unit: 'card',
          freeCpuMilli: 0,
          cards: { d: { '1g.10gb@0': 'q', '1g.10gb@1': '', '1g.10gb@2': 'r' } }
        },
        e: { unit: 'card', freeMemoryMiB: 9, cards: { f: { '1g.10gb@0': '' } } }
      },
      { p: { cpuMilli: 5 }, q: { cpuMilli: 5, memoryMiB: 9 } }
    ),
    target: { moves: { p: 'b/d/1g.10gb@1', q: 'e/f/1g.10gb@0' } },
    want: ['move q from b/d/1g.10gb@0 to e/f/1g.10gb@0', 'move p from a/c/1g.10gb@0 to b/d/1g.10gb@1']
  }
]

testOrder(cases)

t.test(
  '[PLAN33] a node that was cordoned before is laid out and left without another cordon, and stays so',
  (t) => {
    const state = aState({
      m: { unit: 'node', isCordoned: true, cards: { a: { '1g.10gb@0': 'p' } } },
      n: { unit: 'node', isCordoned: true, cards: { b: { '1g.10gb@0': 'q' } } },
      o: { unit: 'card', cards: { c: { '1g.10gb@0': '', '1g.10gb@1': '' } } }
    })
    const moves = { p: 'o/c/1g.10gb@0', q: 'o/c/1g.10gb@1' }

    t.strictSame(
      told(state, { moves, layouts: { a: '7g.80gb@0' }, freedCards: ['a', 'b'], freedNodes: ['n'] }),
      [
        'move p from m/a/1g.10gb@0 to o/c/1g.10gb@0',
        'lay out m: a 7g.80gb@0',
        'release m/a',
        'move q from n/b/1g.10gb@0 to o/c/1g.10gb@1',
        'release n'
      ]
    )
    t.end()
  }
)

const budget = { id: 'w', pods: ['p', 'q'], disruptionsAllowed: 1 }
const drained = {
  ...aState({
    m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
    n: { unit: 'card', cards: { s: {} } }
  }),
  budgets: [budget]
}
const wider = { layouts: { a: '1g.10gb@0 1g.10gb@1 3g.40gb@4' } }

t.test('[PLAN32] pods of a node that are more than their budget allows go to a spare card, and back', (t) => {
  t.strictSame(told(drained, wider, ['s']), [
    'cordon m',
    'lay out n: s 1g.10gb@6',
    'move q from m/a/1g.10gb@1 to n/s/1g.10gb@6 for a while',
    'park p from m/a/1g.10gb@0 until m/a/1g.10gb@0 is there',
    'lay out m: a 1g.10gb@0 + 1g.10gb@1 + 3g.40gb@4',
    'uncordon m',
    'resume p in m/a/1g.10gb@0',
    'move q from n/s/1g.10gb@6 to m/a/1g.10gb@1',
    'lay out n: s uncut'
  ])
  t.end()
})

t.test('[PLAN32] where no spare card is kept they wait all the same', (t) => {
  t.strictSame(told(drained, wider), [
    'cordon m',
    'park p from m/a/1g.10gb@0 until m/a/1g.10gb@0 is there',
    'park q from m/a/1g.10gb@1 until m/a/1g.10gb@1 is there',
    'lay out m: a 1g.10gb@0 + 1g.10gb@1 + 3g.40gb@4',
    'uncordon m',
    'resume p in m/a/1g.10gb@0',
    'resume q in m/a/1g.10gb@1'
  ])
  t.end()
})
