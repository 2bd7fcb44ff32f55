import t from 'tap'
import { orderSteps } from '../../../../src/core/plan/order/order-steps.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aState, aTarget, type ShortTarget, told } from '../order-case.ts'

interface Case {
  readonly name: string
  readonly state: PlanState
  readonly target: ShortTarget
  readonly spares?: readonly string[]
  readonly want: readonly string[]
}

const cases: readonly Case[] = [
  {
    name: '[PLAN20] takes no step where nothing is to be reached',
    state: aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } } }),
    target: { moves: { p: 'n/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } },
    want: []
  },
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
    name: '[PLAN25] breaks a cycle by a spare card, which is left as it was',
    state: aState({
      n: {
        unit: 'card',
        cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' }, b: { '2g.20gb@0': 'q' }, s: { '7g.80gb@0': '' } }
      }
    }),
    target: {
      moves: { p: 'n/b/1g.10gb@0', o: 'n/b/1g.10gb@2', q: 'n/a/2g.20gb@2' },
      layouts: { a: '2g.20gb@2', b: '1g.10gb@0 1g.10gb@2' }
    },
    spares: ['s'],
    want: [
      'lay out n: s 2g.20gb@4',
      'move q from n/b/2g.20gb@0 to n/s/2g.20gb@4 for a while',
      'lay out n: b 1g.10gb@0 + 1g.10gb@2',
      'move p from n/a/1g.10gb@0 to n/b/1g.10gb@0',
      'move o from n/a/1g.10gb@1 to n/b/1g.10gb@2',
      'lay out n: a 2g.20gb@2',
      'move q from n/s/2g.20gb@4 to n/a/2g.20gb@2',
      'lay out n: s 7g.80gb@0'
    ]
  },
  {
    name: '[PLAN25] where there is no spare card, the pods of the place that costs least wait',
    state: aState(
      { n: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } } },
      { p: { restartSeconds: 60, replicasLost: 2 }, q: { restartSeconds: 100 } }
    ),
    target: { moves: { p: 'n/b/1g.10gb@0', q: 'n/a/1g.10gb@0' } },
    want: [
      'park q from n/b/1g.10gb@0 until n/a/1g.10gb@0 is there',
      'move p from n/a/1g.10gb@0 to n/b/1g.10gb@0',
      'resume q in n/a/1g.10gb@0'
    ]
  },
  {
    name: '[PLAN25] breaks at the cycle, not at what only waits for it',
    state: aState(
      {
        a: { unit: 'card', cards: { a: { '1g.10gb@0': 'cheap' } } },
        b: { unit: 'card', cards: { b: { '1g.10gb@0': 'p' } } },
        c: { unit: 'card', cards: { c: { '1g.10gb@0': 'q' } } },
        d: { unit: 'card', cards: { d: { '1g.10gb@0': 'r', '1g.10gb@1': '' } } }
      },
      { cheap: { restartSeconds: 1 }, r: { restartSeconds: 5 } }
    ),
    target: {
      moves: { cheap: 'b/b/1g.10gb@0', p: 'c/c/1g.10gb@0', q: 'd/d/1g.10gb@0', r: 'c/c/1g.10gb@1' },
      layouts: { c: '1g.10gb@0 1g.10gb@1' }
    },
    want: [
      'park r from d/d/1g.10gb@0 until c/c/1g.10gb@1 is there',
      'move q from c/c/1g.10gb@0 to d/d/1g.10gb@0',
      'lay out c: c 1g.10gb@0 + 1g.10gb@1',
      'resume r in c/c/1g.10gb@1',
      'move p from b/b/1g.10gb@0 to c/c/1g.10gb@0',
      'move cheap from a/a/1g.10gb@0 to b/b/1g.10gb@0'
    ]
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
  },
  {
    name: '[PLAN29] says when nodes and cards are free, a node with a spare card last',
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
      'move o from a/a/1g.10gb@0 to f/f/1g.10gb@0',
      'cordon b',
      'move p from b/b/1g.10gb@0 to c/d/1g.10gb@0',
      'release b',
      'move q from c/c/1g.10gb@0 to c/d/1g.10gb@1',
      'release c/c',
      'release a',
      'release e'
    ]
  }
]

for (const { name, state, target, spares, want } of cases) {
  t.test(name, (t) => {
    t.strictSame(told(state, target, spares), want)
    t.end()
  })
}

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

t.test('[PLAN26] refuses a target by which a node never has the CPU, whoever waits for that pod', (t) => {
  const state = aState(
    {
      a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
      b: { unit: 'card', freeCpuMilli: 4, cards: { d: { '1g.10gb@0': '' } } },
      e: { unit: 'card', cards: { f: { '1g.10gb@0': 'q' } } }
    },
    { p: { cpuMilli: 5 } }
  )

  t.throws(() => told(state, { moves: { p: 'b/d/1g.10gb@0', q: 'a/c/1g.10gb@0' } }), {
    code: 'PLAN_INVALID',
    message: 'the target cannot be reached: b/d/1g.10gb@0 has no CPU or memory left for p'
  })
  t.end()
})

t.test('[PLAN26] refuses it for a pod that waits, too', (t) => {
  const state = aState(
    {
      a: { unit: 'card', freeCpuMilli: 1, cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': '' } } },
      b: { unit: 'card', freeCpuMilli: 4, cards: { d: { '1g.10gb@0': 'q' } } }
    },
    { p: { cpuMilli: 9, restartSeconds: 1 }, q: { cpuMilli: 3 } }
  )

  t.throws(() => told(state, { moves: { p: 'b/d/1g.10gb@0', q: 'a/c/1g.10gb@0' } }), {
    code: 'PLAN_INVALID',
    message: 'the target cannot be reached: b/d/1g.10gb@0 has no CPU or memory left for p'
  })
  t.end()
})
